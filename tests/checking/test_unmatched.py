"""Why nothing matches: operation, name, namespace, place."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from lxml import etree

import xmlcep
from path_types import PathType
from xmlcep.checking.occurred import Occurred
from xmlcep.checking.unmatched import misfits, unmatched
from xmlcep.cli.main import run
from xmlcep.events import PrimitiveType
from xmlcep.rules import parse_rules
from xmlcep.schema import combine, derive

HAPPENED = {
    ("ins", PathType.parse(path))
    for path in (
        "/order", "/order/vouchers", "/order/item", "/order/item/@id", "/order/item/price",
        "/order/item/price/text()", "/order/{urn:s}ship", "/order/{urn:s}ship/{urn:s}street", "/order/name",
    )
} | {("upd", PathType.parse("/order/item/price/text()"))}  # fmt: skip


@pytest.mark.parametrize(
    ("leaf", "reason"),
    [
        ("ins(order/voucher)", "did you mean order/vouchers?"),
        ("ins(itm/price)", "did you mean item/price?"),
        ("del(item)", "it was only inserted"),
        ("del(item/price/text())", "it was only inserted and updated"),
        ("upd(item/price)", "an element has no value that could be updated: write upd(item/price/text())"),
        ("upd(order)", "an element has no value that could be updated: write upd of its text or of an attribute"),
        ("ins(item/id)", "did you mean item/@id?"),
        ("ins(order/@name)", "did you mean order/name?"),
        ("ins(/item)", "the path is /order/item: leave out the / at the beginning for any place"),
        ("ins(order/price)", "price is at /order/item/price"),
        ("ins(ship)", "ship is in the namespace 'urn:s': add  namespace \"urn:s\""),
        ("ins(ship/street)", "ship is in the namespace 'urn:s': add  namespace \"urn:s\""),
        ("ins({urn:t}ship)", "ship is in the namespace 'urn:s', in the rule it is in 'urn:t'"),
        ("ins({urn:t}order)", "order is in no namespace, in the rule it is in 'urn:t'"),
        ("ins(zzz)", "there is no zzz in what happened"),
        ("ins(item/price/text)", "did you mean item/price/text()?"),
        ("ins(item/text())", "text() is at /order/item/price/text()"),
        ("*(name//*)", "nothing below it was changed"),
        ("del(order//*)", "it was only inserted and updated"),
        ('becomes["@id"](itm)', "did you mean item?"),
        ('becomes["@id"](/item)', "the path is /order/item: leave out the / at the beginning for any place"),
    ],
)  # fmt: skip
def test_reasons(leaf: str, reason: str) -> None:
    (found,) = unmatched(parse_rules(f"event A = {leaf}"), HAPPENED)
    assert (found.event, found.leaf, found.reason) == ("A", leaf, reason)


def test_where_an_expression_is_asked_anything_counts() -> None:
    assert list(unmatched(parse_rules('event A = becomes["false()"](order)'), HAPPENED)) == []


def test_a_prefix_that_the_rules_have() -> None:
    (found,) = unmatched(parse_rules('namespace s = "urn:s" event A = ins(ship)'), HAPPENED)
    assert found.reason == "ship is in the namespace 'urn:s': write s:ship"


def test_of_several_namespaces_the_most_frequent_is_named() -> None:
    paths = {name: PathType.parse(f"/order/{{urn:{name}}}ship") for name in "amz"}
    counts = {"a": 2, "m": 9, "z": 3}
    occurred = Occurred({("ins", path): counts[name] for name, path in paths.items()})
    found = occurred.in_other_namespaces(PrimitiveType("ins", PathType.parse("ship")))
    assert found == (("ins", paths["m"]), PathType.parse("{urn:m}ship"))


def test_text_is_no_name_that_can_be_meant() -> None:
    happened = {("ins", PathType.parse("/order")), ("ins", PathType.parse("/order/text()"))}
    (found,) = unmatched(parse_rules("event A = ins(text/order)"), happened)
    assert found.reason == "there is no text in what happened"


def test_only_the_events_asked_for() -> None:
    rules = parse_rules("event A = ins(x1) event B = ins(x2)")
    assert [each.event for each in unmatched(rules, HAPPENED, {"B"})] == ["B"]


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ("ins(order/voucher)", True),
        ("upd(item/price)", True),
        ("ins(ship)", True),
        ("ins(/item)", True),
        ("del(item)", False),  # it may happen
        ("ins(zzz)", False),
        ("ins(order/price)", False),
        ("*(name//*)", False),
    ],
)
def test_where_a_leaf_is_matched_others_are_named_for_a_reason_in_the_rule(other: str, said: bool) -> None:
    rules = parse_rules(f"event Z = ins(order) event A = {other}")
    assert [each.leaf for each in misfits(rules, HAPPENED, ())] == [other] * said
    alone = parse_rules(f"event A = {other}")
    assert [each.leaf for each in misfits(alone, HAPPENED, ())] == [other]


def test_where_there_is_nothing_to_say() -> None:
    rules = parse_rules("event A = ins(order) | ins(order/voucher)")
    assert list(misfits(rules, set(), ())) == []
    assert list(misfits(rules, HAPPENED, {"A"})) == []
    assert [each.event for each in misfits(rules, HAPPENED, {"B"})] == ["A"]


def test_names_without_end() -> None:
    happened = {("ins", PathType.parse(f"/a/n{number}")) for number in range(6_000)}
    (found,) = unmatched(parse_rules("event A = ins(b)"), happened)
    assert found.reason == "there is no b in what happened"


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ("event A = ins(itm)", ["ins(itm): did you mean item?"]),
        ("event A = ins(item) ; ins(item/x)", []),
        ("event A = ins(order/item) ; ins(order/itm)", ["ins(order/itm): did you mean order/item?"]),
        ("event A = ins(order/item) ; del(order/itm)", ["del(order/itm): did you mean order/item?"]),
        ("event A = ins(order/item) | ins(order/itm)", []),
        ("event A = (ins(order/item) | ins(order/itm)) {end=custom}", []),  # closing flushes
        ("event A = ins(order/itm) & ins(order/itn)",
         ["ins(order/itm): did you mean order/item?", "ins(order/itn): there is no itn in what happened"]),
    ],
)  # fmt: skip
def test_what_a_watch_says_at_its_end(rules: str, said: list[str], caplog: pytest.LogCaptureFixture) -> None:
    document = xmlcep.fromstring("<order/>")
    with caplog.at_level(logging.WARNING, "xmlcep"), document.watch(parse_rules(rules)):
        etree.SubElement(document.root, "item")
    messages = [record.message for record in caplog.records]
    told = "\n".join(f"A: nothing matches {each}" for each in said)
    assert messages == ([f"a watch ended: {told}"] if said else [])  # once for each watch


def test_an_audit_says_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = xmlcep.fromstring('<order xmlns="urn:o"/>')
    with xmlcep.record(document, tmp_path / "log.jsonl"):
        etree.SubElement(document.root, "{urn:o}item")
    (tmp_path / "a.xcep").write_text("event A = ins(item)\n" + "event B = ins({urn:o}item)\n")
    command = ["audit", str(tmp_path / "log.jsonl"), "--rules", str(tmp_path / "a.xcep")]
    assert run(command) == 0
    said = capsys.readouterr().err
    assert "A: nothing matches ins(item): item is in the namespace 'urn:o': add  namespace \"urn:o\"" in said
    assert "B:" not in said
    assert run([*command, "--quiet"]) == 0
    assert capsys.readouterr().err == ""


def test_of_derived_events_nothing_is_misspelt(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Parts of a schema that a document does not have are no mistakes, whatever else is called like them."""
    schema = tmp_path / "r.xsd"
    parts = "".join(f'<xs:element name="{name}" type="xs:int" minOccurs="0"/>' for name in ("uu", "u"))
    schema.write_text(
        '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="r"><xs:complexType><xs:sequence>'
        f"{parts}</xs:sequence></xs:complexType></xs:element></xs:schema>"
    )
    rules = combine(derive(schema), "event Mine = ins(r/uu)", keep="all")

    def said(document: str, inside: str) -> list[str]:
        caplog.clear()
        root = xmlcep.fromstring(document)
        with root.watch(rules):
            etree.SubElement(root.root, inside).text = "1"
        return [
            line
            for record in caplog.records
            for line in record.message.removeprefix("a watch ended: ").splitlines()
        ]

    with caplog.at_level(logging.WARNING, "xmlcep"):
        assert said("<r/>", "u") == ["Mine: nothing matches ins(r/uu): did you mean r/u?"]
        told = said("<r xmlns='urn:r'/>", "{urn:r}u")
        assert (
            "CompleteU: nothing matches ins(u): u is in the namespace 'urn:r': add  namespace \"urn:r\""
            in told
        )
