"""Where the history of a document is: time points, document time, transactions, edits (rules E3, W1, W2, U1)."""

from __future__ import annotations

from collections.abc import Sequence

from contexts.entry import Moment

from ..algebra import Unit
from ..events import Cause, PrimitiveEvent
from ..timestamps import microseconds

_NEVER = -(1 << 62)
NOWHERE = Moment(0, 0, 0)
"""Where time points lie where nobody measures."""
_new_tuple = tuple.__new__


class Clock:
    """The clock of one document.

    ``ts`` is the record's number that is being processed; ``point`` numbers time points, of which timers add some
    (W5), so that it may be ahead; ``fired`` is when the timer was due that makes the current one. ``time`` is document
    time in microseconds since 1970 (W1), None while no record has any; ``transaction`` and ``edit`` are
    ordinals, ``flushes`` is how many there have been. Time and transactions are only followed where rules need them
    (``follows_time``); what records say of time is only read where a rule measures with it (``uses_time``): elsewhere
    it may be anything (W1).
    """

    __slots__ = (
        "_follows", "_latest", "_noted", "_txn", "edit", "fired", "flushes", "follows_time", "point", "time",
        "transaction", "ts", "uses_time",
    )  # fmt: skip

    def __init__(self, *, follows_time: bool, uses_time: bool) -> None:
        self.follows_time = follows_time
        self.uses_time = uses_time
        self.reset()

    def reset(self) -> None:
        """As before the first record."""
        self.ts = 0
        self.point = 0
        self.fired: int | None = None
        self.time: int | None = None
        self.transaction = 0
        self.edit = 0
        self.flushes = 0
        self._latest: int | None = None
        self._noted: str | None = None
        self._txn: int | None = None
        self._follows = self.follows_time

    def set(self, time: int | None, transaction: int) -> None:
        """Says what the clock shows from the next edit on, whatever its records say."""
        self.time, self.transaction = time, transaction
        self.fired = None
        self._follows = False

    def begin_edit(self, event: PrimitiveEvent) -> None:
        """A new edit is to begin with this record: time moves on, and stands still inside it (W1)."""
        if not self._follows:
            return
        self.time = self.latest(event)
        txn = event[9]
        if txn is None or txn != self._txn:
            self.transaction += 1
            self._txn = txn

    def latest(self, event: PrimitiveEvent) -> int | None:
        """The time that an edit which begins with this record will have."""
        at = event[7]
        if not self._follows:
            return self.time
        if at is not None and at != self._noted:
            self._note(at)
        return self._latest

    def move(self, event: PrimitiveEvent) -> None:
        """`begin_edit` and `record`, and a new edit, in one and without their calls: for most records."""
        ts = self.ts = event[0]
        if self._follows:
            at, txn = event[7], event[9]
            if at is not None and at != self._noted and self.uses_time:
                # What `_note` does, without its call.
                time = microseconds(at)
                self._noted = at
                if self._latest is None or time > self._latest:
                    self._latest = time
            self.time = self._latest
            if txn is None or txn != self._txn:
                self.transaction += 1
                self._txn = txn
        self.fired = None
        self.edit += 1
        point = self.point + 1
        self.point = point if point > ts else ts

    def record(self, event: PrimitiveEvent) -> None:
        """The next record, after `begin_edit` if it is the first of its edit."""
        ts, at = event[0], event[7]
        self.ts = ts
        self.fired = None
        self.point += 1
        if self.point < ts:
            self.point = ts
        if at is not None and at != self._noted and self._follows:
            self._note(at)

    def fire(self, at: int | None) -> None:
        """A timer is due: a time point of its own (W5). ``at`` is when it was due, None if not by time."""
        self.point += 1
        self.fired = at

    def now(self) -> int:
        """The time of what is detected at this time point: when a timer was due, else document time (W7)."""
        return (self.time or 0) if self.fired is None else self.fired

    def go_on_from(self, others: Sequence[Clock], last: Cause | None) -> None:
        """Shows what other clocks of the same history show, the first of them that has followed it; what none has read,
        because nobody measured, the ``last`` record says (G7)."""
        self.reset()
        self.flushes = others[0].flushes
        self.point, self.edit = max(each.point for each in others), max(each.edit for each in others)
        self.ts = 0 if last is None else last.ts
        for other in reversed(others):
            if other.follows_time:
                self.transaction, self._txn = other.transaction, other._txn
            if other.uses_time and self.uses_time and other._latest is not None:
                self.time, self._latest, self._noted = other.time, other._latest, other._noted
        if self.uses_time and self._latest is None and last is not None and last.at is not None:
            self.advance(microseconds(last.at))

    def is_behind(self, time: int) -> bool:
        """Whether this time is over already (W6), as the last records have said."""
        latest = self._latest if self._follows else self.time
        return latest is not None and time < latest

    def advance(self, time: int) -> None:
        """The application, or a clock record, says that time has passed (W6)."""
        self._latest = time if self._latest is None else max(self._latest, time)
        self.time = self._latest

    def reading(self, unit: Unit, ts: int) -> int:
        """What the clock shows by this measure at record ``ts``; before the first known time nothing is due by time."""
        if unit is Unit.TIME:
            return _NEVER if self.time is None else self.time
        return ts if unit is Unit.CHANGES else self.transaction

    def moment(self) -> Moment:
        """Where the current time point lies by each measure; time is 0 where it is not known."""
        if not self.follows_time:
            return NOWHERE  # nobody measures
        return _new_tuple(Moment, (self.ts, self.time or 0, self.transaction))

    def now_by_each_measure(self) -> Moment:
        """When what is detected at this time point is (W7)."""
        return Moment(self.ts, self.now(), self.transaction)

    def now_by(self, unit: Unit) -> int:
        """The same by one measure."""
        if unit is Unit.TIME:
            return self.now()
        return self.ts if unit is Unit.CHANGES else self.transaction

    def _note(self, at: str) -> None:
        if self.uses_time:
            time = microseconds(at)
            self._noted = at  # after it: what is not a time is said of every record that has it
            if self._latest is None or time > self._latest:
                self._latest = time
