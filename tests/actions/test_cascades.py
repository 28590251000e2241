"""In which order rules fire, who is told of it, and when it is too much (rules L4, L5, L8)."""

from __future__ import annotations

from typing import Any

import pytest
from lxml import etree

import xmlcep
from tests.actions.documents_with_rules import acting, item
from xmlcep.actions.errors import CascadeError

# ---- order (L5) ---------------------------------------------------------------------------------------------


def test_a_firing_is_whole_and_what_it_triggers_comes_before_what_waits() -> None:
    text = (
        "rule A on (ins(item)) {priority=2} do set '@a' = '1', set '@b' = '1'\n"
        "rule OnA on (ins(item/@a)) {priority=-5} do set '../@seen' = 'string(../@b)'\n"
        "rule Waits on (ins(item)) {priority=1} do set '@waits' = 'string(@seen)'"
    )
    with acting("<order/>", text) as scene:
        assert dict(item(scene).attrib) == {"a": "1", "b": "1", "seen": "1", "waits": "1"}
        assert scene.fired == ["A", "OnA", "Waits"]


def test_ties_go_by_order_of_definition_then_of_composites() -> None:
    text = "".join(
        f"rule R{n} on (ins(item/@id) as $i) do insert '<r n=\"{n}\" i=\"{{$i}}\"/>' last into '/order'\n"
        for n in range(3)
    )
    with acting("<order/>", text) as scene:
        scene.root.extend([etree.Element("item", id="x"), etree.Element("item", id="y")])
        assert [(r.get("n"), r.get("i")) for r in scene.root.iter("r")] == [
            ("0", "x"), ("0", "y"), ("1", "x"), ("1", "y"), ("2", "x"), ("2", "y")
        ]  # fmt: skip


def test_two_rule_sets_are_one_schedule() -> None:
    with acting(
        "<order/>",
        "rule A on (ins(item)) do set '@x' = 'concat(@x, 1)'\n"
        "rule B on (ins(item)) {priority=2} do set '@x' = 'concat(@x, 2)'",
        "rule A on (ins(item)) do set '@x' = 'concat(@x, 3)'\n"
        "rule C on (ins(item)) {priority=3} do set '@x' = 'concat(@x, 4)'",
    ) as scene:
        assert item(scene).get("x") == "4213"
        scene.sets[0].close()
        assert item(scene).get("x") == "43"


def test_200_rules_on_one_event() -> None:
    text = "".join(
        f"rule R{n} on (ins(item)) do set '@n' = 'number(concat(0, @n)) + 1'\n" for n in range(200)
    )
    with acting("<order/>", text) as scene:
        assert item(scene).get("n") == "200"
        assert scene.fired == [f"R{n}" for n in range(200)]


# ---- watches and subscribers (L4) ---------------------------------------------------------------------------


def test_an_edit_and_its_cascade_are_told_together() -> None:
    rules = xmlcep.parse_rules("rule R on (ins(item)) do set '@a' = '1'")
    events = xmlcep.parse_rules("event Item = ins(item)\nevent A = ins(item/@a)")
    doc = xmlcep.fromstring("<order/>")
    seen: list[str] = []
    watch = doc.watch(events, on_event=lambda e: seen.append(f"{e.name} {doc.root[0].get('a')}"))
    doc.subscribe(lambda e: seen.append(f"{e.op} {doc.root[0].get('a')}"))
    with watch, doc.rules(rules):
        etree.SubElement(doc.root, "item")
    assert seen == ["Item 1", "ins 1", "A 1", "ins 1"]


def test_edits_of_subscribers_trigger_rules_too() -> None:
    doc = xmlcep.fromstring("<order/>")

    def react(event: xmlcep.PrimitiveEvent) -> None:
        if str(event.path) == "/order/item":
            doc.root[0].set("sub", "1")

    doc.subscribe(react)
    with doc.rules(xmlcep.parse_rules("rule R on (ins(item/@sub)) do set '../@rule' = '1'")):
        etree.SubElement(doc.root, "item")
    assert dict(doc.root[0].attrib) == {"sub": "1", "rule": "1"}


def test_a_rule_that_ends_what_is_told_of_it_disturbs_nobody() -> None:
    """It deletes the node it was raised for, or moves it; a function that it calls closes the watch and the rules."""
    rules = xmlcep.parse_rules("rule R on (ins(item)) do call 'close', delete '.'")
    doc = xmlcep.fromstring("<order/>")
    watch = doc.watch(xmlcep.parse_rules("event Item = ins(item)"))
    acting_rules: list[Any] = []

    def close(_: object) -> None:
        watch.close()
        acting_rules[0].close()

    acting_rules.append(doc.rules(rules, actions={"close": close}))
    etree.SubElement(doc.root, "item")
    assert (len(doc.root), len(watch.findings)) == (0, 1)
    etree.SubElement(doc.root, "item")
    assert (len(doc.root), len(watch.findings)) == (1, 1)
    doc._check()


