"""Transactions: edits grouped, delivered together, undone together."""

from __future__ import annotations

import sys
from collections import deque
from contextvars import ContextVar
from types import TracebackType
from typing import Any

from ..errors import XmlCepError
from . import foreign
from .errors import RefusedError, cuts_short
from .savepoints import open_journal
from .shadow import ShadowTree
from .single import Single
from .undo import undo, undo_visibly

_LEFT = (
    "an exception left a transaction inside this one, so this one was undone: let it reach the outer block"
)
_MIXED = (
    "transactions of this document ended in another order than they began, as those of tasks or threads do: they were "
    "one, and it was undone: hold a lock (asyncio.Lock, threading.Lock) around each"
)

_around: ContextVar[tuple[object, ...]] = ContextVar("xmlcep transactions", default=())
"""The marks of the transactions that are open around what runs here: tasks that it starts have them, too."""


class TransactionError(XmlCepError, RuntimeError):
    """A transaction was undone although no exception left its block, because one left a transaction inside it, or
    because transactions did not end in the reverse order of their beginning."""


class Transactions:
    """The transactions of one document: how many there have been, which one is open, and which have joined it."""

    __slots__ = ("count", "joined", "open")

    def __init__(self) -> None:
        self.count = 0
        self.open: Transaction | None = None
        self.joined: list[Transaction] = []


