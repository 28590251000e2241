"""Findings that a timer raised, and the time points at which it did (rule W5).

A timer fires at the first record that is behind its time, or at a clock record. Which of a document's records that is
its key does not tell, so a finding of a timer carries the time at which it was due, and its time point is looked up: in
the segment that reaches beyond this time, among all that the clock of the document showed there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ...events import CompositeEvent
from ...timestamps import microseconds
from ..failures import BEFORE, BEHIND, Failure
from ..findings.order import Ranking
from .chunks import Chunk, ChunkKind
from .distinct import Numbers
from .document_clock import BEYOND, UNKNOWN, DocumentClock
from .finding_chunks import common_columns, finding_chunk
from .ipc import from_ipc, to_ipc
from .whole_log import WholeLog

_FIRST = -1  # the number of chunks that say what clocks show: they come before those of findings
_AT_ONCE = 2000  # findings
_MOST_CHUNKS = 1 << 40  # of a bucket


class Fired(NamedTuple):
    """A finding of a timer: when it was due, and the place of the first clock record that makes it fire."""

    doc: str
    composite: CompositeEvent
    due: int
    limit: int


class FiringFailure(NamedTuple):
    """A timer of a document cannot be evaluated: the event, in words why, when it was due; in which segment that is a
    time point, and the place of the first clock record that makes it fire."""

    doc: str
    event: str
    problem: str
    due: int
    segment: int
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

    def take(self) -> Iterator[Chunk]:
        """Chunks of what was added."""
        held, self._held, self._count = self._held, {}, 0
        for place, fired in sorted(held.items()):
            self._number += 1
            content = to_ipc(self._table(fired))
            yield Chunk(ChunkKind.FIRINGS, 0, 0, place, self._bucket, self._number, content)

    def _table(self, fired: Sequence[Fired]) -> pa.Table:
        docs, composites, due, limits = zip(*fired, strict=True)
        before, behind = zip(*map(self._ranking.around_ts, composites), strict=True)
        return pa.table(
            {
                **common_columns(self._ranking, docs, composites),
                "due": pa.array(due, pa.int64()), "limit": pa.array(limits, pa.int64()),
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
    """Gives what timers raised its time points, segment by segment."""

    def __init__(self, whole: WholeLog) -> None:
        self._whole = whole

    def findings(self, chunks: Iterable[Chunk]) -> Iterator[Chunk]:
        """Chunks of findings from those of firings and of clocks, which come in order of segment and number."""
        for segment, together in groupby(chunks, key=lambda chunk: chunk.segment):
            clocks: dict[str, tuple[Numbers, Numbers]] = {}
            for chunk in together:
                if chunk.kind == ChunkKind.CLOCKS:
                    clocks.update(self._clocks(segment, from_ipc(chunk.content)))
                else:
                    yield from self._placed(chunk, clocks)

    def failure(self, found: FiringFailure, chunks: Iterable[Chunk]) -> Failure:
        """The failure at its time point; ``chunks`` are those of the clocks of its segment."""
        for chunk in chunks:
            clocks = dict(self._clocks(found.segment, from_ipc(chunk.content)))
            if found.doc in clocks:
                ts = int(_first_behind(clocks[found.doc], found.due))
                side = BEHIND if ts > found.limit else BEFORE
                return Failure(min(ts, found.limit), found.event, found.problem, side, found.due)
        raise AssertionError(f"no clock of {found.doc!r} in segment {found.segment}")

    def _clocks(self, segment: int, table: pa.Table) -> Iterator[tuple[str, tuple[Numbers, Numbers]]]:
        """Of each document the ts of its records, and what its clock shows there."""
        docs = table["doc"].combine_chunks()
        codes = docs.indices.to_numpy()
        order = np.argsort(codes, kind="stable")
        bounds = np.searchsorted(codes[order], np.arange(len(docs.dictionary) + 1))
        ts, edits = (table[name].to_numpy() for name in ("ts", "edit"))
        times = table["time"].fill_null(UNKNOWN).to_numpy()
        for code, doc in enumerate(docs.dictionary.to_pylist()):
            time = self._whole.ends.time(doc)
            reading = None if time is None else time.readings.get(segment)
            if reading is None:
                continue  # its records are sorted first
            rows = order[bounds[code] : bounds[code + 1]]
            shown = np.maximum(times[rows], UNKNOWN if reading.time is None else reading.time)
            if edits[rows[0]] in self._whole.ends.edits(doc):  # goes on here: the clock stands still
                stands = UNKNOWN if reading.edit_time is None else reading.edit_time
                shown[edits[rows] == edits[rows[0]]] = stands
            yield doc, (ts[rows], shown)

    def _placed(self, chunk: Chunk, clocks: Mapping[str, tuple[Numbers, Numbers]]) -> Iterator[Chunk]:
        table = from_ipc(chunk.content)
        docs = table["doc"].combine_chunks()
        names, codes = docs.dictionary.to_pylist(), docs.indices.to_numpy()
        due, limits = (table[name].to_numpy() for name in ("due", "limit"))
        at_record = np.full(len(table), BEYOND)
        for code, doc in enumerate(names):
            rows = np.flatnonzero(codes == code)
            at_record[rows] = _first_behind(clocks[doc], due[rows])
        found = np.minimum(at_record, limits)
        target = np.empty(len(table), np.int64)
        for code, doc in enumerate(names):
            rows = np.flatnonzero(codes == code)
            first, cuts = self._whole.ranges.of_document(doc)
            target[rows] = first + np.searchsorted(cuts, found[rows], side="right")
        texts = pa.array(map(str, found.tolist())).cast(pa.large_binary())
        # What ends a line, and what stands between its parts.
        end, nothing = (pa.scalar(each, pa.large_binary()) for each in (b"\n", b""))
        lines = pc.binary_join_element_wise(table["before"], texts, table["behind"], end, nothing)
        placed = table.drop_columns(["due", "limit", "before", "behind"])
        placed = placed.append_column("ts", pa.array(found)).append_column("line", lines)
        # Behind all that a record raises comes what is due at a clock record there; before it what it makes due.
        behind = at_record > limits
        for late, each in sorted(
            {(bool(late), int(each)) for late, each in zip(behind, target, strict=True)}
        ):
            rows = np.flatnonzero((behind == late) & (target == each))
            number = chunk.number + (_MOST_CHUNKS if late else -_MOST_CHUNKS)
            its = placed.take(pa.array(rows)).combine_chunks()
            line = its["line"].chunk(0)
            columns = {name: its[name].chunk(0) for name in its.column_names if name != "line"}
            sizes = pc.binary_length(line).to_numpy()
            text = memoryview(line.buffers()[2])[: sizes.sum()]
            yield finding_chunk(each, chunk.source, number, columns, sizes, [text])


def _first_behind(clock: tuple[Numbers, Numbers], due: Any) -> Any:
    """The ts of the first record at which a clock shows more than this."""
    ts, times = clock
    return np.append(ts, BEYOND)[np.searchsorted(times, due, side="right")]
