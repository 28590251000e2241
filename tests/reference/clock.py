"""Document time, transactions by number, windows, and what is due when (W1 to W5, U2)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from xmlcep.algebra import Unit, Window
from xmlcep.events import PrimitiveEvent

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class TimeUnknown(Exception):
    """A rule with durations takes a record while no time is known (W1)."""


def microseconds(at: str) -> int:
    """A time as in ``at``, in microseconds since 1970."""
    return (datetime.fromisoformat(at) - EPOCH) // timedelta(microseconds=1)


def written(time: int) -> str:
    """The time as a firing has it: UTC, as many digits of the fraction as needed, 0, 3 or 6 (W5)."""
    moment = EPOCH + timedelta(microseconds=time)
    precision = "seconds" if time % 1_000_000 == 0 else "milliseconds" if time % 1000 == 0 else "microseconds"
    return moment.replace(tzinfo=None).isoformat(timespec=precision) + "Z"


class Later(int):
    """The time point of a record as an external event has it, perhaps raised when time has passed (L7, W6)."""

    now: int | None

    @classmethod
    def than(cls, ts: int, now: int | None) -> Later:
        """The record's time point, at this document time."""
        later = cls(ts)
        later.now = now
        return later


def in_time(ts: int) -> tuple[int, int]:
    """What orders time points of which some are external events': these come after the record."""
    return (ts, ts.now or 0) if isinstance(ts, Later) else (ts, -1)


class Due(NamedTuple):
    """When something is due: at a time, after a time point, after a transaction."""

    unit: Unit
    value: int

    @property
    def order(self) -> tuple[int, int]:
        """What is due by changes comes first, then by transactions, then by time (W5)."""
        return (Unit.CHANGES, Unit.TRANSACTIONS, Unit.TIME).index(self.unit), self.value


class Clock:
    """What is known of every record so far: its time and the number of its transaction."""

    def __init__(self) -> None:
        self.latest: int | None = None  # the greatest `at` so far
        self.edit_time: int | None = None  # the time of the edit that is open (U2)
        self.times: dict[int, int | None] = {}
        self.ordinals: dict[int, int] = {}
        self.previous: PrimitiveEvent | None = None

    def record(self, event: PrimitiveEvent, *, begins_edit: bool) -> None:
        """Takes a record. Its transaction is another one if its ``txn`` is, or it has none and begins an edit (W2)."""
        before = self.previous
        if before is None:
            self.ordinals[event.ts] = 1
        else:
            another = event.txn != before.txn or (event.txn is None and begins_edit)
            self.ordinals[event.ts] = self.ordinals[before.ts] + another
        if event.at is not None:
            self.latest = max(microseconds(event.at), self.latest or microseconds(event.at))
        if begins_edit:
            self.edit_time = self.latest
        self.times[event.ts] = self.edit_time
        self.previous = event

    def advance(self, time: str) -> bool:
        """W6; it never goes back: what is before what the records have said changes nothing (W6). Whether it does."""
        given = microseconds(time)
        if self.latest is not None and given < self.latest:
            return False
        self.latest = self.edit_time = given
        return True

    def time(self, ts: int) -> int:
        """The time of a record (W1), or of an external event, when it was raised."""
        found = ts.now if isinstance(ts, Later) else self.times[ts]
        if found is None:
            raise TimeUnknown(f"no time is known at {ts} (W1)")
        return found

    def measure(self, unit: Unit, ts: int) -> int:
        """A time point as the unit counts."""
        if unit is Unit.TIME:
            return self.time(ts)
        return ts if unit is Unit.CHANGES else self.ordinals[ts]

    def fits(self, window: Window, first: int, last: int) -> bool:
        """Whether the time points are at most so far apart, or lie in at most so many changes or transactions (W2)."""
        apart = self.measure(window.unit, last) - self.measure(window.unit, first)
        return apart <= window.amount if window.unit is Unit.TIME else apart < window.amount

    def due(self, window: Window, first: int) -> Due:
        """When a window that begins at this time point is over (A3, W5)."""
        last = self.measure(window.unit, first) + window.amount
        return Due(window.unit, last if window.unit is Unit.TIME else last - 1)