class Transaction(Single):
    """The ``with`` block of `Document.transaction`."""

    _instead = "begin another one, document.transaction()"

    __slots__ = (
        "_clock", "_failed", "_immediate", "_mark", "_meta", "_missed", "_outer", "_outer_meta", "_position", "_queue",
        "_task", "_transactions", "_tree", "number",
    )  # fmt: skip

    def __init__(
        self, tree: ShadowTree, transactions: Transactions, immediate: bool, meta: dict[str, str]
    ) -> None:
        self._tree = tree
        self._transactions = transactions
        self._immediate = immediate
        self._meta = meta
        self._outer: Transaction | None = None
        self._outer_meta: dict[str, str] | None = None
        self._failed = ""  # why it is to be undone, whatever leaves its block
        self._mark = object()
        self._task: object = None
        self._clock = self._position = self._missed = 0
        self._queue: deque[Any] = deque()
        self.number = 0

    def __enter__(self) -> Transaction:
        tree, emitter = self._tree, self._tree.emitter
        self._outer = self._transactions.open
        if self._outer is not None:
            # Joined: same number, undone with the outer one; its own pairs are added on its records.
            self._outer.refuse_strangers()
            self._transactions.joined.append(self)
            self.number = self._outer.number
            self._outer_meta, emitter.meta = emitter.meta, {**(emitter.meta or {}), **self._meta} or None
            return self
        if emitter.in_one_edit:
            raise RefusedError(
                "transaction() inside a block that is one edit (one_edit(), extend()): open the transaction around it"
            )
        if tree.observed is not None:
            raise RefusedError(
                "transaction() inside observe(), whose edits are found at its end: open the transaction around it"
            )
        foreign.catch_up(tree)
        tree.end_edit()
        reactor = emitter.delivery.reactor
        if reactor is not None:
            reactor.begin()
        try:
            self._begin()
        except BaseException:  # interrupted: there is no block that could end it
            self._end()
            if reactor is not None:
                reactor.end()
            raise
        return self

    def _begin(self) -> None:
        tree, emitter = self._tree, self._tree.emitter
        delivery = emitter.delivery
        self._clock, self._position = tree.clock.ts, delivery.position
        self._missed = delivery.missed
        self._transactions.open = self
        self._task = _current_task()
        _around.set((*_around.get(), self._mark))
        self.number = emitter.txn = self._transactions.count + 1
        emitter.meta = self._meta or None
        open_journal(tree)
        if not self._immediate:
            # Events wait in a queue of their own, which is dropped when the block is undone.
            self._queue, delivery.queue = delivery.queue, deque()
            delivery.held = True
        if delivery.reactor is not None:
            delivery.reactor.began()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        tree = self._tree
        if self._outer is not None:
            self._leave(self._outer, kind)
            return
        if self._transactions.joined:
            self._failed = self._failed or _MIXED
        refused: RefusedError | None = None
        reactor = tree.emitter.delivery.reactor
        try:
            try:
                foreign.catch_up(tree)  # what was done through foreign proxies is undone, too
            except RefusedError as unseen:
                refused = unseen
            if kind is not None or self._failed or refused is not None:
                self._undo()
            elif reactor is not None and (
                self.has_records or tree.emitter.delivery.position != self._position
            ):
                try:
                    reactor.commit()
                except BaseException:
                    self._undo()
                    raise
        finally:
            try:
                self._end()
            except BaseException:  # interrupted: what is held back would be for ever
                self._end()
                raise
            if reactor is not None:
                reactor.end()
        tree.emitter.delivery.settle()
        if kind is None and refused is not None:
            raise refused
        if kind is None and self._failed:
            raise TransactionError(self._failed)

    @property
    def has_records(self) -> bool:
        """Whether it has any: else nobody will know that there was a transaction, and nothing is flushed (D3)."""
        return self._tree.clock.ts != self._clock

    def refuse_strangers(self) -> None:
        """Raises `RefusedError` in a task that this transaction is not around: it would join what another task does,
        and be undone with it."""
        task = _current_task()
        if task is not self._task and None not in (task, self._task) and self._mark not in _around.get():
            raise RefusedError(
                "transaction() while another task has one open on this document: hold an asyncio.Lock around each, or "
                "do not await inside"
            )

    def _leave(self, outer: Transaction, kind: type[BaseException] | None) -> None:
        """The end of a transaction that has joined ``outer``."""
        transactions = self._transactions
        if transactions.open is not outer:  # it has ended before
            if kind is None:
                raise TransactionError(_MIXED)
            return
        self._tree.emitter.meta = self._outer_meta
        if kind is not None:
            outer._failed = outer._failed or _LEFT
        elif transactions.joined[-1] is not self:
            outer._failed = outer._failed or _MIXED
        transactions.joined = [each for each in transactions.joined if each is not self]

    def _undo(self) -> None:
        tree, reactor = self._tree, self._tree.emitter.delivery.reactor
        if reactor is not None:
            reactor.feed_only(True)
        journal = tree.journal
        assert journal is not None
        # Through their foreign proxies, other documents may have got nodes of this one, or lost such nodes.
        foreign.catch_up_others(tree)
        if reactor is not None and not self._immediate:
            reactor.undo()
        tree.journal = None
        try:
            if self._immediate:
                undo_visibly(tree, journal)  # the inverse edits, with fresh ids for what comes back (P7)
                if reactor is not None and self.has_records:
                    reactor.commit_undone()
            else:
                undo(tree, journal)
                tree.emitter.take_back(self._clock, self._position)
                tree.emitter.delivery.missed = self._missed
        except BaseException as error:
            if cuts_short(error):
                tree.emitter.delivery.missed += 1
            raise
        finally:
            if reactor is not None:
                reactor.feed_only(False)

    def _end(self) -> None:
        tree, emitter = self._tree, self._tree.emitter
        delivery = emitter.delivery
        if self.has_records:
            self._transactions.count = self.number
            emitter.commit(self.number)
        if delivery.held:
            self._queue.extend(delivery.queue)
            delivery.queue = self._queue
            delivery.held = False
        self._transactions.open = None
        self._transactions.joined.clear()
        self._task = None
        _around.set(tuple(mark for mark in _around.get() if mark is not self._mark))
        emitter.txn = None
        emitter.meta = None
        tree.journal = None
        tree.update_fast_path()


def _current_task() -> object:
    """The task of asyncio that runs; None outside of one."""
    asyncio = sys.modules.get("asyncio")
    if asyncio is None:
        return None
    try:
        task: object = asyncio.current_task()
    except RuntimeError:  # there is no event loop
        return None
    return task
