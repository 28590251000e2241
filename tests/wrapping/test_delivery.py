"""Delivery: after the edit, in order, edits of callbacks behind; errors reported; endless triggering stopped."""

from __future__ import annotations

from typing import Any

import pytest
from lxml import etree

from xmlcep.timestamps import microseconds
from xmlcep.wrapping import CallbackError, EndlessTriggerError, WrapError, fromstring
from xmlcep.wrapping.delivery import TRIGGER_DEPTH


def words(events: list[Any]) -> list[str]:
    return [f"{event.op} {event.path}" for event in events]


def test_events_come_after_the_edit_is_complete() -> None:
    document = fromstring("<a><b>x</b>t</a>")
    seen: list[bytes] = []
    document.subscribe(lambda event: seen.append(etree.tostring(document.root)))
    document.root.remove(document.root[0])
    assert seen == [b"<a/>"] * 3


@pytest.mark.parametrize("moment", [float("nan"), float("inf"), -1e30])
def test_a_clock_that_gives_no_moment(moment: Any) -> None:
    """The edit has been made: its event comes all the same, with the time of the machine, and a warning says so."""
    moments = iter([1.0, moment, 3.0])
    document = fromstring("<a/>", now=lambda: next(moments))
    events: list[Any] = []
    document.subscribe(events.append)
    document.root.set("k", "1")
    with pytest.warns(RuntimeWarning, match=r"now\(\) gave .*: expected seconds since 1970"):
        document.root.set("k", "2")
    document.root.set("k", "3")
    assert [event.value for event in events] == ["1", "2", "3"]
    assert [microseconds(event.at) for event in (events[0], events[2])] == [1_000_000, 3_000_000]
    assert microseconds(events[1].at) > 1_700_000_000_000_000
    assert document.verify() == []


def test_events_have_time_and_document() -> None:
    document = fromstring("<a/>", name="d", now=lambda: 1_700_000_000.1239)
    events: list[Any] = []
    document.subscribe(events.append)
    document.root.set("k", "v")
    event = events[0]
    assert (event.at, event.doc, event.ts, event.txn, event.meta) == (
        "2023-11-14T22:13:20.123Z",
        "d",
        1,
        None,
        None,
    )
    assert event.to_record()["path"] == "/a/@k"


def test_an_edit_in_a_callback_is_queued_behind() -> None:
    document = fromstring("<a/>")
    first: list[Any] = []
    second: list[Any] = []

    def react(event: Any) -> None:
        first.append(event)
        if str(event.path) == "/a/b":
            document.root[0].set("seen", "1")

    document.subscribe(react)
    document.subscribe(second.append)
    document.root.append(etree.fromstring("<b>x</b>"))
    assert words(first) == words(second) == ["ins /a/b", "ins /a/b/text()", "ins /a/b/@seen"]
    assert [event.ts for event in second] == [1, 2, 3]
    document._check()


def test_an_edit_in_a_callback_of_subelement() -> None:
    document = fromstring("<a/>")
    events: list[Any] = []

    def react(event: Any) -> None:
        events.append(event)
        if event.op == "ins" and len(document.root):
            document.root.remove(document.root[0])

    document.subscribe(react)
    made = etree.SubElement(document.root, "b")
    assert made.getparent() is None
    assert words(events) == ["ins /a/b", "del /a/b"]
    document._check()


def boom(event: Any) -> None:
    raise ZeroDivisionError("boom")


@pytest.mark.parametrize("edit", [
    lambda r: r.set("k", "v"), lambda r: etree.SubElement(r, "b"), lambda r: setattr(r, "text", "x"),
    lambda r: r.append(etree.fromstring("<b>x</b>")), lambda r: r.clear(),
    lambda r: r.attrib.update({"a": "1", "b": "2"}),
])  # fmt: skip
def test_a_callback_that_raises_is_reported_and_nothing_is_out_of_step(edit: Any) -> None:
    document = fromstring("<a>t<c/></a>")
    told: list[Any] = []
    document.subscribe(boom)
    document.subscribe(told.append)
    with pytest.raises(CallbackError) as caught:
        edit(document.root)
    assert told, "others are told all the same"
    message = str(caught.value)
    assert "boom" in message and "test_delivery.py:" in message and str(told[0].instance) in message
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    assert len(caught.value.errors) == len(told)
    document._check()
    with pytest.raises(CallbackError):
        document.root.set("again", "1")
    assert told[-1].ts == len(told)


def test_two_callbacks_that_trigger_each_other_are_stopped() -> None:
    document = fromstring("<a n='0'/>")
    calls: list[Any] = []

    def again(event: Any) -> None:
        calls.append(event)
        document.root.set("n", str(int(event.value) + 1))

    document.subscribe(again)
    with pytest.raises(CallbackError, match="without end") as caught:
        document.root.set("n", "1")
    assert isinstance(caught.value.__cause__, EndlessTriggerError)
    assert len(calls) == TRIGGER_DEPTH + 1
    assert document.root.get("n") == str(len(calls) + 1)
    document._check()
    assert document.clock == len(calls) + 1


def test_unsubscribing() -> None:
    document = fromstring("<a/>")
    events: list[Any] = []
    end = document.subscribe(events.append)
    also = document.subscribe(events.append)
    end()
    document.root.set("k", "v")
    assert len(events) == 1
    also()
    also()
    document.root.set("k", "w")
    assert len(events) == 1 and document.clock == 2


def test_what_is_no_function_cannot_subscribe() -> None:
    with pytest.raises(WrapError, match="cannot be called"):
        fromstring("<a/>").subscribe(3)  # type: ignore[arg-type]
