"""What leaves leave out: changes that lie in no group (H1)."""

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
        # names that are repeated on a path are aligned (P10)
        ("event A = ins(list)", []),
        ("event A = ins(item) ; *(item/text())", []),
        ("event A = *(list//*)", []),
        ("event A(list) = ins(list) & ins(item)", []),
        # what is in none of the nodes
        ("event A(item) = ins(list) & ins(item)", [
            "A leaves out 2 changes of ins(list): no item is at or above /doc/list",
        ]),
        ("event A(item) = ins(doc) | *(list//)", [
            "A leaves out 3 changes of ins(doc), *(list//): no item is at or above /doc, /doc/list",
        ]),
        ("event A(item) = *(list//*)", []),
        ("event A(/list) = ins(list)", [
            f"A leaves out 6 changes of ins(list): no /list is at or above /doc/list, {INNER}",
        ]),
        ("event A(item/list) = *(item/list/item) & ins(item)", [
            "A leaves out 3 changes of ins(item): no item/list is at or above /doc/list/item",
        ]),
        ("event A(item) {flat} = ins(list)", []),
        ("event A = ins(item) & x[1,*]{path=item} ins(list)", [
            "A leaves out 2 changes of ins(list): no item is at or above /doc/list",
        ]),
        # of several operators, and events
        ("event A(item) = ins(doc) & x[1,*]{path=item/list} ins(list)", [
            "A leaves out 3 changes of ins(list), ins(doc): no item/list or item is at or above /doc, /doc/list",
        ]),
        ("event B(item) = ins(doc) event A(item) = ins(list)", [
            "B leaves out 1 change of ins(doc): no item is at or above /doc",
            "A leaves out 2 changes of ins(list): no item is at or above /doc/list",
        ]),
        # another event that takes the change is no answer to this one; another leaf of the same event is
        ("event A(item) = ins(list) event B = ins(list)", [
            "A leaves out 2 changes of ins(list): no item is at or above /doc/list",
        ]),
        ("event A(item) = x[1,*]{path=list} ins(list) ; ins(list)", []),
    ],
)  # fmt: skip
def test_places(rules: str, said: list[str]) -> None:
    found = list(map(str, LeftOut(parse_rules(rules)).by_event(HAPPENED)))
    assert found == [f"{each} (H1)" for each in said]


def test_all_types_are_counted_however_many() -> None:
    """The paths of deep documents come last in any order."""
    wide = {("ins", PathType.parse(f"/a/a{n}/a{n}")): 1 for n in range(1_500)}
    deep = {("ins", PathType.parse("/a" + "/b" * depth)): 1 for depth in range(1, 57)}
    (found,) = LeftOut(parse_rules("event A(c) = ins(b)")).by_event(wide | deep)
    assert (
        str(found) == "A leaves out 56 changes of ins(b): no c is at or above /a/b, /a/b/b and 54 more (H1)"
    )


def test_a_watch_and_an_audit_say_it(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    rules = parse_rules("event A(item) = ins(list) event B = ins(list)")
    document = xmlcep.fromstring("<doc/>", name="d")
    with (
        caplog.at_level(logging.WARNING, "xmlcep"),
        xmlcep.record(document, tmp_path / "log.jsonl"),
        document.watch(rules) as watch,
    ):
        outer = etree.SubElement(document.root, "list")
        for _ in range(3):
            etree.SubElement(outer, "list")
    assert len(watch.findings) == 4
    said = "A leaves out 4 changes of ins(list): no item is at or above /doc/list, /doc/list/list (H1)"
    assert [record.message for record in caplog.records] == [f"a watch ended: {said}"]
    assert said in audit(tmp_path / "log.jsonl", rules, engine="local").notes


def test_an_audit_counts_them_whatever_the_order(tmp_path: Path) -> None:
    """Records in blocks, one by one, and of a document that is read again are counted once each."""
    rules = parse_rules("event A(item) = ins(list)")
    document = xmlcep.fromstring("<doc/>", name="d")
    with xmlcep.record(document, tmp_path / "log.jsonl"):
        outer = etree.SubElement(document.root, "list")
        for _ in range(5):
            etree.SubElement(outer, "list")
    header, *records = (tmp_path / "log.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "log.jsonl").write_text("".join([header, *records[3:], *records[:3]]))
    (note,) = audit(tmp_path / "log.jsonl", rules, engine="local").notes
    assert "A leaves out 6 changes" in note