# ---- without end (L8) ---------------------------------------------------------------------------------------


ENDLESS = (
    "rule Ping on (*(order/@a)) do set '../@b' = '. + 1'\nrule Pong on (*(order/@b)) do set '../@a' = '. + 1'"
)


def test_an_endless_cascade_is_undone_and_names_its_cycle() -> None:
    with acting("<order/>", ENDLESS) as scene:
        scene.root.set("a", "1")
        assert scene.xml == '<order a="1"/>'
        [error] = scene.errors
        assert isinstance(error, CascadeError)
        assert error.rules == ("Ping", "Pong")
        assert len(error.steps) == 2 and error.kept
        assert "deeper than 64" in str(error)
        assert scene.fired == []
        assert [event.ts for event in scene.told] == [1]
        scene.errors.clear()
        scene.root.set("c", "1")
        assert scene.told[-1].ts == 2


def test_strict_undoes_the_edit_too() -> None:
    with acting("<order/>", ENDLESS, strict=True) as scene:
        with pytest.raises(CascadeError, match="and so is the edit that began it"):
            scene.root.set("a", "1")
        assert (scene.xml, scene.told, scene.doc.clock) == ("<order/>", [], 0)
        with pytest.raises(CascadeError), scene.doc.transaction():
            scene.root.set("c", "1")
            scene.root.set("a", "1")
        assert (scene.xml, scene.told) == ("<order/>", [])
        with scene.doc.transaction():
            scene.root.set("c", "1")
            with pytest.raises(CascadeError):
                scene.root.set("a", "1")
            scene.root.set("d", "1")
        assert (scene.xml, [event.ts for event in scene.told]) == ('<order c="1" d="1"/>', [1, 2])
        scene.root.set("e", "1")
        assert scene.told[-1].ts == 3


def test_strict_takes_back_an_edit_that_follows_one_of_several_events() -> None:
    """What was told before is no measure of what is to be taken back."""
    with acting("<order/>", ENDLESS, strict=True) as scene:
        scene.root.append(etree.fromstring("<item k='1'>x<b/>y</item>"))
        assert len(scene.told) == 5
        with pytest.raises(CascadeError):
            scene.root.attrib.update({"c": "1", "a": "1"})
        assert (len(scene.told), scene.doc.clock) == (5, 5)
        scene.root.set("d", "1")
        assert [(event.ts, str(event.path)) for event in scene.told[5:]] == [(6, "/order/@d")]


def test_strict_takes_back_what_a_rule_set_opened_later_has_seen() -> None:
    both = "event Both = ins(order/@c) & ins(order/@d)\nrule R on Both(order) do set '@both' = '1'"
    with acting("<order/>", ENDLESS, both, strict=True) as scene:
        with pytest.raises(CascadeError):
            scene.root.attrib.update({"c": "1", "a": "1"})
        scene.root.set("d", "1")
        assert scene.xml == '<order d="1"/>'


def test_an_immediate_transaction_is_undone_as_a_whole_where_rules_are_strict() -> None:
    with acting("<order><a/></order>", ENDLESS, strict=True) as scene:
        with pytest.raises(ZeroDivisionError), scene.doc.transaction(immediate=True):
            scene.root.remove(scene.root[0])
            item(scene)
            with pytest.raises(CascadeError):
                scene.root.set("a", "1")
            scene.root.set("c", "1")
            raise ZeroDivisionError
        assert scene.xml == "<order><a/></order>"


def test_limits_can_be_set() -> None:
    text = "rule Count on (*(order/@n)) if '. < 200' do set '.' = '. + 1'"
    with acting("<order/>", text, limit=300) as scene:
        scene.root.set("n", "0")
        assert scene.root.get("n") == "200"
        assert scene.fired == ["Count"] * 200
    with acting("<order/>", text, limit=300, firings=100) as scene:
        scene.root.set("n", "0")
        assert scene.root.get("n") == "0"
        assert "longer than 100 firings" in str(scene.errors.pop())


def test_an_endless_cascade_in_a_transaction_and_at_its_end() -> None:
    for coupling in ("immediate", "commit"):
        text = f"rule Count on (*(order/@n)) {{coupling={coupling}}} do set '.' = '. + 1'"
        with acting("<order/>", text) as scene:
            with scene.doc.transaction():
                scene.root.set("m", "1")
                scene.root.set("n", "0")
            assert scene.xml == '<order m="1" n="0"/>'
            assert [type(error) for error in scene.errors] == [CascadeError]
            scene.errors.clear()
