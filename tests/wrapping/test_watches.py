"""Watches: composite events on wrapped documents."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from lxml import etree

import xmlcep
from xmlcep.wrapping import CallbackError, RefusedError, fromstring

RULES = xmlcep.parse_rules(
    "event Complete = ins(item/price) & ins(item/quantity)\n"
    "event Late {end=custom} = ins(item/price)\n"
    'event Sane = (ins(item/price) & ins(item/quantity)) {when="count(price) = 1"}\n'
)
SIMPLE = xmlcep.parse_rules("event Complete = ins(item/price) & ins(item/quantity)")


def order() -> Any:
    return fromstring("<order><item/><item/></order>")


def test_composites_are_found_as_edits_are_made() -> None:
    document = order()
    seen: list[Any] = []
    with document.watch(RULES, on_event=seen.append) as watch:
        etree.SubElement(document.root[0], "price").text = "1"
        etree.SubElement(document.root[0], "quantity")
        assert [event.name for event in seen] == ["Complete", "Sane"]
        assert [event.name for event in watch.flush()] == ["Late"]
        etree.SubElement(document.root[1], "price")
    assert [event.name for event in seen] == ["Complete", "Sane", "Late", "Late"]
    assert list(watch.findings) == seen and watch.closed
    etree.SubElement(document.root[1], "quantity")
    assert len(seen) == 4 and watch.close() == []
    document._check()


def test_the_end_of_a_transaction_is_a_flush() -> None:
    document = order()
    with document.watch(RULES) as watch:
        with document.transaction():
            etree.SubElement(document.root[0], "price")
            assert not watch.findings
        assert [event.name for event in watch.findings] == ["Late"]
        with pytest.raises(ZeroDivisionError), document.transaction():
            etree.SubElement(document.root[1], "price")
            raise ZeroDivisionError
        assert len(watch.findings) == 1


def test_live_is_what_the_detector_finds_in_the_records() -> None:
    document = order()
    events: list[Any] = []
    document.subscribe(events.append)
    with document.watch(SIMPLE, keep=None) as watch:
        for item in document.root:
            for name in ("price", "quantity", "price"):
                etree.SubElement(item, name)
    detector = xmlcep.Detector(SIMPLE)
    replayed = [found for event in events for found in detector.feed(event)]
    assert [found.to_record() for found in watch.findings] == [found.to_record() for found in replayed]


def test_an_edit_made_by_a_rule() -> None:
    document = order()

    def mark(event: Any) -> None:
        document.root[0].set("complete", "yes")

    with document.watch(SIMPLE, on_event=mark):
        etree.SubElement(document.root[0], "price")
        etree.SubElement(document.root[0], "quantity")
    assert document.root[0].get("complete") == "yes"
    document._check()


def fail(event: Any) -> None:
    raise ZeroDivisionError("no")


def test_errors_name_the_rule() -> None:
    document = order()
    with (
        pytest.raises(CallbackError, match="of rule Complete"),
        document.watch(SIMPLE, on_event=fail) as watch,
    ):
        document.root[0].append(etree.Element("price"))
        document.root[0].append(etree.Element("quantity"))
    assert len(watch.findings) == 1
    document._check()


def test_findings_are_bounded() -> None:
    document = order()
    with document.watch(SIMPLE, keep=2) as watch:
        for _ in range(5):
            item = etree.SubElement(document.root, "item")
            etree.SubElement(item, "price")
            etree.SubElement(item, "quantity")
    assert len(watch.findings) == 2


def test_no_watch_is_opened_inside_a_transaction() -> None:
    document = order()
    with document.transaction(), pytest.raises(RefusedError, match="before or after"):
        document.watch(SIMPLE)


def test_composites_as_an_asynchronous_iterator() -> None:
    document = order()

    def edit(watch: Any) -> None:
        for item in document.root:
            etree.SubElement(item, "price")
            etree.SubElement(item, "quantity")
        watch.close()

    async def collect() -> list[str]:
        watch = document.watch(SIMPLE)
        stream = aiter(watch)
        await asyncio.get_running_loop().run_in_executor(None, edit, watch)
        found = [event.name async for event in stream]
        assert [event async for event in watch] == [], "a closed watch has no more"
        return found

    assert asyncio.run(collect()) == ["Complete", "Complete"]
