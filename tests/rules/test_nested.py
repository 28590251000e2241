"""What leaves leave out where names stand inside themselves (P3)."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from lxml import etree

import xmlcep
from path_types import PathType
from xmlcep.auditing import audit
from xmlcep.rules import parse_rules
from xmlcep.rules.nested import nested

HAPPENED = {
    ("ins", PathType.parse(path))
    for path in ("/doc", "/doc/list", "/doc/list/item", "/doc/list/item/list", "/doc/list/item/list/item")
} | {("upd", PathType.parse("/doc/list/item/list/item/text()"))}
INNER = "/doc/list/item/list"


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ("event A = ins(list)", [f"A: ins(list) leaves out {INNER}"]),
        ("event A(list) = ins(list) & ins(list/@id)", [f"A: ins(list) leaves out {INNER}"]),
        ("event A = *(item/text())", []),
        ("event A = ins(item) ; *(item/text())", [
            f"A: ins(item) leaves out {INNER}/item", f"A: *(item/text()) leaves out {INNER}/item/text()",
        ]),
        ("event A {flat} = ins(list)", []),
        ("event A(/doc) = x[1,*]{path=/doc} ins(list)", []),
        ("event A(item) = ins(item/list)", []),
        ("event A = ins(list) event B = ins(item/list)", []),
        ("event A = ins(doc)", []),
        ("event A = del(list)", []),
        ("event A = *(list//*)", [f"A: *(list//*) leaves out {INNER}, {INNER}/item and 1 more"]),
        ("event A = *(list//)", [f"A: *(list//) leaves out {INNER}, {INNER}/item and 1 more"]),
        ("event A = *(doc//*)", []),
        ("event A {flat} = *(item//)", [f"A: *(item//) leaves out {INNER}/item, {INNER}/item/text()"]),
        ("event A = *(/doc/list//*)", []),
        ("event B = ins(item) event A = ins(list)", [
            f"B: ins(item) leaves out {INNER}/item", f"A: ins(list) leaves out {INNER}",
        ]),
    ],
)  # fmt: skip
def test_places(rules: str, said: list[str]) -> None:
    found = list(map(str, nested(parse_rules(rules), HAPPENED)))
    assert found == [f"{each}: names stand inside themselves there (P3)" for each in said]


def test_of_many_places_some_are_named() -> None:
    happened = {("ins", PathType.parse("/a" + "/b" * depth)) for depth in range(1, 8)}
    (found,) = nested(parse_rules("event A = ins(b)"), happened)
    assert "leaves out /a/b/b, /a/b/b/b and 4 more" in str(found)


def test_a_watch_and_an_audit_say_it(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    rules = parse_rules("event A = ins(list)")
    document = xmlcep.fromstring("<doc/>", name="d")
    with (
        caplog.at_level(logging.WARNING, "xmlcep"),
        xmlcep.record(document, tmp_path / "log.jsonl"),
        document.watch(rules) as watch,
    ):
        etree.SubElement(etree.SubElement(document.root, "list"), "list")
    assert len(watch.findings) == 1
    said = "A: ins(list) leaves out /doc/list/list: names stand inside themselves there (P3)"
    assert [record.message for record in caplog.records] == [f"a watch ended: {said}"]
    assert said in audit(tmp_path / "log.jsonl", rules, engine="local").notes
