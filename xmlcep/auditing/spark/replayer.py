"""Replaying a bucket: its rows in, findings out, and composites for the passes that take them later.

One detector per pass and document sees all keys of the bucket, each group by itself (H1), as it would see them in
the whole document.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, repeat
from typing import Any

from ...engine import Detector, EvaluationError
from ...events import CompositeEvent, PrimitiveEvent
from ...events import TimePoint as Elsewhere
from ...log.json_codec import FASTEST
from ...log.records import Control, raised_event
from ..failures import BEFORE, BEHIND, Failure, Failures, ReplayError
from ..findings.encoding import decode_composite
from ..plan.partition_key import Plan
from .bucket_loads import RoutedLoad
from .chunk_reading import ChunkReader, RowRun
from .chunks import Chunk, Mark
from .composite_forwarding import CompositeForwarding
from .detector_pool import DetectorPool
from .finding_chunks import FindingChunkWriter
from .firings import FiringFailure, FiringWriter
from .live_detector import LiveDetector
from .segment_summary import FIRST_SORTED_SEGMENT, ClockReading, later
from .whole_log import WholeLog

_AT_ONCE = 64  # composites: few, for what they are made of should be at hand when they are written
_NONE: Mapping[int, int] = {}
_NO_READING: tuple[int | None, int] = (None, 0)
_new_tuple = tuple.__new__


class BucketReplayer:
    """Replays the chunks of one bucket, segment by segment; answers with chunks of findings and composites.

    ``findings`` collects what is found, of several buckets of a task: chunks come when there is much of it, and whoever
    gave it takes what is left. Whatever fails while a document is replayed, `ReplayError` says where.
    """

    def __init__(
        self, plan: Plan, bucket: int, buckets: int, whole: WholeLog, detectors: DetectorPool,
        findings: FindingChunkWriter,
    ) -> None:  # fmt: skip
        self._plan = plan
        self._buckets = buckets
        self._ends = whole.ends
        self._has_all_ends = plan.closes_documents
        self._headers = whole.headers
        self._resorted = whole.resorted
        self._detectors = detectors
        self._reader = ChunkReader()
        self._findings = findings
        self._firings = FiringWriter(findings.ranking, bucket)
        self.load = RoutedLoad(plan)
        """What goes to later levels."""
        self._forwarding = CompositeForwarding(plan, buckets, self.load)
        # Where a transaction ends is said by marks, which `Detector.replay` would not wait for.
        self._needs_marks = [each.has_flushes or each.follows_edits or each.measures for each in plan.passes]
        self._live: dict[tuple[int, str], LiveDetector] = {}
        self._by_end: dict[int, dict[tuple[int, str], None]] = {}
        self._now: int | None = None  # the time point at which something failed
        self._mark = Mark.RECORD  # of the row at which that was
        self.failures = Failures(plan.rules)
        """The documents that cannot be replayed to their end."""
        self.firing_failures: list[FiringFailure] = []
        """Those where a timer cannot be evaluated, at a time point that comes out later."""
        self.seconds: dict[str, float] = {}
        """How long each document took."""
        self.records: dict[int, Counter[str]] = {}
        """How many records each pass was fed, by its index: operation and path as one text, and the number."""

    def replay(self, segment: int, contents: Sequence[bytes], *, sort: bool = False) -> Iterator[Chunk]:
        """Replays the rows of a segment; ``sort``: some of them have their places between those of other chunks."""
        for ended in sorted(end for end in self._by_end if end < segment):
            yield from self._close(ended)
        left_out = self._resorted if segment < FIRST_SORTED_SEGMENT else ()
        for table in self._reader.tables(contents, sort=sort):
            for pass_index, counts in table.records(left_out):
                self.records.setdefault(pass_index, Counter()).update(counts)
            for run in table.runs():
                if self._has_all_ends and run.doc not in self._ends:
                    continue  # it has a header, but no records
                live = self._live_detector(run.pass_index, run.doc, segment)
                if run.doc not in left_out:
                    yield from self._followed(segment, run.doc, live, self._run(run, live, segment))
                    live.fed(segment, run)
                    self._free(run.pass_index, run.doc, live)
                elif not run.plain:
                    yield from self._followed(segment, run.doc, live, self._add_fragments(run, live))
        yield from self._take()

    def finish(self) -> Iterator[Chunk]:
        """Closes what is still open."""
        for ended in sorted(self._by_end):
            yield from self._close(ended)

    def _close(self, segment: int) -> Iterator[Chunk]:
        """Closes the trees of the documents that end in this segment (D3)."""
        for pass_index, doc in self._by_end.pop(segment):
            live = self._live.pop((pass_index, doc))
            if self._has_all_ends:
                ts, at, txn, meta, *_ = self._ends[doc].point
                self._now = ts
                cause = Elsewhere(ts, at, doc, txn, None if meta is None else FASTEST.loads(meta.encode()))
                yield from self._followed(segment, doc, live, self._end(pass_index, doc, live, cause))
            live.detector.reset()
            self._detectors.give(pass_index, live.detector)
        yield from self._take()

    def _end(
        self, pass_index: int, doc: str, live: LiveDetector, cause: Elsewhere
    ) -> Iterator[Sequence[CompositeEvent]]:
        if self._plan.passes[pass_index].fires_in_keys:
            yield live.detector.end_edit()
            self._fire(doc, live, None, None)
        yield live.detector.flush(cause)

    def _fire(self, doc: str, live: LiveDetector, ts: int | None, time: int | None) -> None:
        """Fires what is due before the record of this ts, at which the clock shows this time; at the document's end if
        they are None."""
        assert live.time is not None
        clock = live.time.clock
        over = clock.over(live.fired, ts, time)
        if over is None:
            return
        try:
            fired = live.detector.advance(over)
        except EvaluationError as error:
            due = live.detector.setting.clock.fired
            assert due is not None
            place = clock.place(live.fired, due)
            self.firing_failures.append(FiringFailure(doc, error.event, str(error), due, *place))
            _give_up(live.detector)
            return
        self._firings.add(doc, fired, clock, live.fired)

    def _failure(self, error: EvaluationError, live: LiveDetector) -> Failure:
        """The failure that an error is, a timer's if one fires."""
        due, failure = live.detector.setting.clock.fired, Failure.of(error)
        if due is None:
            return failure
        return failure._replace(side=BEHIND if self._mark == Mark.CLOCK else BEFORE, due=due)

    def _take(self) -> Iterator[Chunk]:
        yield from self._firings.take()
        yield from self._forwarding.take()

    def _followed(
        self, segment: int, doc: str, live: LiveDetector, raised: Iterable[Sequence[CompositeEvent]]
    ) -> Iterator[Chunk]:
        """Takes what is raised in a document, and the time that takes; chunks when there is much of it."""
        started = time.perf_counter()
        try:
            for composites in raised:
                if composites:
                    self._findings.add(doc, self._forwarding.add(doc, composites, live, segment))
                if self._findings.is_large or self._firings.is_large:
                    self._count_time(doc, started)
                    yield from self._findings.take()
                    yield from self._firings.take()
                    started = time.perf_counter()
        except EvaluationError as error:
            self.failures.add(doc, self._failure(error, live))
            _give_up(live.detector)
        except Exception as error:
            raise self._failed(doc, error) from error
        self._count_time(doc, started)

    def _failed(self, doc: str, error: Exception) -> ReplayError:
        at = "" if self._now is None else f" at time point {self._now}"
        what = " ".join(f"{type(error).__name__}: {error}".split())
        return ReplayError(f"document {doc!r} cannot be replayed{at}: {what}")

    def _count_time(self, doc: str, started: float) -> None:
        self.seconds[doc] = self.seconds.get(doc, 0.0) + time.perf_counter() - started

    def _live_detector(self, pass_index: int, doc: str, segment: int) -> LiveDetector:
        live = self._live.get((pass_index, doc))
        if live is None:
            end = self._ends.segment(doc)
            time = self._ends.time(doc) if self._plan.passes[pass_index].reads_clock else None
            live = LiveDetector(self._detectors.take(pass_index), segment if end is None else end, time)
            self._live[pass_index, doc] = live
            self._by_end.setdefault(live.end, {})[pass_index, doc] = None
        return live

    def _free(self, pass_index: int, doc: str, live: LiveDetector) -> None:
        """Gives the detector to the next document if nothing of this one waits: so memory depends on what waits, not on
        how many documents there are."""
        if live.is_free():
            del self._live[pass_index, doc]
            del self._by_end[live.end][pass_index, doc]
            self._detectors.give(pass_index, live.detector)

    def _run(self, run: RowRun, live: LiveDetector, segment: int) -> Iterator[Sequence[CompositeEvent]]:
        if not run.plain or self._needs_marks[run.pass_index]:
            yield from self._add_fragments(run, live)
            yield from self._run_marked(run, live, segment)
            return
        self._now = None
        raised = live.detector.replay(run.rows())  # type: ignore[arg-type]
        try:
            while composites := list(islice(raised, _AT_ONCE)):
                yield composites
        except Exception:
            self._now = run.table.ts[run.table.position - 1]
            raise

    def _add_fragments(self, run: RowRun, live: LiveDetector) -> Iterator[Sequence[CompositeEvent]]:
        self._now = 0
        for xml, ids, path, header in run.fragments():
            if self._headers.get(run.doc) == header:
                live.detector.add_fragment(xml, ids, path)
        yield ()

    def _run_marked(
        self, run: RowRun, live: LiveDetector, segment: int
    ) -> Iterator[Sequence[CompositeEvent]]:
        raised: list[CompositeEvent] = []
        is_forwarded = False
        try:
            for some in self._raised_by_marked(run, live, segment):
                if some:
                    raised += some
                    is_forwarded = is_forwarded or self._forwarding.takes(some)
                if (some is None and is_forwarded) or len(raised) >= _AT_ONCE:
                    yield raised
                    raised, is_forwarded = [], False
        except Exception:
            yield raised
            raise
        yield raised

    def _raised_by_marked(
        self, run: RowRun, live: LiveDetector, segment: int
    ) -> Iterator[Sequence[CompositeEvent] | None]:
        """What rows raise; None where that has to be handed on, if it goes to other passes: before an edit begins (see
        `LiveDetector`)."""
        doc, detector = run.doc, live.detector
        each = self._plan.passes[run.pass_index]
        follows_edits, reads_clock = each.follows_edits or each.measures, each.reads_clock
        fires = each.fires_in_keys
        start = live.time.readings[segment] if live.time is not None else None
        edits = self._ends.edits(doc)
        cause: Any = None
        composites: list[CompositeEvent] = []  # that came with `cause`
        readings = run.readings() if reads_clock else repeat(_NO_READING)
        for (mark, event, composite, number), (shown, transaction) in zip(
            run.marked_rows(), readings, strict=reads_clock
        ):
            if cause is not None and (mark not in (Mark.RECORD, Mark.COMPOSITE) or event[0] != cause[0]):
                yield detector.feed(cause, composites)
                cause, composites = None, []
            self._now, self._mark = event[0], mark
            if follows_edits and number is not None and (edit := edits.get(number, number)) != live.edit:
                # The edit before is over, even if its last record is not among those of this key (U1).
                if detector.is_in_edit:
                    yield detector.end_edit()
                yield None
                live.begin_edit(edit)
                if fires:
                    assert start is not None
                    self._fire(doc, live, event[0], _time_at(start, shown, number in edits))
                    yield None
            if fires and number is not None:
                live.fired = event[0]
            if start is not None and (mark == Mark.RECORD or fires):
                now = _time_at(start, shown, number in edits)
                detector.set_clock(now, start.transactions + transaction)
            if mark == Mark.RECORD:
                raised = detector.feed(_new_tuple(PrimitiveEvent, event), composites)
                if raised:
                    yield raised
                if composites:
                    cause, composites = None, []
            elif mark == Mark.COMPOSITE:
                if cause is None:
                    cause = _new_tuple(PrimitiveEvent, event)
                assert composite is not None
                composites.append(decode_composite(composite, cause))
            elif mark == Mark.BOUNDARY:
                yield detector.elsewhere(_point(doc, event), more=follows_edits)
            elif mark == Mark.FLUSH:
                yield detector.flush(_point(doc, event))
            elif mark == Mark.RAISED:
                assert composite is not None
                control = Control.from_record(FASTEST.loads(composite))
                yield detector.raise_external(raised_event(control))
            else:
                yield detector.advance(event[7])
        if cause is not None:
            yield detector.feed(cause, composites)


def _give_up(detector: Detector) -> None:
    """It ignores what follows."""
    detector.reset()
    detector.close()


def _time_at(start: ClockReading, shown: int | None, goes_on: bool) -> int | None:
    """What the clock shows at a row, by what it shows where the segment begins, and in it; ``goes_on``: the edit is one
    of a segment before."""
    return start.edit_time if goes_on else later(start.time, shown)


def _point(doc: str, event: tuple[Any, ...]) -> Elsewhere:
    """The time point of a mark."""
    return _new_tuple(Elsewhere, (event[0], event[7], doc, event[9], event[10]))
