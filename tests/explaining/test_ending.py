"""Which findings are known to be the last of their event at their node (Y11)."""

from __future__ import annotations

from pathlib import Path

import pytest

import xmlcep
from xmlcep.events import CompositeEvent

NEW = "event New = ins(order/item)\n"


def life(doc: xmlcep.Document) -> None:
    """That of an item, with two prices, in one transaction and out of it."""
    item = doc.root.makeelement("item")
    with doc.transaction():
        doc.root.append(item)
        item.set("price", "1")
    item.set("price", "2")
    item.append(item.makeelement("note"))
    doc.root.remove(item)
    doc.root.set("done", "yes")


def findings(rules: str, log: Path | None = None) -> list[CompositeEvent]:
    """What is raised of event E in the life of an item."""
    doc = xmlcep.fromstring("<order><item price='9'/></order>", name="order", now=lambda: 1_767_225_600.5)
    if log is not None:
        xmlcep.record(doc, log)
    watch = doc.watch(xmlcep.parse_rules(rules))
    life(doc)
    watch.close()
    return [each for each in watch.findings if each.name == "E"]


@pytest.mark.parametrize(
    ("rules", "ended"),
    [
        ("event E = ins(order/item)", [True]),
        ("event E(order) = ins(order/item)", [False]),  # an order has several
        ("event E(item) = ins(item//)", [False] * 3),
        ("event E(item) = ins(item) ; *(item/@price)", [True]),
        ("event E(item) {context=cumulative} = ins(item) & *(item/@price)", [True]),
        ("event E(item) {context=recent} = ins(item) ; *(item/@price)", [False] * 3),  # the insertion is kept
        ("event E(item) = (ins(item) ; *(item/@price)) | *(item/note)", [False] * 3),
        ("event E(item) = ins(item) ; not ins(item/note) ; *(item/@price)", [True]),
        ('event E(item) {within="2 changes"} = ins(item) ; *(item/@price)', [True]),
        ("event E(item) = (ins(item) ; *(item/@price)){end=custom}", [True]),
        ("event E(item) {flat} = ins(item) ; *(item/@price)", [False]),
        ("event E(item) = *(item/@price) ; del(item)", [True]),
        ("event E(item) {context=recent} = *(item/@price) ; del(item)", [True]),  # the node is gone
        ("event E(item) {context=recent} = *(item/@price) ; del(item//)", [False, True]),
        (
            "event E(item) {context=recent} = (*(item/@price) ; del(item//)){end=custom}",
            [False],
        ),  # a release may come
        (f"{NEW}event E(item) = New(item) & *(item/@price)", [True]),
        (f"{NEW}event E(item) = x[2,2] *(item/@price) & New(item)", [True]),
        ("event E(item) = x[2,2] *(item/@price)", [False]),
    ],
)
def test_what_is_the_last(rules: str, ended: list[bool]) -> None:
    assert [each.ended for each in findings(rules)] == ended


def test_audits_say_the_same(tmp_path: Path) -> None:
    rules = "event E(item) {context=recent} = *(item/@price) ; del(item//)"
    live = findings(rules, tmp_path / "log.jsonl")
    result = xmlcep.audit(tmp_path / "log.jsonl", xmlcep.parse_rules(rules))
    assert list(result.records()) == [each.to_record() for each in live]
    assert [record.get("ended") for record in result.records()] == [None, True]
