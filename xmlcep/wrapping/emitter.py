"""From changes to events: each gets its time point, and those of one edit belong together (E3, U1)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from path_types import PathType

from ..events import CompositeEvent, PrimitiveEvent, TimePoint
from ..provenance import ACTING, with_acting
from .clock import Clock
from .delivery import Commit, Delivery
from .errors import cuts_short

_acting = ACTING.get
_new_event = tuple.__new__  # PrimitiveEvent._make without its check of the length


class Emitter:
    """Makes the events of a document and hands them to its delivery, edit by edit.

    An *edit* is what one lxml call does (U1): all of its events but the last say ``more``. `emit` makes an event of the
    edit under way, `end_edit` completes the edit and has it delivered; `emit_alone` is both, for the edits that have
    one event. ``document`` goes into the field ``doc``, ``txn`` and ``meta`` are those of the open transaction.
    """

    __slots__ = ("_blocks", "_events", "clock", "delivery", "document", "meta", "txn")

    def __init__(self, clock: Clock, document: str) -> None:
        self.clock = clock
        self.document = document
        self.delivery = Delivery()
        self.txn: int | None = None
        self.meta: dict[str, str] | None = None
        self._events: list[PrimitiveEvent] = []  # of the edit under way
        self._blocks = 0  # how many blocks are open that make one edit of all that happens in them

    def emit(
        self,
        op: str,
        path: PathType,
        ids: tuple[int, ...],
        value: str | None,
        old: str | None,
        pos: int | None,
    ) -> None:
        """The next event of the edit under way, at the next time point."""
        clock = self.clock
        clock.ts = ts = clock.ts + 1
        if self.delivery.audience:
            events = self._events
            if not events:
                now = clock.now()  # one edit is made at one moment
                if not clock.since <= now < clock.until:
                    clock.stamp(now)
            events.append(
                _new_event(
                    PrimitiveEvent,
                    (
                        ts,
                        op,
                        path,
                        ids,
                        value,
                        old,
                        pos,
                        clock.at,
                        self.document,
                        self.txn,
                        self.meta_now(),
                        True,
                    ),
                )
            )

    def emit_alone(
        self,
        op: str,
        path: PathType,
        ids: tuple[int, ...],
        value: str | None,
        old: str | None,
        pos: int | None,
    ) -> None:
        """An edit of one event, unless a block makes one edit of several calls."""
        if self._blocks or self._events:  # left of an edit that was cut short: these come first
            self.emit(op, path, ids, value, old, pos)
            self.end_edit()
            return
        clock = self.clock
        clock.ts = ts = clock.ts + 1
        delivery = self.delivery
        if delivery.audience:
            now = clock.now()
            if not clock.since <= now < clock.until:
                clock.stamp(now)
            meta = self.meta if _acting() is None else self.meta_now()
            event = (ts, op, path, ids, value, old, pos, clock.at, self.document, self.txn, meta, False)
            delivery.deliver(
                event if delivery.takes_tuples else _new_event(PrimitiveEvent, event)  # type: ignore[arg-type]
            )

    def meta_now(self) -> dict[str, str] | None:
        """What records say of who edits: the transaction's pairs, and those of `xmlcep.acting_as`."""
        return with_acting(self.meta)

    def external_event(
        self, name: str, path: PathType, ids: tuple[int, ...], txn: int | None, meta: dict[str, str] | None
    ) -> CompositeEvent:
        """An external event (L7) at a node, at the time point of the last record and the time that it is now."""
        clock = self.clock
        now = clock.now()
        if not clock.since <= now < clock.until:
            clock.stamp(now)
        cause = TimePoint(clock.ts, clock.at, self.document, txn, meta)
        return CompositeEvent(name, None, path, ids, (), clock.ts, clock.ts, cause)

    def end_edit(self) -> None:
        """Completes the edit under way, if nothing of it is to come any more, and has it delivered."""
        if self._blocks:
            return
        events = self._events
        if events:
            try:
                self._events = []
                events[-1] = _new_event(PrimitiveEvent, (*events[-1][:-1], False))
                if len(events) == 1:
                    self.delivery.deliver(events[0])
                else:
                    self.delivery.deliver_all(events)
            except BaseException as error:
                if type(error) is RecursionError or cuts_short(error):
                    self.delivery.missed += 1
                raise
        else:
            self.delivery.settle()

    @contextmanager
    def one_edit(self) -> Iterator[None]:
        """A block that is one edit, however many calls it makes."""
        self.begin_block()
        try:
            yield
        finally:
            self.end_block()

    def begin_block(self) -> None:
        """What is done until `end_block` is one edit."""
        self._blocks += 1

    def end_block(self) -> None:
        """The other end; the edit is delivered."""
        self._blocks -= 1
        self.end_edit()

    @property
    def in_one_edit(self) -> bool:
        """Whether a block that makes one edit of several calls is open."""
        return self._blocks > 0

    def commit(self, txn: int) -> None:
        """The last edit of a transaction has been made."""
        if self.delivery.audience:
            self.delivery.put(Commit((txn,)))

    def take_back(self, ts: int, position: int) -> None:
        """Forgets what was emitted after ``ts`` and has been kept back, as if it had never happened.

        ``position``: that of the delivery then.
        """
        self._events.clear()
        self.delivery.take_back(position)
        self.clock.ts = ts
