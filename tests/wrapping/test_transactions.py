"""Transactions: one number, events at the end, and undo."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from lxml import etree

from tests.wrapping.event_oracle import whole
from xmlcep.events import PrimitiveEvent
from xmlcep.wrapping import Document, RefusedError, TransactionError, fromstring


class Stop(Exception):
    """Ends a transaction."""


class Commits:
    """A listener that writes down what it is told."""

    def __init__(self) -> None:
        self.told: list[Any] = []

    def _on_change(self, event: Any) -> None:
        self.told.append(event)

    def _on_commit(self, txn: int) -> None:
        self.told.append(txn)


def state(document: Document) -> tuple[object, list[int], int]:
    """All that an undone transaction must bring back."""
    _, ids = document.snapshot()
    return whole(document.root), ids, document.clock


def test_events_come_at_the_end_with_number_and_meta() -> None:
    document = fromstring("<order><item/></order>")
    listener = Commits()
    document.attach(listener)
    document.root.set("first", "1")
    with document.transaction(user="ann", version=3) as transaction:
        etree.SubElement(document.root, "item")
        document.root[0].text = "x"
        assert len(listener.told) == 1
    first, added, text, commit = listener.told
    assert (first.txn, first.meta) == (None, None)
    assert added.txn == text.txn == commit == transaction.number == 1
    assert added.meta == {"user": "ann", "version": "3"}
    assert [first.ts, added.ts, text.ts] == [1, 2, 3]
    with document.transaction():
        document.root.set("first", "2")
    assert listener.told[-1] == 2 and listener.told[-2].meta is None


def test_a_transaction_without_edits_is_none() -> None:
    document = fromstring("<a/>")
    listener = Commits()
    document.attach(listener)
    with document.transaction():
        pass
    with document.transaction() as transaction:
        document.root.text = "x"
    assert transaction.number == 1
    assert listener.told[1:] == [1]


def test_undo_brings_back_comments_tails_and_the_order_of_attributes() -> None:
    text = '<a z="1" y="2" x="3">t<!--c-->u<b/>v<?p q?>w</a>'
    document = fromstring(text)
    with pytest.raises(Stop), document.transaction():
        del document.root.attrib["z"]
        document.root.attrib["z"] = "9"
        document.root[0].text = "changed"
        document.root.remove(document.root[0])
        document.root[-1].text = "r"
        document.root[-1].tail = None
        document.root.clear()
        raise Stop
    assert etree.tostring(document.root).decode() == text


def test_ids_given_in_an_undone_transaction_are_not_given_again() -> None:
    document = fromstring("<a/>")
    events: list[Any] = []
    document.subscribe(events.append)
    with pytest.raises(Stop), document.transaction():
        etree.SubElement(document.root, "b")
        raise Stop
    etree.SubElement(document.root, "b")
    assert events[0].ids == (1, 3) and events[0].ts == 1


def test_a_nested_transaction_joins_the_outer_one() -> None:
    document = fromstring("<a/>")
    listener = Commits()
    document.attach(listener)
    with document.transaction(user="ann"):
        document.root.set("k", "1")
        with document.transaction(reason="why"):
            document.root.set("k", "2")
        document.root.set("k", "3")
    assert [event.meta for event in listener.told[:-1]] == [
        {"user": "ann"}, {"user": "ann", "reason": "why"}, {"user": "ann"},
    ]  # fmt: skip
    assert listener.told[-1] == 1


def test_an_exception_in_a_nested_transaction_undoes_the_outer_one() -> None:
    document = fromstring("<a/>")
    with pytest.raises(TransactionError, match="inside this one"), document.transaction():
        document.root.set("k", "1")
        with pytest.raises(Stop), document.transaction():
            raise Stop
    assert etree.tostring(document.root) == b"<a/>"


def test_no_snapshot_within_a_transaction() -> None:
    document = fromstring("<a/>")
    with document.transaction(), pytest.raises(RefusedError, match="before or after"):
        document.snapshot()


ENDS = ["earlier", "later", "first fails", "second fails"]


@pytest.mark.parametrize("ends", ENDS)
def test_tasks_that_take_turns_do_not_share_a_transaction(ends: str) -> None:
    """The second would be told that all is well, be undone with the first, and have its pairs on the first's edits."""
    document = fromstring("<a/>")
    told: list[PrimitiveEvent] = []
    document.subscribe(told.append)
    waits = {"earlier": (1, 3), "later": (3, 1), "first fails": (1, 2), "second fails": (2, 1)}[ends]

    async def edit(user: str, waits: int) -> None:
        with document.transaction(user=user):
            etree.SubElement(document.root, user)
            for _ in range(waits):
                await asyncio.sleep(0)
            etree.SubElement(document.root, user)
            if ends == f"{user} fails":
                raise Stop

    async def both() -> list[BaseException | None]:
        return await asyncio.gather(edit("first", waits[0]), edit("second", waits[1]), return_exceptions=True)

    first, second = asyncio.run(both())
    assert isinstance(second, RefusedError)
    assert "asyncio.Lock" in str(second)
    assert isinstance(first, Stop) is (ends == "first fails")
    expected = [] if first else ["first", "first"]
    assert [str(child.tag) for child in document.root] == expected
    assert [event.meta for event in told] == [{"user": each} for each in expected]
    with document.transaction():
        document.root.set("k", "1")
    assert told[-1].meta is None


def test_what_a_task_starts_joins_its_transaction() -> None:
    document = fromstring("<a/>")

    async def inner() -> None:
        with document.transaction(reason="why"):
            document.root.set("k", "1")

    async def outer() -> None:
        with document.transaction(user="ann"):
            await asyncio.create_task(inner())
            await asyncio.to_thread(lambda: asyncio.run(inner()))

    told: list[PrimitiveEvent] = []
    document.subscribe(told.append)
    asyncio.run(outer())
    assert [event.meta for event in told] == [{"user": "ann", "reason": "why"}]


@pytest.mark.parametrize("error", [None, Stop])
def test_a_transaction_that_ends_before_one_inside_it_is_undone(error: type[Exception] | None) -> None:
    """As threads without a lock make it: nobody may believe that his edits are there when they are not."""
    document = fromstring("<a/>")
    outer, inner = document.transaction(user="ann"), document.transaction(user="bob")
    outer.__enter__()
    document.root.set("k", "1")
    inner.__enter__()
    document.root.set("l", "1")
    if error is None:
        with pytest.raises(TransactionError, match="another order"):
            outer.__exit__(None, None, None)
    else:
        outer.__exit__(error, error(), None)
    with pytest.raises(TransactionError, match="another order"):
        inner.__exit__(None, None, None)
    assert etree.tostring(document.root) == b"<a/>"
    with document.transaction(), document.transaction():
        document.root.set("k", "2")
    assert document.root.get("k") == "2"


def test_transactions_inside_one_that_do_not_end_in_turn_undo_it() -> None:
    document = fromstring("<a/>")
    with pytest.raises(TransactionError, match="another order"), document.transaction():
        one, two = document.transaction(user="ann"), document.transaction(user="bob")
        one.__enter__()
        two.__enter__()
        document.root.set("k", "1")
        one.__exit__(None, None, None)
        two.__exit__(None, None, None)
    assert etree.tostring(document.root) == b"<a/>"
