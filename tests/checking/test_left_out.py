"""What leaves leave out where names stand inside themselves (P3)."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from lxml import etree

import xmlcep
from path_types import PathType
from xmlcep.auditing import audit
from xmlcep.checking.left_out import LeftOut
from xmlcep.rules import parse_rules

HAPPENED = {
    ("ins", PathType.parse(path)): count
    for path, count in (
        ("/doc", 1), ("/doc/list", 2),
        ("/doc/list/item", 3), ("/doc/list/item/list", 4), ("/doc/list/item/list/item", 5)
    )
} | {("upd", PathType.parse("/doc/list/item/list/item/text()")): 6}  # fmt: skip
INNER = "/doc/list/item/list"


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ("event A = ins(list)", [f"A leaves out 4 changes of ins(list): {INNER}"]),
        ("event A(list) = ins(list) & ins(list/@id)", [f"A leaves out 4 changes of ins(list): {INNER}"]),
        ("event A = *(item/text())", []),
        ("event A = ins(item) ; *(item/text())", [
            f"A leaves out 11 changes of ins(item), *(item/text()): {INNER}/item, {INNER}/item/text()",
        ]),
        ("event A {flat} = ins(list)", []),
        ("event A(/doc) = x[1,*]{path=/doc} ins(list)", []),
        ("event A(item) = ins(item/list)", []),
        ("event A = ins(doc)", []),
        ("event A = del(list)", []),
        ("event A = *(list//*)", [f"A leaves out 15 changes of *(list//*): {INNER}, {INNER}/item and 1 more"]),
        ("event A = *(list//)", [f"A leaves out 15 changes of *(list//): {INNER}, {INNER}/item and 1 more"]),
        ("event A = *(doc//*)", []),
        ("event A {flat} = *(item//)", [f"A leaves out 11 changes of *(item//): {INNER}/item, {INNER}/item/text()"]),
        ("event A = *(/doc/list//*)", []),
        ("event B = ins(item) event A = ins(list)", [
            f"B leaves out 5 changes of ins(item): {INNER}/item", f"A leaves out 4 changes of ins(list): {INNER}",
        ]),
        # another event that takes the change, or takes everything, is no answer to this one
        ("event A = ins(list) event B = ins(item/list)", [f"A leaves out 4 changes of ins(list): {INNER}"]),
        ("event A = ins(list) event B {flat} = ins(list)", [f"A leaves out 4 changes of ins(list): {INNER}"]),
        # another leaf of the same event that takes it is
        ("event A(item) = ins(list) | ins(item/list)", []),
    ],
)  # fmt: skip
def test_places(rules: str, said: list[str]) -> None:
    found = list(map(str, LeftOut(parse_rules(rules)).by_event(HAPPENED)))
    expected = [each.replace(": ", ": a name is repeated on the path ") + " (P3)" for each in said]
    assert found == expected


def test_all_types_are_counted_however_many() -> None:
    """The paths of deep documents come last in any order, and are the ones that are left out."""
    wide = {("ins", PathType.parse(f"/a/a{n}/a{n}")): 1 for n in range(1_500)}
    deep = {("ins", PathType.parse("/a" + "/b" * depth)): 1 for depth in range(1, 57)}
    (found,) = LeftOut(parse_rules("event A = ins(b)")).by_event(wide | deep)
    assert str(found) == (
        "A leaves out 55 changes of ins(b): a name is repeated on the path /a/b/b, /a/b/b/b and 53 more (P3)"
    )


def test_a_watch_and_an_audit_say_it(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    rules = parse_rules("event A = ins(list) event B {flat} = ins(list)")
    document = xmlcep.fromstring("<doc/>", name="d")
    with (
        caplog.at_level(logging.WARNING, "xmlcep"),
        xmlcep.record(document, tmp_path / "log.jsonl"),
        document.watch(rules) as watch,
    ):
        outer = etree.SubElement(document.root, "list")
        for _ in range(3):
            etree.SubElement(outer, "list")
    assert len(watch.findings) == 5
    said = "A leaves out 3 changes of ins(list): a name is repeated on the path /doc/list/list (P3)"
    assert [record.message for record in caplog.records] == [f"a watch ended: {said}"]
    assert said in audit(tmp_path / "log.jsonl", rules, engine="local").notes


def test_an_audit_counts_them_whatever_the_order(tmp_path: Path) -> None:
    """Records in blocks, one by one, and of a document that is read again are counted once each."""
    rules = parse_rules("event A = ins(list)")
    document = xmlcep.fromstring("<doc/>", name="d")
    with xmlcep.record(document, tmp_path / "log.jsonl"):
        outer = etree.SubElement(document.root, "list")
        for _ in range(5):
            etree.SubElement(outer, "list")
    header, *records = (tmp_path / "log.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "log.jsonl").write_text("".join([header, *records[3:], *records[:3]]))
    (note,) = audit(tmp_path / "log.jsonl", rules, engine="local").notes
    assert "A leaves out 5 changes" in note
