"""What a segment of a log tells of a document, and how that is found while the segment is read.

A log is read in segments, each by itself. What is open at the end of one is settled afterwards from the summaries
of all (`segment_merge`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import pyarrow as pa

from ...log.records import ClockRecord
from ...timestamps import microseconds
from ..raised import RaisedThere
from .chunks import META

FIRST_SORTED_SEGMENT = 1 << 62
"""The number of the first segment of records that had to be sorted: beyond all others."""


class TimePoint(NamedTuple):
    """A time point of a document: its number, of its record wall-clock time, transaction and meta (JSON text), and if
    that matters the number of its edit and what the clock shows there, as far as the segment tells."""

    ts: int
    at: str | None = None
    txn: int | None = None
    meta: str | None = None
    edit: int | None = None
    time: int | None = None
    transaction: int | None = None


class ClockReading(NamedTuple):
    """What a document's clock shows where a segment begins: its ``time`` (W1); that of the edit that goes on there,
    which stands still; the transactions before the first one that has a record in it."""

    time: int | None
    edit_time: int | None
    transactions: int


def later(one: int | None, other: int | None) -> int | None:
    """The later of two times; None is one that is not known."""
    return other if one is None else one if other is None else max(one, other)


def turn(clocks: int, txn: int | None = None, open_txn: int | None = None, *, late: bool = False) -> int:
    """The turn of an external event of transaction ``txn`` behind so many clock records of its ts, and a record of
    ``open_txn``: 0 comes before the end of that transaction, all others after it. Also the turn of the last of these
    clock records.

    ``late``: one of those before it comes after the end of the transaction.
    """
    if clocks:
        return clocks + 1
    return 1 if late or (open_txn is not None and txn != open_txn) else 0


class PlacedClock(NamedTuple):
    """A clock record (W6) and where it stands: in which part of the log, and its number there; behind which change
    record of its segment (the ts, 0 if none), and what the clock had come to before it, as far as the segment tells."""

    ts: int
    at: str
    part: int
    number: int
    after: int = 0
    before: int | None = None

    def record(self, doc: str) -> ClockRecord:
        """The clock record of this document."""
        return ClockRecord(doc, self.ts, self.at)


class PlacedRaised(NamedTuple):
    """An external event (L7) before the first record of a segment: its time point and transaction, how many clock
    records stand before it there, in which part of the log it stands and its number there, its record as JSON text."""

    ts: int
    txn: int | None
    clocks: int
    part: int
    number: int
    text: str


class SegmentSummary(NamedTuple):
    """What a segment has of a document: first and last time point (None: it has clock records only), how many records,
    and what is open.

    ``position``: in which part of the log and where in it the first record stands.
    ``head_keys``: the key of the first record per pass with boundaries (None: foreign). ``open_runs``: per such
    pass the key whose run reaches to the end. ``first_flush``: where the first transaction in it ended.
    ``touched``: per pass with flushes the buckets that were touched since the last one.
    ``disordered``: a ts was below the one before. ``duplicates``: how many records repeated a time point, were clock
    records in a transaction, or external events that do not stand behind their record. ``leading``, ``clocks`` and
    ``trailing`` are the clock records before the first record, between the records, and behind the last one.
    ``edit`` is the number of the last edit (U1), if time matters: the ts of its first record in the segment;
    ``open_edit`` the same if that matters and it goes on behind the last record. ``time`` is the greatest of the times
    of records and clock records in it up to the last record, ``edit_time`` what it was where the last edit began,
    ``transactions`` how many have records in it.
    ``raised`` are the external events before the first record, ``raised_late`` says whether there is one behind the
    last record that does not belong to its transaction, ``raised_there`` what tells those behind it apart.
    """

    segment: int
    doc: str
    position: tuple[int, int]
    head: TimePoint | None
    tail: TimePoint
    records: int
    disordered: bool
    duplicates: int
    head_keys: dict[int, int | None]
    open_runs: dict[int, int]
    first_flush: TimePoint | None
    touched: dict[int, list[int]]
    leading: list[PlacedClock]
    clocks: list[PlacedClock]
    trailing: list[PlacedClock]
    edit: int | None
    open_edit: int | None
    time: int | None
    edit_time: int | None
    transactions: int
    raised: list[PlacedRaised]
    raised_late: bool
    raised_there: list[str]

    @property
    def last_clock(self) -> PlacedClock | None:
        """The last of its clock records."""
        return next((clocks[-1] for clocks in (self.trailing, self.clocks, self.leading) if clocks), None)


class SegmentDocument:
    """What is known of a document while a segment is read.

    ``ts`` and ``txn`` are those of the last change record admitted. About the clock records in ``trailing`` the next
    one decides: if it goes on with the transaction, they stand in it. ``edit`` is the number of the edit in which that
    record was, ``edit_goes_on`` whether it said that more is to come.
    """

    __slots__ = (
        "_at", "clock", "clocks", "count", "disordered", "duplicates", "edit", "edit_goes_on", "edit_time",
        "first_flush", "head", "head_keys", "leading", "name", "position", "raised", "raised_late", "raised_there",
        "runs", "tail", "time", "touched", "trailing", "transactions", "ts", "txn",
    )  # fmt: skip

    def __init__(self, name: str) -> None:
        self.name = name
        self.ts = 0
        self.head: TimePoint | None = None
        self.tail = TimePoint(0)
        self.position = (0, 0)
        self.count = 0
        self.duplicates = 0
        self.disordered = False
        self.first_flush: TimePoint | None = None
        self.head_keys: dict[int, int | None] = {}
        # Of each pass the key, and whether what was there since the run began can wait for a release.
        self.runs: dict[int, tuple[int, bool]] = {}
        self.touched: dict[int, set[int]] = {}  # pass -> buckets, since the last flush
        self.txn: int | None = None
        self.edit = 0
        self.edit_goes_on = False
        self.clock: tuple[int, int] | None = None  # ts and time of the last clock record
        self.leading: list[PlacedClock] = []
        self.clocks: list[PlacedClock] = []
        self.trailing: list[PlacedClock] = []
        self.time: int | None = None
        self.edit_time: int | None = None
        self.transactions = 0
        self.raised: list[PlacedRaised] = []
        self.raised_late = False
        self.raised_there = RaisedThere()
        self._at: tuple[str, int] = ("", 0)  # the last time as text and as a number

    def follows(self, ts: int) -> bool:
        """Whether a change record of this time point comes after all that was admitted."""
        return ts > self.ts and (self.clock is None or ts > self.clock[0])

    def has_reached(self, clock: ClockRecord) -> bool:
        """Whether a clock record comes after all that was admitted."""
        return clock.ts >= self.ts and (self.clock is None or (clock.ts, clock.time) >= self.clock)

    def admit(
        self, ts: int, txn: int | None, *, more: bool = False, at: str | None = None
    ) -> list[PlacedClock]:
        """The next change record, or the first of some; returns clock records that stand in its transaction.

        ``more``: its edit goes on behind it; ``at``: its time, if that matters.
        """
        self.ts = ts
        self.raised_late = False
        trailing, self.trailing = self.trailing, []
        misplaced = txn is not None and txn == self.txn
        if not misplaced:
            for clock in trailing:
                self.clocks.append(clock._replace(before=self.time))
                self.time = later(self.time, clock.record(self.name).time)
        else:
            self.duplicates += len(trailing)
        if at is not None:
            if at != self._at[0]:
                self._at = at, microseconds(at)
            self.time = later(self.time, self._at[1])
        if not self.edit_goes_on or txn != self.txn or (trailing and not misplaced):  # U1
            self.edit = ts
            self.edit_time = self.time  # it stands still inside the edit (W1)
            self.transactions += txn is None or txn != self.txn or not self.transactions
        self.edit_goes_on = more
        self.txn = txn
        return trailing if misplaced else []

    def admit_clock(self, clock: ClockRecord, part: int, number: int) -> None:
        """The next clock record."""
        if not self.has_reached(clock):
            self.disordered = True
        self.clock = clock.ts, clock.time
        placed = PlacedClock(clock.ts, clock.at, part, number, self.ts)
        (self.trailing if self.ts else self.leading).append(placed)

    def is_at(self, ts: int) -> bool:
        """Whether an external event of this time point belongs to the record before it (L7)."""
        return ts == self.ts and (self.clock is None or self.clock[0] <= ts)

    def admit_raised(self, txn: int | None) -> int:
        """The next external event, behind a record, of this transaction; returns its turn there."""
        found = turn(len(self.trailing), txn, self.txn, late=self.raised_late)
        self.raised_late = found > 0
        return found

    @property
    def open_edit(self) -> int | None:
        """The number of the edit that goes on behind the last record."""
        return self.edit if self.edit_goes_on else None


def point_columns(points: Iterable[TimePoint]) -> dict[str, pa.Array]:
    """Time points as columns of markers."""
    columns = zip(*points, strict=True)
    number = pa.int64()
    types = (number, pa.string(), number, META, number, number, number)
    return {
        name: pa.array(values, type_)
        for name, values, type_ in zip(TimePoint._fields, columns, types, strict=True)
    }
