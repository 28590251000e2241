"""The triggering graph: what may trigger what, cycles, reasons to end, order that matters (rules L9, L10)."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from xmlcep import parse_rules
from xmlcep.actions import TriggeringGraph, triggering_graph
from xmlcep.cli.check import command
from xmlcep.errors import XmlCepError


def graph_of(text: str, *not_editing: str) -> TriggeringGraph:
    triggers = parse_rules(text).triggers
    assert triggers is not None
    return triggering_graph(triggers, not_editing=not_editing)


def triggers(action: str, event: str, declared: str = "") -> bool:
    """Whether an action of a rule at items may trigger a rule on this event."""
    graph = graph_of(
        f"{declared}\nrule A on (ins(order/item)) do {action}\nrule B on ({event}) do call 'none'", "none"
    )
    return "B" in graph.edges["A"]


@pytest.mark.parametrize(
    ("action", "event", "may"),
    [
        ("set '@x' = '1'", "ins(item/@x)", True),
        ("set '@x' = '1'", "upd(item/@x)", True),
        ("set '@x' = '1'", "del(item/@y)", False),
        ("set '@x' = '1'", "upd(/order/item/@x)", True),
        ("set '@x' = '1'", "upd(/invoice/item/@x)", False),
        ("set '@x' = '1'", "upd(invoice/item/@x)", False),
        ("set '@x' = '1'", "*(order//)", True),
        ("set '@x' = '1'", "*(order//*)", True),
        ("set '@x' = '1'", "*(invoice//*)", True),  # an order may stand in an invoice
        ("set '../@x' = '1'", "upd(order/@x)", True),
        ("set '@x' = '1'", "becomes[\"@x > 3\"](item)", True),
        ("set '@x' = '1'", "becomes[\"@y > 3\"](item)", False),
        ("set '@x' = '1'", "becomes[\"item/@x\"](order)", True),
        ("set '@x' = '1'", "becomes[\"../item/@x\"](/order/stock)", True),
        ("insert '<note/>' last into '.'", "becomes[\"true()\"](note)", True),
        ("insert '<note/>' last into '.'", "becomes[\"true()\"](remark)", False),
        ("set '../@x' = '1'", "upd(item/@x)", False),
        ("set 'price' = '1'", "upd(price/text())", True),
        ("set 'price' = '1'", "del(item/price/text())", True),  # the value may be empty
        ("set 'price' = '1'", "ins(price)", False),
        ("set '//@x' = '1'", "upd(anything/@x)", True),
        ("set '/order/total' = '1'", "upd(/order/total/text())", True),
        ("set '/order/total' = '1'", "upd(/order/item/text())", False),
        ("delete '.'", "del(order/item)", True),
        ("delete '.'", "del(price/@currency)", True),  # below it
        ("delete '.'", "del(order)", True),  # an order in an item
        ("delete '.'", "del(/order)", False),
        ("delete '.'", "upd(order/text())", True),  # texts merge
        ("delete '.'", "ins(order/item)", False),
        ("delete 'price/text()'", "del(price/text())", True),
        ("delete 'price/text()'", "del(price)", False),
        ("insert '<note by=\"x\">y<b/></note>' last into '.'", "ins(item/note)", True),
        ("insert '<note by=\"x\">y<b/></note>' last into '.'", "ins(note/@by)", True),
        ("insert '<note by=\"x\">y<b/></note>' last into '.'", "ins(note/text())", True),
        ("insert '<note by=\"x\">y<b/></note>' last into '.'", "ins(item/note/b)", True),
        ("insert '<note by=\"x\">y<b/></note>' last into '.'", "ins(note/@on)", False),
        ("insert '<note by=\"x\">y<b/></note>' last into '.'", "ins(order/note)", False),
        ("insert '<note/>' after '.'", "ins(order/note)", True),
        ("insert '<note/>' after '.'", "ins(item/note)", False),
        ("insert 'text' last into '.'", "upd(item/text())", True),
        ("insert '<note/>' last into '.'", "x[0,2] ins(note/b)", True),  # M4
        ("insert '<note/>' last into '.'", "x[1,2] ins(note/b)", False),
        ("replace 'price' with '<cost/>'", "del(price)", True),
        ("replace 'price' with '<cost/>'", "ins(item/cost)", True),
        ("replace 'price' with '<cost/>'", "ins(price/cost)", False),
        ("move 'price' last into '/order/prices'", "ins(prices/price)", True),
        ("move 'price' last into '/order/prices'", "del(item/price/@currency)", True),
        ("move 'price' last into '/order/prices'", "ins(/order/item/price)", False),
        ("call 'unknown'", "upd(whatever/@x)", True),
        ("call 'none'", "upd(whatever/@x)", False),
        ("set '@x' = '1'", "Both(item)", True),
        ("set '@x' = '1'", "ins(item) ; not upd(item/@x) ; ins(item/b)", False),  # it only prevents
        ("set '@x' = '1'", "Inner(item)", True),
        ("set '@y' = '1'", "Inner(item)", False),
        ("set '@x' = '1'", "?(item)", True),
        ("raise Ping", "Ping(item)", True),
        ("raise Ping", "Pong(item)", False),
        ("raise Ping('..')", "Ping(item)", False),
        ("set '@z' = '1'", "periodic[ins(item), '1 h', del(item)]", True),  # time may pass
    ],
)  # fmt: skip
def test_what_an_action_can_trigger(action: str, event: str, may: bool) -> None:
    declared = (
        "event Inner(item) = ins(item/@x)\nevent Ping(item) = external\nevent Pong(item) = external\n"
        "event Both(item) = x[0,1] ins(item/z) ; upd(item/@x)"
    )
    assert triggers(action, event, declared) is may


@pytest.mark.parametrize(
    ("rules", "cycles"),
    [
        ("rule A on (upd(a/text())) do set '.' = '. + 1'", ["A → A !"]),
        ("rule A on (upd(a/text())) do set '../@x' = '1'", []),
        ("rule A on (ins(a)) do delete '.'", []),
        ("rule A on (del(a)) do delete 'a'", ["A → A: its rules only delete, and there is only so much to delete"]),
        (
            "rule A on (*(a/@x)) if '../@x != 1' do set '../@x' = '1'",
            ["A → A: A: its action set makes its condition '../@x != 1' false"],
        ),
        ("rule A on (*(a/@x)) if '../@x != $new' do set '../@x' = '$new'", ["A → A !"]),
        (
            "rule A on (*(a//)) if 'not(@x)' do set '@x' = '1'",
            ["A → A: A: its action set makes its condition 'not(@x)' false"],
        ),
        (
            "rule A on (ins(a/b) | ins(a/c)) if 'not(b)' do insert '<b/>' last into '.'",
            ["A → A: A: its action insert makes its condition 'not(b)' false"],
        ),
        ("rule A on (*(a//)) {path=a} if 'not(b)' do insert '<b><a/></b>' last into '.'", ["A → A !"]),
        ("rule A on (*(a/@x)) do set '../@y' = '1'\nrule B on (*(a/@y)) do set '../@x' = '. + 1'", ["A → B !"]),
        (
            "rule A on (*(a/@x)) if 'not(../@y)' do set '../@y' = '1'\nrule B on (*(a/@y)) do set '../@x' = '1'",
            ["A → B: A: its action set makes its condition 'not(../@y)' false"],
        ),
        (
            "rule A on (*(a/@x)) if 'not(../@y)' do set '../@y' = '1'\nrule B on (*(a/@y)) do set '../@x' = '1', "
            "delete '.'",
            ["A → B !", "B → B !"],
        ),
        ("event P(a) = external\nrule A on P do raise P", ["A → A !"]),
    ],
)  # fmt: skip
def test_cycles_and_reasons_to_end(rules: str, cycles: list[str]) -> None:
    graph = graph_of(rules)
    shown = [f"{cycle} !" if cycle.reason is None else f"{cycle}: {cycle.reason}" for cycle in graph.cycles]
    wanted = [each.replace("A → B", "A → B → A") for each in cycles]
    assert shown == wanted
    assert graph.terminates is (not cycles)


def test_order_that_matters() -> None:
    graph = graph_of(
        "rule A on (ins(a)) do set '@n' = '@n + 1'\nrule B on (ins(a)) do set '@n' = '@n * 2'\n"
        "rule C on (ins(a)) {priority=1} do set '@n' = '0'\nrule D on (ins(a)) if '@n' do set '@m' = '1'\n"
        "rule E on (ins(b)) do set '@n' = '0'\nrule F on (ins(a)) do set '@k' = '1'"
    )
    found = [(each.first, each.second, each.why) for each in graph.conflicts]
    assert found == [
        ("A", "B", "both write the same"), ("A", "D", "A writes what D reads"), ("B", "D", "B writes what D reads"),
    ]  # fmt: skip


def test_check_shows_the_graph_and_strict_refuses(tmp_path: Path) -> None:
    file = tmp_path / "rules.xcep"
    file.write_text(
        "event New = ins(item)\nrule A on New {priority=2} do set '@n' = '1'\n"
        "rule B on (upd(total/text())) {coupling=commit} do set '.' = '. + 1'\n"
    )
    shown = CliRunner().invoke(command, [str(file)], catch_exceptions=False).output
    assert "1 event tree, in the order in which they are processed; 2 action rules" in shown
    assert "rule A  on New, mode instance, priority 2\n  may trigger  no rule" in shown
    assert (
        "rule B  on an event of its own, mode instance, at the end of the transaction\n  may trigger  B"
        in shown
    )
    assert "cycle  B → B: no reason is known why it should end (L9)" in shown
    with pytest.raises(XmlCepError, match="B → B"):
        CliRunner().invoke(command, ["--strict", str(file)], catch_exceptions=False)
    file.write_text("event New = ins(item)\nrule A on New do call 'tell'\n")
    shown = CliRunner().invoke(
        command, ["--strict", "--not-editing", "tell", str(file)], catch_exceptions=False
    )
    assert "every cascade ends" in shown.output
