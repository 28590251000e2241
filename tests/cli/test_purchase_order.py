"""The purchase order sample by itself: document, edits and schema fit together without xmlcep."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from lxml import etree

import xmlcep
from xmlcep.cli import main
from xmlcep.cli._story import find_sample

SAMPLE = find_sample()
STEPS = SAMPLE.edits.STEPS


@pytest.mark.parametrize(
    ("steps", "valid"), [(0, False), (1, False), (2, True), (3, True), (4, False), (5, True), (6, True)]
)
def test_the_order_is_valid_from_the_addresses_on_but_for_the_slips(steps: int, valid: bool) -> None:
    order = etree.fromstring(SAMPLE.document.read_bytes())
    for step in STEPS[:steps]:
        step.edit(order)
    schema = etree.XMLSchema(etree.fromstring(SAMPLE.schema.read_bytes()))
    assert schema.validate(order) is valid


def test_the_story_can_be_recorded_without_the_demo(tmp_path: Path) -> None:
    """As the module's docstring says: a log for trying out commands on."""
    log = tmp_path / "orders.jsonl"
    SAMPLE.edits.main(str(log))
    assert main.run(["audit", str(log), "--rules", str(SAMPLE.rules), "--fail-on-findings", "--quiet"]) == 1


class Clock:
    """Says what time it is: as many minutes after the beginning of 2026 as the test says."""

    minutes = 0.0

    def __call__(self) -> float:
        return datetime(2026, 1, 1, tzinfo=UTC).timestamp() + 60 * self.minutes


class Controlled:
    """An empty order that is watched by the rules for its control."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.order = xmlcep.fromstring("<purchaseOrder/>", now=self.clock)
        self.found: list[xmlcep.CompositeEvent] = []
        self.watch = self.order.watch(xmlcep.load_rules(SAMPLE.control), on_event=self.found.append)

    def enter(self, part: str, price: str | None = None, user: str = "ann") -> etree._Element:
        with self.order.transaction(user=user):
            item = self.order.root.makeelement("item", partNum=part)
            self.order.root.append(item)
            if price is not None:
                etree.SubElement(item, "price").text = price
        return item

    def reprice(self, item: etree._Element, price: str, user: str = "ann") -> None:
        with self.order.transaction(user=user):
            item.find("price").text = price

    def names(self) -> list[str]:
        names = [event.name for event in self.found]
        self.found.clear()
        return names


@pytest.fixture
def controlled() -> Iterator[Controlled]:
    controlled = Controlled()
    yield controlled
    controlled.watch.close()


def test_the_control_finds_in_the_story_what_can_be_read_there(tmp_path: Path) -> None:
    log = tmp_path / "orders.jsonl"
    SAMPLE.edits.main(str(log))
    result = xmlcep.audit(
        log, xmlcep.load_rules(SAMPLE.control), engine="local", out=tmp_path / "findings.jsonl"
    )
    found = [json.loads(line) for line in result.out.read_bytes().splitlines()]
    assert [(finding["name"], finding["ids"][-1], finding.get("bindings")) for finding in found] == [
        ("Cheaper", 15, {"before": ["39.98"], "price": ["35.00"]}),
        ("FourEyes", 15, {"corrected": ["bob"], "entered": ["ann"]}),
        ("Unexplained", 15, None),
        ("Unexplained", 17, None),
        ("FourEyes", 17, {"corrected": ["bob"], "entered": ["ann"]}),
        ("Repricing", 1, {"price": ["35.00", "34.50", "26.00"], "user": "bob"}),
        ("FourEyes", 40, {"corrected": ["ann"], "entered": ["eve"]}),
        ("Unexplained", 40, None),
        ("Dropped", 1, None),
    ]


def test_an_item_needs_a_price_by_the_end_of_its_transaction(controlled: Controlled) -> None:
    controlled.enter("17-AA", "1.00")
    assert controlled.names() == []
    controlled.enter("26-BX")
    assert controlled.names() == ["Unpriced"]
    with controlled.order.transaction():  # it came and went
        controlled.order.root.append(controlled.order.root.makeelement("item", partNum="31-CD"))
        controlled.order.root.remove(controlled.order.root[-1])
    assert "Unpriced" not in controlled.names()
    with controlled.order.transaction():  # its price came and went
        item = etree.SubElement(controlled.order.root, "item", partNum="872-AA")
        item.remove(etree.SubElement(item, "price"))
    assert controlled.names() == ["Unpriced"]


def test_three_prices_are_too_many_within_an_hour_only(controlled: Controlled) -> None:
    item = controlled.enter("17-AA", "1.00")
    for minutes in (40, 80, 120):  # more than an hour from the first to the last
        controlled.clock.minutes = minutes
        controlled.reprice(item, f"1.{minutes}")
    assert "Restless" not in controlled.names()
    controlled.clock.minutes = 130
    controlled.reprice(item, "2.00")
    assert {"Restless", "Repricing"} <= set(controlled.names())


def test_prices_changed_by_several_users_are_nobodys_repricing(controlled: Controlled) -> None:
    items = [controlled.enter(part, "1.00") for part in ("17-AA", "26-BX", "31-CD")]
    for item, user in zip(items, ("ann", "ann", "bob"), strict=True):
        controlled.reprice(item, "2.00", user=user)
    assert "Repricing" not in controlled.names()
    controlled.reprice(items[0], "3.00")
    assert "Repricing" in controlled.names()


def test_there_is_somebody_to_send_the_bill_to_within_three_days(controlled: Controlled) -> None:
    controlled.enter("17-AA", "1.00")
    assert controlled.watch.next_due() == "2026-01-04T00:00:00Z"
    controlled.watch.advance("2026-01-05T00:00:00Z")
    assert controlled.names() == ["Unbilled"]


def test_a_bill_in_time_is_no_finding(controlled: Controlled) -> None:
    controlled.enter("17-AA", "1.00")
    etree.SubElement(controlled.order.root, "billTo")
    controlled.watch.advance("2026-01-05T00:00:00Z")
    assert controlled.names() == []


def test_a_bill_before_the_item_is_in_time_too(controlled: Controlled) -> None:
    etree.SubElement(controlled.order.root, "billTo")
    controlled.enter("17-AA", "1.00")
    controlled.watch.advance("2026-01-05T00:00:00Z")
    assert controlled.names() == []


def test_a_part_that_was_taken_out_comes_again(controlled: Controlled) -> None:
    for part in ("17-AA", "26-BX"):
        controlled.enter(part, "1.00")
        controlled.order.root.remove(controlled.order.root[0])
    assert "Reentered" not in controlled.names()
    controlled.enter("17-AA", "1.00")
    assert "Reentered" in controlled.names()
