"""One document replayed in order: its detector, its clock, and what it finds on its way to the disk."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from operator import itemgetter
from time import perf_counter
from typing import Any

from path_types import PathType

from ...engine import Detector, EvaluationError
from ...events import CompositeEvent, PrimitiveEvent
from ...log import Origin
from ...log.columns.blocks import Run
from ...log.records import ClockRecord, Row
from ..failures import Failure
from ..findings.collector import Collector
from ..findings.order import Ranking
from ..inputs import LogFile
from ..quarantine import clock_in_transaction

_new_tuple = tuple.__new__
_ts_of = itemgetter(0)
_SPOOLED = 1000  # findings of a document that are kept in memory
_SPOOLED_BYTES = 1 << 20


class DocumentReplay:
    """One document being replayed: detector, clock, and the findings of the current time point or edit.

    ``defers``: any record may raise something, so that each is to be replayed by itself; ``follows_edits``: what an
    edit raises may come with its last record (U2).
    """

    __slots__ = (
        "_awake",
        "_checked",
        "_collector",
        "_counts",
        "_defers",
        "_edit_goes_on",
        "_encode",
        "_follows_edits",
        "_last",
        "_lines",
        "_number",
        "_pending",
        "_ranking",
        "_replayed",
        "_size",
        "_waiting",
        "clock",
        "count",
        "disordered",
        "doc",
        "failure",
        "first",
        "seconds",
        "ts",
        "txn",
    )  # fmt: skip

    def __init__(
        self, doc: str, detector: Detector, ranking: Ranking, collector: Collector, *, defers: bool,
        follows_edits: bool,
    ) -> None:  # fmt: skip
        self.doc = doc
        self.ts = 0
        self.clock: tuple[int, int] | None = None  # time point and time of the last clock record
        self.txn: int | None = None
        self.first = 0
        self.count = 0
        self.disordered = False
        self.seconds = 0.0
        self.failure: Failure | None = None  # after which it is left alone
        self._awake: Detector | None = detector
        self._checked = 0  # at how many records it was seen that something is kept
        self._defers = defers
        self._follows_edits = follows_edits
        self._edit_goes_on = False
        self._ranking = ranking
        self._collector = collector
        self._last: PrimitiveEvent | None = None
        # About them the next record decides: has the transaction ended before them?
        self._waiting: list[tuple[LogFile, int, ClockRecord] | CompositeEvent] = []
        self._encode = ranking.encode
        self._pending: list[CompositeEvent] = []  # of the current time point, or edit
        self._counts: dict[str, int] = {}
        self._replayed: dict[tuple[str, PathType], int] = defaultdict(int)  # records
        self._lines: list[bytes] = []
        self._number = 0  # of the first of them
        self._size = 0

    @property
    def _detector(self) -> Detector:
        assert self._awake is not None
        return self._awake

    @property
    def is_asleep(self) -> bool:
        """Whether it has no detector, because it needs none before its next record."""
        return self._awake is None

    def wake(self, detector: Detector) -> None:
        """Gets a detector that is as new, for its next records."""
        self._awake = detector

    def sleep(self) -> Detector | None:
        """Gives its detector away, if that keeps nothing of the document; None if it does, or might.

        A document that keeps something is looked at again when it has had as many records more.
        """
        if self.count < 2 * self._checked or self._waiting or self._awake is None:
            return None
        if self.failure is not None or not self._awake.is_as_new():
            self._checked = self.count
            return None
        self._settle()
        self._collector.replayed.update(self._replayed)
        self._replayed.clear()
        detector, self._awake, self._checked = self._awake, None, 0
        return detector

    def follows(self, ts: int) -> bool:
        """Whether a change record of this time point comes after all that was replayed."""
        return ts > self.ts and (self.clock is None or ts > self.clock[0])

    def has_reached(self, clock: ClockRecord) -> bool:
        """Whether a clock record comes after all that was replayed."""
        return clock.ts >= self.ts and (self.clock is None or (clock.ts, clock.time) >= self.clock)

    def take_clock(self, file: LogFile, number: int, clock: ClockRecord) -> None:
        """Takes the next clock record."""
        self.clock = clock.ts, clock.time
        self._waiting.append((file, number, clock))
        if self.txn is None:
            self._end_waiting(None)

    def is_at(self, ts: int) -> bool:
        """Whether an external event of this time point belongs to the record before it (L7)."""
        return ts == self.ts and (self.clock is None or self.clock[0] <= ts)

    def take_raised(self, event: CompositeEvent) -> None:
        """Replays an external event that a rule has raised (L7), at the record before it."""
        if self.txn is not None and (self._waiting or event.cause.txn != self.txn):
            self._waiting.append(event)
        else:
            self._raise(event)

    def _end_waiting(self, txn: int | None) -> None:
        """Now it is known to which transaction the record behind what waits belongs.

        If the open one goes on clock records are bad, else it has ended before all of them (D3).
        """
        waiting, self._waiting = self._waiting, []
        goes_on = self.txn is not None and txn == self.txn
        if self.txn is not None and not goes_on:
            self._flush()
            self.txn = None
        for each in waiting:
            if isinstance(each, CompositeEvent):
                self._raise(each)
                continue
            file, number, clock = each
            if goes_on:
                bad = clock_in_transaction(clock, Origin(file.name, number))
                self._collector.quarantine.add(file, bad, self.doc)
            else:
                self._advance(clock.at)

    def _raise(self, event: CompositeEvent) -> None:
        try:
            self._raised(self._detector.raise_external(event))
        except EvaluationError as error:
            self._fail(error)

    def _advance(self, time: str) -> None:
        """Time has passed (W6): what is due fires here."""
        try:
            self._raised(self._detector.advance(time))
        except EvaluationError as error:
            self._fail(error)
        self._edit_goes_on = False

    def _flush(self) -> None:
        try:
            self._raised(self._detector.flush(self._last))
        except EvaluationError as error:
            self._fail(error)

    def _end_edit(self) -> None:
        try:
            self._raised(self._detector.end_edit())
        except EvaluationError as error:
            self._fail(error)

    def _fail(self, error: EvaluationError) -> None:
        self.failure = Failure.of(error)
        self._detector.reset()
        self._detector.close()  # and so it ignores what follows

    def take(self, row: Row) -> None:
        """Replays the next record."""
        txn = row[9]
        if self._waiting:
            self._end_waiting(txn)
        if txn != self.txn:
            if self.txn is not None:
                self._flush()
            elif self._edit_goes_on:
                self._end_edit()
            self._edit_goes_on = False
            self.txn = txn
        if not self._edit_goes_on:
            self._settle()
        self._edit_goes_on = self._follows_edits and row[11]
        if not self.count:
            self.first = row[0]
        self.count += 1
        self.ts = row[0]
        self._replayed[row[1], row[2]] += 1
        self._last = _new_tuple(PrimitiveEvent, row)
        try:
            raised = self._detector.feed(self._last)
        except EvaluationError as error:
            self._fail(error)
        else:
            if raised:
                self._raised(raised)

    def follow(self, file: LogFile, run: Run) -> None:
        """Replays the next records, of which those that cannot matter may have been left out."""
        if self._defers:
            self._follow_all(file, run)
            return
        span = run.span
        before = [each for each in run.clocks if each[1].ts < span.first]
        for number, clock in before:
            self.take_clock(file, number, clock)
        if self._waiting:
            self._end_waiting(span.first_txn)
        if not self.count:
            self.first = span.first
        self.count += span.records
        for type_, count in run.counts:
            self._replayed[type_.op, type_.path] += count
        self.txn = None  # clock records between two of the records stand in no transaction
        done = 0
        behind = len(run.clocks)
        for index, (number, clock) in enumerate(run.clocks[len(before) :], start=len(before)):
            if clock.ts >= span.last:
                behind = index
                break
            until = bisect_right(run.rows, clock.ts, lo=done, key=_ts_of)
            self._replay(run.rows[done:until])
            self.take_clock(file, number, clock)
            done = until
        self._replay(run.rows[done:] if done else run.rows)
        self.ts, self.txn = span.last, span.last_txn
        for number, clock in run.clocks[behind:]:
            self.take_clock(file, number, clock)

    def _follow_all(self, file: LogFile, run: Run) -> None:
        """The same, where nothing may have been left out, for any record may release what waits."""
        done = 0
        for number, clock in run.clocks:
            until = bisect_right(run.rows, clock.ts, lo=done, key=_ts_of)
            for row in run.rows[done:until]:
                self.take(row)
            self.take_clock(file, number, clock)
            done = until
        for row in run.rows[done:]:
            self.take(row)

    def _replay(self, rows: list[Row]) -> None:
        try:
            for composite in self._detector.replay(rows):  # type: ignore[arg-type]
                if self._pending and self._pending[0][7][0] != composite[7][0]:
                    self._settle()
                self._pending.append(composite)
        except EvaluationError as error:
            self._fail(error)

    def finish(self, until: str | None = None) -> None:
        """Closes the document's trees; before that time goes on ``until`` then (W6)."""
        if not self.count:  # there were clock records only
            return
        started = perf_counter()
        if self._awake is not None:
            if self._waiting or until is not None:
                self._end_waiting(None)
            if until is not None:
                self._advance(until)
            if self._last is not None:
                self._flush()
                self._detector.reset()
        self._settle()
        self.spool()
        self._collector.findings_of[self.doc] = self._counts
        self._collector.replayed.update(self._replayed)
        self._collector.document(self.doc, self.first, self.ts, self.count, disordered=self.disordered)
        self._collector.seconds(self.doc, self.seconds + perf_counter() - started)

    def _raised(self, composites: list[CompositeEvent]) -> None:
        if not composites:
            return
        self._pending += composites

    def _settle(self) -> None:
        """Puts the findings of time points that are over into their order."""
        pending = self._pending
        if len(pending) > 1:
            pending.sort(key=self._order)
        counts, lines, collector = self._counts, self._lines, self._collector
        for composite in pending:
            line = (
                self._encode(composite) + b"\n"
            )  # a copy: what the encoder gives may hold four times its length
            lines.append(line)
            self._size += len(line)
            collector.held += len(line)
            counts[composite[0]] = counts.get(composite[0], 0) + 1
        pending.clear()
        if len(lines) >= _SPOOLED or self._size >= _SPOOLED_BYTES:
            self.spool()

    def _order(self, composite: CompositeEvent) -> tuple[Any, ...]:
        return composite[7][0], *self._ranking.place(composite)

    def spool(self) -> None:
        """Puts the findings that it holds on disk."""
        if not self._lines:
            return
        self._collector.spool.add_findings(self.doc, self._number, b"".join(self._lines))
        self._collector.held -= self._size
        self._number += len(self._lines)
        self._lines = []
        self._size = 0
