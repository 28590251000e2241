"""Documents that are watched together (V11)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

import xmlcep
from xmlcep.rules import parse_rules
from xmlcep.wrapping import Document, WrapError

RULES = parse_rules(
    """
    event Ordered(item) = ins(item) as $p = (@part)
    event Shipped {across, within="3 s"} = ins(order/item/@part) as $p ; ins(stock/out/@part) as $p
    event Late {across, within="3 s"} = Ordered(item) as $p = ($p) ; not ins(stock/out/@part) as $p
    event Slow {across} = Ordered(item) as $p = ($p) ; Timer(stock) as $p = ($p)
    event Timer(stock) = plus[ins(stock/out/@part) as $p, "2 s"]{path=stock}
    """
)


class World:
    """Two documents with one clock, recorded and watched."""

    def __init__(self, folder: Path) -> None:
        self.now = 1_767_225_600.0
        self.order, self.stock = (
            xmlcep.fromstring(f"<{name}/>", name=name, now=lambda: self.now) for name in ("order", "stock")
        )
        self.folder = folder
        self.recordings = [
            xmlcep.record(document, folder / f"{document.name}.jsonl")
            for document in (self.order, self.stock)
        ]
        self.raised: list[xmlcep.CompositeEvent] = []
        self.watch = xmlcep.Group([self.order, self.stock]).watch(RULES, on_event=self.raised.append)

    def add(self, document: Document, name: str, part: str, after: float = 0) -> None:
        self.now += after
        document.root.append(etree.Element(name, part=part))

    def end(self) -> list[tuple[str, Any]]:
        """What was raised, by name, checked against an audit of what was recorded."""
        self.watch.close()
        for recording in self.recordings:
            recording.close()
        audited = list(xmlcep.audit(self.folder, RULES).records())
        assert as_set(audited) == as_set([event.to_record() for event in self.raised])
        return [(event.name, (event.bindings or {})["p"]) for event in self.raised if event.path is None]


def as_set(records: list[dict[str, Any]]) -> list[str]:
    return sorted(json.dumps(record, sort_keys=True) for record in records)


def test_a_value_joins_changes_of_several_documents(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.add(world.order, "item", "7")
    world.add(world.order, "item", "8", after=1)
    world.add(world.stock, "out", "7", after=1)
    assert [event.name for event in world.raised] == ["Ordered", "Ordered", "Shipped"]
    (finding,) = (event for event in world.watch.findings if event.name == "Shipped")
    assert (finding.cause.doc, finding.ts, finding.path) == ("stock", 2, None)
    assert [(each["doc"], each["ts"]) for each in finding.to_record()["constituents"]] == [
        ("order", 2),
        ("stock", 2),
    ]
    assert world.watch.next_due() == "2026-01-01T00:00:04Z"
    assert world.end() == [("Shipped", "7")]


def test_an_absence_is_due_by_the_time_of_any_document(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.add(world.order, "item", "7")
    world.add(world.stock, "out", "8", after=3)
    assert "Late" not in [event.name for event in world.raised]  # it could still be at this time
    world.add(world.stock, "out", "9", after=1)
    (late,) = (event for event in world.raised if event.name == "Late")
    assert (late.cause.doc, late.ts, late.cause.at) == ("order", 1, "2026-01-01T00:00:03Z")
    assert world.end() == [("Late", "7")]


def test_what_a_timer_of_a_document_raises_counts_when_it_is_raised(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.add(world.order, "item", "7")
    world.add(world.stock, "out", "7")
    world.add(world.order, "item", "9", after=4)
    world.add(world.stock, "out", "9", after=4)
    assert world.end() == [("Shipped", "7"), ("Late", "9"), ("Slow", "7")]


def test_time_that_passes(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.add(world.order, "item", "7")
    world.watch.advance("2026-01-01T00:00:03Z")
    assert world.end() == [("Late", "7")]


def test_transactions_and_closed_documents(tmp_path: Path) -> None:
    world = World(tmp_path)
    with world.order.transaction():
        world.add(world.order, "item", "7")
        world.add(world.order, "item", "8", after=1)
    world.add(world.stock, "out", "8")
    assert world.end() == [("Shipped", "8")]
    assert world.watch.closed and world.watch.close() == [] and world.watch.next_due() is None
    world.order.close()
    with pytest.raises(xmlcep.XmlCepError, match="closed"):
        xmlcep.Group([world.order]).watch(RULES)


def test_rules_are_replaced(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.add(world.order, "item", "7")
    shipped = next(line for line in str(RULES.text).splitlines() if "Shipped" in line)
    twice = "event Twice {across} = ins(order/item/@part) as $p ; ins(stock/out/@part) as $p"
    replacement = world.watch.replace(parse_rules(f"{shipped}\n{twice}"), on_removed="drop")
    assert (replacement.kept, replacement.new) == (("Shipped",), ("Twice",))
    assert set(replacement.removed) == {"Ordered", "Late", "Slow", "Timer"} and replacement.lost["Late"] == 1
    world.add(world.stock, "out", "7", after=1)
    assert [event.name for event in world.watch.findings] == ["Ordered", "Shipped"]
    world.add(world.order, "item", "8")
    world.add(world.stock, "out", "8", after=1)
    assert [event.name for event in world.watch.findings][2:] == ["Shipped", "Twice"]
    assert world.watch.replace(parse_rules("event A = ins(item)")).removed == ("Shipped", "Twice")
    world.watch.close()
    with pytest.raises(WrapError, match="closed watch"):
        world.watch.replace(RULES)


def test_what_is_no_group() -> None:
    document = xmlcep.fromstring("<a/>", name="a")
    with pytest.raises(WrapError, match="two documents called 'a'"):
        xmlcep.Group([document, xmlcep.fromstring("<b/>", name="a")])
    with pytest.raises(WrapError, match="expected documents"):
        xmlcep.Group(["a.xml"])  # type: ignore[list-item]
    with pytest.raises(WrapError, match=r"Shipped is about several documents .* xmlcep.Group"):
        document.watch(RULES)
    with pytest.raises(WrapError, match="on_event"):
        xmlcep.Group([document]).watch(RULES, on_event=1)  # type: ignore[arg-type]
