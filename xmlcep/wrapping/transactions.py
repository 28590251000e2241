"""Transactions: edits grouped, told together, undone together."""

from __future__ import annotations

from collections import deque
from types import TracebackType
from typing import Any

from ..errors import XmlCepError
from .delivery import Commit
from .edits import tracker_of
from .tracker import Tracker
from .undo import Journal


class TransactionError(XmlCepError, RuntimeError):
    """A transaction was undone although no exception left its block, because one left a transaction inside it."""


class Transaction:
    """The ``with`` block of `Document.transaction`."""

    __slots__ = (
        "_clock", "_failed", "_immediate", "_meta", "_outer", "_outer_meta", "_queue", "_tracker", "number",
    )  # fmt: skip

    def __init__(self, tracker: Tracker, immediate: bool, meta: dict[str, str]) -> None:
        self._tracker = tracker
        self._immediate = immediate
        self._meta = meta
        self._outer: Transaction | None = None
        self._outer_meta: dict[str, str] | None = None
        self._failed = False
        self._clock = 0
        self._queue: deque[Any] = deque()
        self.number = 0

    def __enter__(self) -> Transaction:
        tracker = self._tracker
        self._outer = tracker.transaction
        if self._outer is not None:
            # Joined: same number, undone with the outer one; its own pairs are added on its records.
            self.number = self._outer.number
            self._outer_meta, tracker.meta = tracker.meta, {**(tracker.meta or {}), **self._meta} or None
            return self
        tracker.catch_up()
        tracker.delivery.settle()
        tracker.transaction = self
        self.number = tracker.txn = tracker.txns + 1
        tracker.meta = self._meta or None
        tracker.journal = Journal()
        tracker.judge()
        self._clock = tracker.clock
        if not self._immediate:
            # Events wait in a queue of their own, which is dropped when the block is undone.
            delivery = tracker.delivery
            self._queue, delivery.queue = delivery.queue, deque()
            delivery.held = True
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        tracker = self._tracker
        if self._outer is not None:
            tracker.meta = self._outer_meta
            top = self._outer
            while top._outer is not None:
                top = top._outer
            top._failed = top._failed or kind is not None
            return
        try:
            if kind is None and not self._failed:
                tracker.catch_up()
            elif self._immediate:
                self._take_back_told()
            else:
                self._take_back()
        finally:
            self._end()
        tracker.delivery.settle()
        if kind is None and self._failed:
            raise TransactionError(
                "an exception left a transaction inside this one, so this one was undone: let it reach the outer block"
            )

    def _end(self) -> None:
        tracker = self._tracker
        delivery = tracker.delivery
        if tracker.clock != self._clock:
            tracker.txns = self.number
            if delivery.audience:
                delivery.put(Commit((self.number,)))
        if not self._immediate:
            self._queue.extend(delivery.queue)
            delivery.queue = self._queue
            delivery.held = False
        tracker.transaction = None
        tracker.txn = None
        tracker.meta = None
        tracker.journal = None
        tracker.judge()

    def _take_back(self) -> None:
        """Undoes all; nobody has heard of it."""
        tracker = self._tracker
        journal, tracker.journal = tracker.journal, None
        assert journal is not None
        journal.undo(tracker)
        tracker.delivery.queue.clear()
        tracker.clock = self._clock

    def _take_back_told(self) -> None:
        """Undoes all and tells the inverse edits; what comes back has fresh ids (P7)."""
        tracker = self._tracker
        journal, tracker.journal = tracker.journal, None
        assert journal is not None
        tracker.catch_up()
        tracker.open_subtree(tracker.root)  # whatever is put back may be told as moved
        sites = [site for site in journal.sites() if tracker_of(site) is tracker]
        journal.undo_edits(tracker)
        tracker.reconcile_all(sites)
