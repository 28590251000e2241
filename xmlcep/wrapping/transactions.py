"""Transactions: edits grouped, delivered together, undone together."""

from __future__ import annotations

import sys
from collections import deque
from contextvars import ContextVar
from typing import Any

from ..errors import XmlCepError
from .doubt import CUT_SHORT, Block
from .errors import RefusedError, cuts_short
from .shadow import outside_proxies
from .shadow.savepoints import Savepoint
from .shadow.shadow import ShadowTree
from .shadow.undo import undo_visibly

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


class Transaction(Block):
    """The ``with`` block of `Document.transaction`."""

    _instead = "begin another one, document.transaction()"

    __slots__ = (
        "_around", "_before", "_failed", "_immediate", "_mark", "_meta", "_outer", "_outer_meta", "_queue", "_task",
        "_transactions", "_tree", "number",
    )  # fmt: skip

    def __init__(
        self, tree: ShadowTree, transactions: Transactions, immediate: bool, meta: dict[str, str]
    ) -> None:
        super().__init__()
        self._tree = tree
        self._transactions = transactions
        self._immediate = immediate
        self._meta = meta
        self._outer: Transaction | None = None
        self._outer_meta: dict[str, str] | None = None
        self._before: Savepoint | None = None
        self._failed = ""  # why it is to be undone, whatever leaves its block
        self._mark = object()
        self._task: object = None
        self._around: tuple[Block, ...] = ()
        self._queue: deque[Any] = deque()
        self.number = 0

    @property
    def tells_at_its_end(self) -> bool:
        """Whether its edits are delivered then, and not as they are made."""
        return not self._immediate

    def _enter(self) -> Transaction:
        tree, emitter = self._tree, self._tree.emitter
        delivery = emitter.delivery
        delivery.check()
        self._outer = self._transactions.open
        if self._outer is not None:
            # Joined: same number, undone with the outer one; its own pairs are added on its records.
            self._outer.refuse_strangers()
            self._transactions.joined.append(self)
            self.number = self._outer.number
            self._outer_meta, emitter.meta = emitter.meta, {**(emitter.meta or {}), **self._meta} or None
            return self
        if emitter.blocks:
            raise RefusedError(
                "transaction() inside a block that is one edit (one_edit(), extend()): open the transaction around it"
            )
        if tree.observed is not None:
            raise RefusedError(
                "transaction() inside observe(), whose edits are found at its end: open the transaction around it"
            )
        outside_proxies.catch_up(tree)
        tree.end_edit()
        self._around = delivery.blocks
        delivery.blocks = (*self._around, self)
        self._begin()
        return self

    def _begin(self) -> None:
        tree, emitter = self._tree, self._tree.emitter
        delivery = emitter.delivery
        if delivery.reactor is not None:
            delivery.reactor.begin()
        self._before = Savepoint(tree)
        self._transactions.open = self
        self._task = _current_task()
        _around.set((*_around.get(), self._mark))
        self.number = emitter.txn = self._transactions.count + 1
        emitter.meta = self._meta or None
        if not self._immediate:
            # Events wait in a queue of their own, which is dropped when the block is undone.
            self._queue, delivery.queue = delivery.queue, deque()
            delivery.held = True
        if delivery.reactor is not None:
            delivery.reactor.began()

    def _leave(self, *, failed: bool) -> None:
        if self._outer is not None:
            self._leave_outer(self._outer, failed=failed)
            return
        tree, delivery = self._tree, self._tree.emitter.delivery
        if delivery.is_cut_short:
            self._failed = self._failed or CUT_SHORT.format(tree.name)
        elif self._transactions.joined:
            self._failed = self._failed or _MIXED
        try:
            refused = self._complete(undone=failed)
        except BaseException as raised:
            if not cuts_short(raised):
                self._end()
            raise
        self._end()
        delivery.settle()
        if not failed and refused is not None:
            raise refused
        if not failed and self._failed:
            delivery.said = True
            raise TransactionError(self._failed)

    def _complete(self, *, undone: bool) -> RefusedError | None:
        """What is to be done while its journal is open; an error that is a reason to undo it."""
        tree, delivery = self._tree, self._tree.emitter.delivery
        if not delivery.missed:
            try:
                outside_proxies.catch_up(tree)  # what was done through foreign proxies is undone, too
            except RefusedError as refused:
                self._undo()
                return refused
        if undone or self._failed:
            self._undo()
        elif delivery.reactor is not None and (self.has_records or delivery.position != self._start.position):
            try:
                delivery.reactor.commit()
            except BaseException:
                self._undo()
                raise
        return None

    @property
    def has_records(self) -> bool:
        """Whether it has any: otherwise the transaction leaves no trace, and nothing is flushed (D3)."""
        return self._tree.clock.ts != self._start.ts

    @property
    def _start(self) -> Savepoint:
        assert self._before is not None, "it has not begun"
        return self._before

    def refuse_strangers(self) -> None:
        """Raises `RefusedError` in a task that this transaction is not around: it would join what another task does,
        and be undone with it."""
        task = _current_task()
        if task is not self._task and None not in (task, self._task) and self._mark not in _around.get():
            raise RefusedError(
                "transaction() while another task has one open on this document: hold an asyncio.Lock around each, or "
                "do not await inside"
            )

    def _leave_outer(self, outer: Transaction, *, failed: bool) -> None:
        """The end of a transaction that has joined ``outer``."""
        transactions = self._transactions
        if transactions.open is not outer:  # it has ended before
            if not failed:
                raise TransactionError(_MIXED)
            return
        self._tree.emitter.meta = self._outer_meta
        if failed:
            outer._failed = outer._failed or _LEFT
        elif transactions.joined[-1] is not self:
            outer._failed = outer._failed or _MIXED
        transactions.joined = [each for each in transactions.joined if each is not self]

    def _undo(self) -> None:
        tree, delivery = self._tree, self._tree.delivery
        reactor = delivery.reactor
        if reactor is not None:
            reactor.feed_only(True)
        journal = tree.journal
        while journal is not None and journal.outer is not None:  # of rules that were cut short
            journal.outer.absorb(journal)
            journal = journal.outer
        if self._immediate:
            tree.journal = None
            undo_visibly(
                tree, self._start.journal
            )  # the inverse edits, with fresh ids for what comes back (P7)
            if reactor is not None and self.has_records:
                reactor.commit_undone()
            return
        if reactor is not None:
            reactor.undo()
        tree.calm()
        self._start.undo()
        delivery.whole_again()

    def _end(self) -> None:
        emitter, delivery = self._tree.emitter, self._tree.delivery
        if self.has_records:
            self._transactions.count = self.number
            emitter.commit(self.number)
        if delivery.held:
            self._queue.extend(delivery.queue)
            delivery.queue = self._queue
            delivery.held = False
        self._transactions.joined.clear()
        self._task = None
        _around.set(tuple(mark for mark in _around.get() if mark is not self._mark))
        emitter.txn = None
        emitter.meta = None
        self._start.release()
        self._transactions.open = None
        if delivery.reactor is not None:
            delivery.reactor.feed_only(False)
            delivery.reactor.end()
        delivery.blocks = self._around


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
