"""Findings that a timer raised, and the time points at which it did (rule W5).

A timer fires at the first record that is behind its time, or at a clock record. Which of a document's records that is
its key does not tell, so a finding of a timer carries the time at which it was due, and its time point is looked up: in
the segment that reaches beyond this time, among all that the clock of the document showed there.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ...events import CompositeEvent
from ...timestamps import microseconds
from ..findings.order import Ranking
from .chunks import Chunk, ChunkKind, Numbers
from .finding_chunks import FindingRanges, common_columns
from .ipc import from_ipc, to_ipc
from .segment_summary import ClockReading

_NEVER = -(1 << 62)  # before all times: it is not known yet
_BEYOND = (1 << 63) - 1  # a time point behind all
_END = pa.scalar(b"\n", pa.large_binary()), pa.scalar(b"", pa.large_binary())  # of a line; between its parts
_FIRST = -1  # the number of chunks that say what clocks show: they come before those of findings
_AT_ONCE = 2000  # findings
_MOST_CHUNKS = 1 << 40  # of a bucket


class DocumentClock(NamedTuple):
    """How the clock of a document went on.

    ``times`` says of each of the ``segments`` that have records of it what the clock showed in the last edit there
    (W1). ``advances`` are the times of the clock records that had an effect (W6), ``places`` the ts of the last change
    record before each.
    """

    segments: Sequence[int]
    times: Sequence[int]
    places: Sequence[int]
    advances: Sequence[int]

    @classmethod
    def of(
        cls, times: Iterable[tuple[int, int | None]], advances: Sequence[tuple[int, int]]
    ) -> DocumentClock:
        """From the segments with their times, and the places of clock records with theirs."""
        segments, shown = zip(*times, strict=True)
        known = [_NEVER if time is None else time for time in shown]
        return cls(segments, known, [place for place, _ in advances], [time for _, time in advances])

    def over(self, after: int, ts: int | None, time: int | None) -> int | None:
        """Up to which time, itself included, timers have fired that were set at record ``after`` or before, when record
        ``ts`` comes at which the clock shows ``time`` (None: when the document ends). None: no time is known."""
        if ts is None:
            found, last = self.times[-1], len(self.places)
        else:
            found, last = _NEVER if time is None else time, bisect_left(self.places, ts)
        if last > bisect_left(self.places, after):  # clock records between the two
            return max(self.advances[last - 1], found - 1)
        return None if found == _NEVER else found - 1

    def place(self, after: int, due: int) -> tuple[int, int]:
        """Where a timer fires that was due then, set at record ``after`` or before: at the first record behind that in
        this segment, or at a clock record that stands behind this ts if that comes first."""
        segment = min(bisect_right(self.times, due), len(self.segments) - 1)
        advance = max(bisect_left(self.places, after), bisect_left(self.advances, due))
        return self.segments[segment], self.places[advance] if advance < len(self.places) else _BEYOND


class Fired(NamedTuple):
    """A finding of a timer: when it was due, and the place of the first clock record that makes it fire."""

    doc: str
    composite: CompositeEvent
    due: int
    limit: int


class FiringWriter:
    """Collects what timers raise in a bucket, by the segment that tells at which time point."""

    def __init__(self, ranking: Ranking, bucket: int) -> None:
        self._ranking = ranking
        self._bucket = bucket
        self._number = 0
        self._count = 0
        self._held: dict[int, list[Fired]] = {}

    @property
    def is_large(self) -> bool:
        """Whether chunks should be taken."""
        return self._count >= _AT_ONCE

    def add(self, doc: str, composites: Sequence[CompositeEvent], clock: DocumentClock, after: int) -> None:
        """Takes what timers raised, one after the other, that had not been due at record ``after``."""
        self._count += len(composites)
        for composite in composites:
            at = composite.cause.at
            assert at is not None
            due = microseconds(at)
            segment, limit = clock.place(after, due)
            self._held.setdefault(segment, []).append(Fired(doc, composite, due, limit))

    def take(self, segment: int) -> Iterator[Chunk]:
        """Chunks of what was added, found in this segment."""
        held, self._held, self._count = self._held, {}, 0
        for place, fired in sorted(held.items()):
            self._number += 1
            content = to_ipc(self._table(segment, fired))
            yield Chunk(ChunkKind.FIRINGS, 0, 0, place, self._bucket, self._number, content)

    def _table(self, found: int, fired: Sequence[Fired]) -> pa.Table:
        docs, composites, due, limits = zip(*fired, strict=True)
        before, behind = zip(*map(self._ranking.around_ts, composites), strict=True)
        return pa.table(
            {
                **common_columns(self._ranking, docs, composites),
                "due": pa.array(due, pa.int64()), "limit": pa.array(limits, pa.int64()),
                "found": pa.array([found] * len(fired), pa.int64()),
                "before": pa.array(before, pa.large_binary()), "behind": pa.array(behind, pa.large_binary()),
            }
        )  # fmt: skip


class ClockWriter:
    """Collects what the clocks of documents show in a segment, record by record, as far as the segment tells."""

    def __init__(self) -> None:
        self._tables: list[pa.Table] = []

    def add(self, docs: Sequence[str], columns: Mapping[str, Any]) -> None:
        """Takes records of these documents, which their ``doc`` says by number."""
        names = pa.DictionaryArray.from_arrays(columns["doc"].cast(pa.int32()), pa.array(docs, pa.string()))
        shown = {name: columns[name] for name in ("ts", "edit", "time")}
        self._tables.append(pa.table({"doc": names, **shown}))

    def take(self, segment: int) -> Iterator[Chunk]:
        """What was added, which is of this segment."""
        tables, self._tables = self._tables, []
        if tables:
            table = pa.concat_tables(tables).unify_dictionaries().combine_chunks()
            yield Chunk(ChunkKind.CLOCKS, 0, 0, segment, 0, _FIRST, to_ipc(table))


class FiringPlaces:
    """Gives what timers raised its time points, segment by segment.

    ``readings`` and ``edits`` as in `WholeLog`.
    """

    def __init__(
        self, readings: Mapping[str, Mapping[int, ClockReading]], edits: Mapping[str, Mapping[int, int]],
        ranges: FindingRanges,
    ) -> None:  # fmt: skip
        self._readings = readings
        self._edits = edits
        self._ranges = ranges

    def findings(self, chunks: Iterable[Chunk]) -> Iterator[Chunk]:
        """Chunks of findings from those of firings and of clocks, which come in order of segment and number."""
        for segment, together in groupby(chunks, key=lambda chunk: chunk.segment):
            clocks: dict[str, tuple[Numbers, Numbers]] = {}
            for chunk in together:
                if chunk.kind == ChunkKind.CLOCKS:
                    clocks.update(self._clocks(segment, from_ipc(chunk.content)))
                else:
                    yield from self._placed(chunk, clocks)

    def _clocks(self, segment: int, table: pa.Table) -> Iterator[tuple[str, tuple[Numbers, Numbers]]]:
        """Of each document the ts of its records, and what its clock shows there."""
        docs = table["doc"].combine_chunks()
        codes = docs.indices.to_numpy()
        order = np.argsort(codes, kind="stable")
        bounds = np.searchsorted(codes[order], np.arange(len(docs.dictionary) + 1))
        ts, edits = (table[name].to_numpy() for name in ("ts", "edit"))
        times = table["time"].fill_null(_NEVER).to_numpy()
        for code, doc in enumerate(docs.dictionary.to_pylist()):
            reading = self._readings.get(doc, {}).get(segment)
            if reading is None:
                continue  # its records are sorted first
            rows = order[bounds[code] : bounds[code + 1]]
            shown = np.maximum(times[rows], _NEVER if reading.time is None else reading.time)
            if edits[rows[0]] in self._edits.get(doc, ()):  # goes on here: the clock stands still
                stands = _NEVER if reading.edit_time is None else reading.edit_time
                shown[edits[rows] == edits[rows[0]]] = stands
            yield doc, (ts[rows], shown)

    def _placed(self, chunk: Chunk, clocks: Mapping[str, tuple[Numbers, Numbers]]) -> Iterator[Chunk]:
        table = from_ipc(chunk.content)
        docs = table["doc"].combine_chunks()
        names, codes = docs.dictionary.to_pylist(), docs.indices.to_numpy()
        due, limits = (table[name].to_numpy() for name in ("due", "limit"))
        at_record = np.full(len(table), _BEYOND)
        for code, doc in enumerate(names):
            rows = np.flatnonzero(codes == code)
            ts, times = clocks[doc]
            at_record[rows] = np.append(ts, _BEYOND)[np.searchsorted(times, due[rows], side="right")]
        found = np.minimum(at_record, limits)
        target = np.empty(len(table), np.int64)
        for code, doc in enumerate(names):
            rows = np.flatnonzero(codes == code)
            first, cuts = self._ranges.of_document(doc)
            target[rows] = first + np.searchsorted(cuts, found[rows], side="right")
        texts = pa.array(map(str, found.tolist())).cast(pa.large_binary())
        lines = pc.binary_join_element_wise(table["before"], texts, table["behind"], *_END)
        placed = table.drop_columns(["due", "limit", "found", "before", "behind"])
        placed = placed.append_column("ts", pa.array(found)).append_column("line", lines)
        segment = table["found"][0].as_py()
        # Behind all that a record raises comes what is due at a clock record there; before it what it makes due.
        behind = at_record > limits
        for late, each in sorted(
            {(bool(late), int(each)) for late, each in zip(behind, target, strict=True)}
        ):
            rows = np.flatnonzero((behind == late) & (target == each))
            number = chunk.number + (_MOST_CHUNKS if late else -_MOST_CHUNKS)
            content = to_ipc(placed.take(pa.array(rows)))
            yield Chunk(ChunkKind.FINDINGS, 0, each, segment, chunk.source, number, content)
