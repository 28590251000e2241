"""From changes to events: each gets its time point, and those of one edit belong together (E3, U1)."""

from __future__ import annotations

from path_types import PathType

from ..events import CompositeEvent, PrimitiveEvent, TimePoint
from ..provenance import ACTING, with_acting
from .clock import Clock
from .delivery import Commit, Delivery
from .doubt import Block

_acting = ACTING.get
_new_event = tuple.__new__  # PrimitiveEvent._make without its check of the length


class Emitter:
    """Makes the events of a document and hands them to its delivery, edit by edit.

    An *edit* is what one lxml call does (U1): all of its events but the last say ``more``. `emit` makes an event of the
    edit under way, `end_edit` completes the edit and has it delivered; `emit_alone` is both, for the edits that have
    one event. ``document`` goes into the field ``doc``, ``txn`` and ``meta`` are those of the open transaction.
    """

    __slots__ = ("_events", "blocks", "clock", "delivery", "document", "meta", "txn")

    def __init__(self, clock: Clock, document: str) -> None:
        self.clock = clock
        self.document = document
        self.delivery = Delivery(document)
        self.txn: int | None = None
        self.meta: dict[str, str] | None = None
        self._events: list[PrimitiveEvent] = []  # of the edit under way
        self.blocks = 0  # how many blocks are open that make one edit of all that happens in them

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
            meta = self.meta_now()
            event = (ts, op, path, ids, value, old, pos, clock.at, self.document, self.txn, meta, True)
            events.append(_new_event(PrimitiveEvent, event))

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
        if self.blocks or self._events:  # left of an edit that was cut short: these come first
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
            delivery.deliver(_new_event(PrimitiveEvent, event))
        else:
            delivery.changing = False

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
        delivery = self.delivery
        if self.blocks:
            delivery.changing = False
            return
        events = self._events
        if events:
            delivery.changing = True
            self._events = []
            events[-1] = _new_event(PrimitiveEvent, (*events[-1][:-1], False))
            if len(events) == 1:
                delivery.deliver(events[0])
            else:
                delivery.deliver_all(events)
        else:
            delivery.changing = False
            delivery.settle()

    def one_edit(self) -> OneEdit:
        """A block that is one edit, however many calls it makes."""
        return OneEdit(self)

    def begin_block(self) -> None:
        """What is done until `end_block` is one edit."""
        self.blocks += 1

    def end_block(self) -> None:
        """The other end; the edit is delivered."""
        self.blocks -= 1
        self.end_edit()

    def commit(self, txn: int) -> None:
        """The last edit of a transaction has been made."""
        if self.delivery.audience:
            self.delivery.put(Commit((txn,)))

    def take_back(self, ts: int, position: int, blocks: int) -> None:
        """Forgets what was emitted after ``ts`` and has been kept back, as if it had never happened.

        ``position``: that of the delivery then; ``blocks``: how many that are one edit were open.
        """
        self._events.clear()
        self.blocks = blocks
        self.delivery.take_back(position)
        self.clock.ts = ts


class OneEdit(Block):
    """The ``with`` block of `Document.one_edit`."""

    _instead = "begin another one, document.one_edit()"

    __slots__ = ("_emitter",)

    def __init__(self, emitter: Emitter) -> None:
        super().__init__()
        self._emitter = emitter

    def _enter(self) -> None:
        delivery = self._emitter.delivery
        delivery.blocks = (*delivery.blocks, self)
        self._emitter.begin_block()

    def _leave(self, *, failed: bool) -> None:
        delivery = self._emitter.delivery
        if self not in delivery.blocks:  # a transaction around it has been undone
            return
        if delivery.changing or delivery.missed:  # what the block has done nobody can say
            delivery.missed = 1
            if not failed:
                delivery.check()
            return
        delivery.changing = True
        delivery.blocks = tuple(each for each in delivery.blocks if each is not self)
        self._emitter.end_block()
