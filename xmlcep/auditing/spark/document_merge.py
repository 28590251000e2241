"""Settling what was open where segments meet, and what is known of each document as a whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from ...log.json_codec import FASTEST
from ...log.records import Control
from ..raised import RaisedThere
from .chunks import Mark, buckets_of, hash_of
from .document_clock import DocumentClock, DocumentTime
from .segment_summary import (
    ClockReading,
    PlacedClock,
    PlacedRaised,
    SegmentSummary,
    TimePoint,
    later,
    turn,
)

_NOTHING: Mapping[int, Any] = MappingProxyType({})


class SeamMarker(NamedTuple):
    """A marker that only segments together tell: in which of them it belongs, and for which bucket it is."""

    segment: int
    mark: int
    pass_index: int
    doc: str
    bucket: int
    point: TimePoint
    turn: int = 0
    record: bytes | None = None


class WholeDocument(NamedTuple):
    """A document in the log when all of its segments are known.

    ``position``, ``first``, ``last`` and ``segment`` say where it begins and what its last time point is, in which
    segment. ``needs_sorting``: its records do not stand in the order of their time points, so routing has to be done
    again on sorted records; ``goes_back``: not because a time point is repeated, but because one is below another.
    ``seams`` are the markers found where segments meet. ``clocks`` are the clock records (W6), each with the segment
    of the change record before it: where it has to fire what is due; ``misplaced_clocks`` stand in transactions.
    ``raised`` are the external events (L7) that belong to the last record of a segment before, with that segment and
    their turn; ``misplaced_raised`` belong to no record before them, ``repeated_raised`` were delivered twice.
    ``edits`` says of the edits that reach across segments under which number they go on, and under which they began.
    ``time`` is what is known of the document's clock, if that matters.
    """

    doc: str
    position: tuple[int, int]
    first: TimePoint
    last: TimePoint
    segment: int
    records: int
    needs_sorting: bool
    goes_back: bool
    seams: Sequence[SeamMarker]
    clocks: Sequence[tuple[int, PlacedClock]]
    misplaced_clocks: Sequence[PlacedClock]
    raised: Sequence[tuple[int, int, PlacedRaised]]
    misplaced_raised: Sequence[PlacedRaised]
    repeated_raised: Sequence[PlacedRaised]
    edits: Mapping[int, int]
    time: DocumentTime | None


class MergedDocument:
    """A document in the log, as told by the summaries of its segments, followed one after the other.

    While ``first`` is None there were clock records only; the other attributes are those of the `WholeDocument` and of
    its `DocumentTime`: ``readings``, ``times`` (by segment), ``advances`` (the ts of the record before, and the time).
    """

    __slots__ = (
        "_buckets",
        "_edit_time",
        "_last_clock",
        "_open_edit",
        "_raised_late",
        "_raised_there",
        "_runs",
        "_time",
        "_touched",
        "_trailing",
        "_transactions",
        "advances",
        "clocks",
        "doc",
        "edits",
        "first",
        "goes_back",
        "last",
        "misplaced_clocks",
        "misplaced_raised",
        "needs_sorting",
        "position",
        "raised",
        "readings",
        "records",
        "repeated_raised",
        "seams",
        "segment",
        "times",
    )  # fmt: skip

    def __init__(self, doc: str, buckets: int) -> None:
        self.doc = doc
        self.position = (0, 0)
        self.first: TimePoint | None = None
        self.last = TimePoint(0)
        self.segment = 0
        self.records = 0
        self.needs_sorting = self.goes_back = False
        self.seams: list[SeamMarker] = []
        self.clocks: list[tuple[int, PlacedClock]] = []
        self.misplaced_clocks: list[PlacedClock] = []
        self._buckets = buckets
        self._runs: dict[int, int] = {}
        self._touched: dict[int, set[int]] = {}
        self._trailing: list[PlacedClock] = []  # about them the next change record decides
        self._last_clock: tuple[int, int] | None = None  # ts and time
        self.edits: dict[int, int] = {}
        self._open_edit: int | None = None
        self.readings: dict[int, ClockReading] = {}
        self._time: int | None = None
        self._edit_time: int | None = None  # of the edit that goes on
        self._transactions = 0
        self.times: list[tuple[int, int | None]] = []
        self.advances: list[tuple[int, int]] = []
        self.raised: list[tuple[int, int, PlacedRaised]] = []
        self.misplaced_raised: list[PlacedRaised] = []
        self.repeated_raised: list[PlacedRaised] = []
        self._raised_late = False
        self._raised_there = RaisedThere()

    def follow(self, summary: SegmentSummary) -> None:
        """Takes the summary of the next segment that has records of the document."""
        self._compare(summary)
        self._place_raised(summary)
        self._trailing += summary.leading
        head = summary.head
        if head is None:
            return
        if not self.needs_sorting:
            if self.first is not None:
                self._end_runs(summary, head)
                self._flush(summary, head)
            for number, touched in summary.touched.items():
                self._touched.setdefault(number, set()).update(touched)
            self._runs = summary.open_runs
        self._follow_edit(summary, head)
        self._follow_time(summary, head)
        self._settle_clocks(summary, head)
        if self.first is None:
            self.position, self.first = summary.position, head
        self.last, self.segment = summary.tail, summary.segment
        self._raised_late = summary.raised_late
        self._raised_there = RaisedThere(summary.tail.ts, summary.raised_there)
        self.records += summary.records

    def _compare(self, summary: SegmentSummary) -> None:
        """Notes whether the segment's records come after those before."""
        head, clock = summary.head, next(iter(summary.leading or summary.clocks or summary.trailing), None)
        back = summary.disordered
        if head is not None:
            back |= head.ts < self.last.ts
            # A time point that is there already is no reason to sort, whatever stands between the two.
            back |= (
                self._last_clock is not None and head.ts <= self._last_clock[0] and head.ts != self.last.ts
            )
            self.needs_sorting |= self.first is not None and head.ts == self.last.ts
        if clock is not None:
            place = clock.ts, clock.record(self.doc).time
            back |= clock.ts < self.last.ts or (self._last_clock is not None and place < self._last_clock)
            last = summary.last_clock
            assert last is not None
            self._last_clock = last.ts, last.record(self.doc).time
        self.goes_back |= back
        self.needs_sorting |= back
        if self.needs_sorting:
            self.seams.clear()  # they are found again in the sorted records

    def _place_raised(self, summary: SegmentSummary) -> None:
        """External events before the first record of a segment belong to the last one before (L7)."""
        if self.first is None:
            return  # that is not in the log
        for raised in summary.raised:
            clocks = [*self._trailing, *summary.leading[: raised.clocks]]
            if raised.ts != self.last.ts or any(clock.ts > raised.ts for clock in clocks):
                self.misplaced_raised.append(raised)
                continue
            control = Control.from_record(FASTEST.loads(raised.text.encode()))
            if not self._raised_there.is_new(raised.ts, control):
                self.repeated_raised.append(raised)
                continue
            place = turn(len(clocks), raised.txn, self.last.txn, late=self._raised_late)
            self._raised_late = place > 0
            self.raised.append((self.segment, place, raised))

    def _follow_edit(self, summary: SegmentSummary, head: TimePoint) -> None:
        """An edit goes on where two segments meet, unless its transaction does not, or there is a clock record (U1)."""
        goes_on = head.txn == self.last.txn and (head.txn is not None or not self._trailing)
        if self._open_edit is not None and goes_on:
            self.edits[head.ts] = self._open_edit
        opened = summary.open_edit
        self._open_edit = None if opened is None else self.edits.get(opened, opened)

    def _follow_time(self, summary: SegmentSummary, head: TimePoint) -> None:
        """What the document's clock shows where the segment begins, and where it ends (W1, W2)."""
        same_transaction = self.first is not None and head.txn is not None and head.txn == self.last.txn
        if not same_transaction:
            self._advance()
        same_edit = head.ts in self.edits
        before = self._transactions - (same_transaction or same_edit)
        reading = ClockReading(self._time, self._edit_time if same_edit else None, before)
        self.readings[summary.segment] = reading
        if not (same_edit and summary.edit == head.ts):
            self._edit_time = later(self._time, summary.edit_time)
        self.times.append((summary.segment, self._edit_time))
        for clock in summary.clocks:
            self._note_advance(clock, clock.after, later(self._time, clock.before))
        self._time = later(self._time, summary.time)
        self._transactions = before + summary.transactions

    def _advance(self) -> None:
        """Clock records behind the last record let time go on."""
        for clock in self._trailing:
            self._note_advance(clock, self.last.ts, self._time)
            self._time = later(self._time, clock.record(self.doc).time)

    def _note_advance(self, clock: PlacedClock, after: int, shown: int | None) -> None:
        time = clock.record(self.doc).time
        if shown is None or time >= shown:  # Z13
            self.advances.append((after, time))

    def _settle_clocks(self, summary: SegmentSummary, head: TimePoint) -> None:
        """Clock records where two segments meet stand in a transaction if it goes on behind them."""
        trailing, self._trailing = self._trailing, list(summary.trailing)
        if self.first is not None and head.txn is not None and head.txn == self.last.txn:
            self.misplaced_clocks += trailing
        else:
            segment = summary.segment if self.first is None else self.segment
            self.clocks += [(segment, clock) for clock in trailing]
        self.clocks += [(summary.segment, clock) for clock in summary.clocks]

    def end(self, until: str | None = None) -> None:
        """There are no more records of the document; at its end time goes on ``until`` then (W6)."""
        if self.first is not None and until is not None:
            self._trailing.append(PlacedClock(self.last.ts, until, *self.position))
        if (self._trailing or self._raised_late) and self.last.txn is not None:
            # The last transaction has ended before time passes (D3), not only when the document is closed.
            self._flush_touched(self.segment, self.last)
        self._advance()
        self.clocks += [(self.segment, clock) for clock in self._trailing]
        self._trailing = []

    def whole(self, *, timed: bool) -> WholeDocument | None:
        """What is known of it after its `end`, of its clock if it is ``timed``; None if it has no records."""
        if self.first is None:
            return None
        return WholeDocument(
            self.doc, self.position, self.first, self.last, self.segment, self.records, self.needs_sorting,
            self.goes_back, self.seams or (), self.clocks or (), self.misplaced_clocks or (), self.raised or (),
            self.misplaced_raised or (), self.repeated_raised or (), self.edits or _NOTHING,
            DocumentTime(self.readings, DocumentClock.of(self.times, self.advances)) if timed else None,
        )  # fmt: skip

    def _end_runs(self, summary: SegmentSummary, head: TimePoint) -> None:
        """Boundaries for runs that end where the two segments meet (D2)."""
        for number, key in self._runs.items():
            if summary.head_keys.get(number) != key:
                bucket = int(buckets_of(hash_of(self.doc), [key], self._buckets)[0])
                marker = SeamMarker(summary.segment, Mark.BOUNDARY, number, self.doc, bucket, head)
                self.seams.append(marker)

    def _flush(self, summary: SegmentSummary, head: TimePoint) -> None:
        """The flush of what was touched before (D3), if its transaction ended; after the last one it is the close."""
        if self.last.txn is not None and head.txn != self.last.txn:
            segment, point = self.segment, self.last
        elif summary.first_flush is not None:
            segment, point = summary.segment, summary.first_flush
        else:
            return
        self._flush_touched(segment, point)

    def _flush_touched(self, segment: int, point: TimePoint) -> None:
        self.seams += [
            SeamMarker(segment, Mark.FLUSH, number, self.doc, bucket, point)
            for number, touched in self._touched.items()
            for bucket in sorted(touched)
        ]
        self._touched = {}


def merge_documents(
    summaries: Iterable[Iterable[SegmentSummary]],
    buckets: int,
    until: str | None = None,
    *,
    timed: bool = True,
) -> Iterator[WholeDocument]:
    """The documents of a log; ``summaries`` are those of each document, segment by segment, ``until`` as for `audit`.
    What clocks show is told if that matters: if ``timed``.
    """
    for of_document in summaries:
        document: MergedDocument | None = None
        for summary in of_document:
            if document is None:
                document = MergedDocument(summary.doc, buckets)
            document.follow(summary)
        if document is not None:
            document.end(until)
            whole = document.whole(timed=timed)
            if whole is not None:
                yield whole
