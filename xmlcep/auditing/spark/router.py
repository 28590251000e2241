"""Sending records to the buckets they concern, with the markers that stand for what happens elsewhere.

A bucket does not see foreign records. Two things about them matter there, and a marker says each: the first
change elsewhere after a run of a key's own (it releases non-local groups, D2), and the end of a transaction in
which a key was touched (a flush, D3).

A log is read in segments, each by itself. What is open at the end of a segment is settled afterwards from
the segments' summaries (`seams`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ...log.columns.blocks import RecordTypes, Span
from ..plan.partition_key import DOCUMENT, FOREIGN, VALUE, Pass, Plan
from .bucket_loads import Key, RoutedLoad
from .chunks import ChunkWriter, Mark, buckets_of, hash_of
from .distinct import Numbers
from .segment_summary import SegmentDocument, SegmentSummary, TimePoint, point_columns


class Records:
    """Good records in file order: Arrow columns ``doc`` and ``type`` (codes), ``ts``, ``ids``, ``value``, ``old``,
    ``at``, ``txn``, ``meta`` and perhaps ``pos``, ``more``, ``edit``, ``time``, ``transaction``. What the routing looks
    at is there as numbers."""

    def __init__(self, columns: dict[str, Any], deletes: Any) -> None:
        self.columns = columns
        self._deletes = deletes  # by the number of the type, whether that is one of deletions
        self.doc: Numbers = columns["doc"].to_numpy()
        self.type: Numbers = columns["type"].to_numpy()
        self.offsets = columns["ids"].offsets.to_numpy()[:-1].astype(np.int64)
        self.ids: Numbers = columns["ids"].values.to_numpy()

    def __len__(self) -> int:
        return len(self.type)

    def taken(self, rows: Any) -> Records:
        """These records, by their places."""
        taken = {name: column.take(pa.array(rows)) for name, column in self.columns.items()}
        return Records(taken, self._deletes)

    def keys(self, rows: Numbers, steps: Numbers) -> Numbers:
        """The node ids at these steps of the paths of some records; 0 for the step of the document, the values of the
        nodes (as numbers) for that of values."""
        found = self.ids[self.offsets[rows] + np.maximum(steps, 0)] if len(rows) else rows
        found = np.where(steps < 0, 0, found)
        by_value = steps == VALUE
        if by_value.any():
            found[by_value] = self._values(rows[by_value])
        return found

    def values(self, rows: Numbers) -> Any:
        """The values of the nodes of some records, of deletions the ones that they had."""
        deleted = pa.array(self._deletes[self.type[rows]], pa.bool_())
        taken = (self.columns[name].take(pa.array(rows)).cast(pa.string()) for name in ("old", "value"))
        return pc.if_else(deleted, *taken)

    def _values(self, rows: Numbers) -> Numbers:
        """The same as numbers."""
        values = self.values(rows).dictionary_encode()
        numbers = np.array([hash_of(text) for text in values.dictionary.to_pylist()] or [0], np.int64)
        return np.asarray(numbers[values.indices.fill_null(0).to_numpy()], np.int64)


class _Table:
    """What records of each kind are to a pass that is sent markers, by the kind's number."""

    def __init__(self, each: Pass) -> None:
        self.each = each
        self.step: Numbers = np.empty(0, np.int64)
        self.below = np.empty(0, bool)
        self.touched = np.empty(0, bool)

    def learn(self, types: RecordTypes) -> None:
        """Works out what is new in ``types``."""
        new = [(kind.op, kind.path) for kind in types.by_number[len(self.step) :]]
        if not new:
            return
        routes = [self.each.route(op, path) for op, path in new]
        flushed = self.each.has_flushes
        self.step = np.append(self.step, [route.step for route in routes])
        self.below = np.append(self.below, [route is not FOREIGN for route in routes])
        self.touched = np.append(self.touched, [flushed and self.each.is_touched(*kind) for kind in new])


class _Fed:
    """Which passes are fed with records of each kind, and at which step their key is: looked up, so that passes
    that have nothing to do with a record cost it nothing."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._starts: Numbers = np.zeros(1, np.int64)  # of each kind's part in the two below
        self._passes: Numbers = np.empty(0, np.int64)
        self._steps: Numbers = np.empty(0, np.int64)

    def learn(self, types: RecordTypes) -> None:
        """Works out what is new in ``types``."""
        for kind in types.by_number[len(self._starts) - 1 :]:
            fed = self._plan.feeds(kind.op, kind.path)
            self._passes = np.append(self._passes, [index for index, _ in fed]).astype(np.int64)
            self._steps = np.append(self._steps, [step for _, step in fed]).astype(np.int64)
            self._starts = np.append(self._starts, len(self._passes))

    def of(self, types: Numbers) -> tuple[Numbers, Numbers, Numbers]:
        """For records of these types: places, passes and steps, one for each pass that is fed with a record."""
        first = self._starts[types]
        counts = self._starts[types + 1] - first
        rows = np.repeat(np.arange(len(types)), counts)
        within = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
        places = first[rows] + within
        return rows, self._passes[places], self._steps[places]


class Router:
    """Routes the records of one segment after the other into ``writer``; ``load`` counts those of large keys."""

    def __init__(self, plan: Plan, types: RecordTypes, writer: ChunkWriter, load: RoutedLoad) -> None:
        self._types = types
        self._writer = writer
        self._load = load
        self._fed = _Fed(plan)
        self._tables = [_Table(each) for each in plan.passes if each.has_boundaries or each.has_flushes]
        self._bounded = [t for t in self._tables if t.each.has_boundaries and not t.each.by_document]
        self._flushed = [t for t in self._tables if t.each.has_flushes]
        self._reads_clock = plan.reads_clock
        self._hashes: Any = np.empty(0, np.uint64)
        self._takers = [(each.index, name) for each in plan.passes for name in each.externals]
        self._raised: list[tuple[int, str, int, int, bytes]] = []
        self.segment = 0
        self.taken = 0
        self._documents: dict[str, SegmentDocument] = {}

    def begin(self, segment: int) -> None:
        """Starts a segment; its number orders it among all."""
        self.segment = segment
        self.taken = 0
        self._documents = {}
        self._writer.begin()

    def document(self, name: str) -> SegmentDocument:
        """What is known of a document in this segment."""
        found = self._documents.get(name)
        if found is None:
            found = self._documents[name] = SegmentDocument(name)
        return found

    def route(
        self, spans: Sequence[Span], columns: dict[str, Any], positions: Sequence[tuple[int, int]]
    ) -> None:
        """Routes records: their documents with how many there are, columns (``doc``: indexes of ``spans``; records
        that no pass has a use for may be left out), and in which split and where each document's first stands."""
        codes = np.array([self._writer.code(span.doc) for span in spans], np.int64)
        self._hash_names()
        self._fed.learn(self._types)
        for table in self._tables:
            table.learn(self._types)
        deletes = np.array([kind.op == "del" for kind in self._types.by_number], bool)
        records = Records(columns | {"doc": pa.array(codes[columns["doc"].to_numpy()])}, deletes)
        marked = bool(self._bounded or self._flushed)
        if marked and len(spans) > 1:
            records = records.taken(np.argsort(records.doc, kind="stable"))
        self._feed(records, ordered=not marked)
        for span, position in zip(spans, positions, strict=True):
            document = self.document(span.doc)
            self.taken += span.records
            document.count += span.records
            if document.head is None:
                document.position = position
        if marked:
            markers = _Markers(records)
            for span, code in zip(spans, codes.tolist(), strict=True):
                start, end = np.searchsorted(records.doc, (code, code + 1)).tolist()
                self._mark(self.document(span.doc), code, start, end, markers)
            markers.write(self._writer)
        else:
            for span in spans:
                document = self.document(span.doc)
                document.head = document.head or TimePoint(span.first, None, span.first_txn)
                document.tail = TimePoint(span.last, None, span.last_txn)

    def raised(self, name: str, doc: str, ts: int, turn: int, record: bytes) -> None:
        """An external event (L7), as the JSON text of its record; `write_raised` routes it."""
        self._raised += [(index, doc, ts, turn, record) for index, event in self._takers if event == name]

    def write_raised(self) -> None:
        """Routes the external events; passes that take them see documents as a whole."""
        if not self._raised:
            return
        raised, self._raised = self._raised, []
        passes, docs, ts, turns, records = zip(*raised, strict=True)
        hashes = np.array([hash_of(doc) for doc in docs], np.uint64)
        columns = {
            "mark": np.full(len(docs), Mark.RAISED), "doc": [self._writer.code(doc) for doc in docs], "ts": ts,
            "turn": turns, "composite": records,
        }  # fmt: skip
        buckets = buckets_of(hashes, np.zeros(len(docs), np.int64), self._writer.buckets)
        self._writer.add(np.array(passes, np.int64), buckets, columns, ordered=False)

    def end(self) -> list[SegmentSummary]:
        """Ends the segment: the summaries of its documents."""
        summaries = [
            SegmentSummary(
                self.segment, each.name, each.position, each.head, each.tail, each.count, each.disordered,
                each.duplicates, each.head_keys, {number: key for number, (key, waits) in each.runs.items() if waits},
                each.first_flush, {number: sorted(touched) for number, touched in each.touched.items() if touched},
                each.leading, each.clocks, each.trailing,
                each.edit if self._reads_clock else None, each.open_edit, each.time, each.edit_time, each.transactions,
                each.raised, each.raised_late, list(each.raised_there.at(each.ts)),
            )
            for each in self._documents.values()
            if each.head is not None or each.leading or each.raised
        ]  # fmt: skip
        self._documents = {}
        return summaries

    def _hash_names(self) -> None:
        new = self._writer.docs[len(self._hashes) :]
        if new:
            self._hashes = np.append(self._hashes, np.array([hash_of(doc) for doc in new], np.uint64))

    def _feed(self, records: Records, *, ordered: bool) -> None:
        """Sends records to the buckets of the passes that are fed with them."""
        rows, passes, steps = self._fed.of(records.type)
        if not len(rows):
            return
        columns = dict(records.columns)
        columns["what"] = columns.pop("type")
        if len(rows) != len(records) or np.any(rows[1:] == rows[:-1]):
            columns = {name: column.take(pa.array(rows)) for name, column in columns.items()}
        columns["mark"] = np.full(len(rows), Mark.RECORD)
        keys, docs = records.keys(rows, steps), records.doc[rows]

        def key_at(place: int) -> Key:
            doc, step = self._writer.docs[docs[place]], steps[place]
            if step == VALUE:
                return doc, records.values(rows[place : place + 1])[0].as_py() or ""
            return doc, None if step == DOCUMENT else int(keys[place])

        self._load.add_keys(passes, docs, keys, key_at)
        buckets = buckets_of(self._hashes[docs], keys, self._writer.buckets)
        self._writer.add(passes, buckets, columns, ordered=ordered)

    def _buckets(self, records: Records, rows: Numbers, table: _Table) -> Numbers:
        keys = records.keys(rows, table.step[records.type[rows]])
        return buckets_of(self._hashes[records.doc[rows]], keys, self._writer.buckets)

    # ---- markers --------------------------------------------------------------------------------------------

    def _mark(self, document: SegmentDocument, code: int, start: int, end: int, markers: _Markers) -> None:
        """Finds the markers among the records of a document, which stand from ``start`` to ``end``."""
        if start == end:
            return
        for table in self._bounded:
            self._bound(document, code, table, start, end, markers)
        self._end_transactions(document, code, start, end, markers)
        if document.head is None:
            document.head = markers.point(start)
        document.tail = markers.point(end - 1)

    def _bound(
        self, document: SegmentDocument, code: int, table: _Table, start: int, end: int, markers: _Markers
    ) -> None:
        """Keeps the runs of a pass with boundaries and marks where they end."""
        number, records = table.each.index, markers.records
        rows = np.arange(start, end)
        kind = records.type[start:end]
        below, touched = table.below[kind], table.touched[kind]
        keys = np.where(below, records.keys(rows, np.where(below, table.step[kind], 0)), 0)
        changes = (np.diff(keys) != 0) | (below[1:] != below[:-1])
        starts = np.append(0, np.flatnonzero(changes) + 1)
        runs_wait = np.logical_or.reduceat(touched, starts)
        first = int(keys[0]) if below[0] else None
        if document.head is None:
            document.head_keys[number] = first
            # The run may have begun in the segment before, where it may have been touched.
            runs_wait[0] = True
        run = document.runs.pop(number, None)
        if run is not None:
            if run[0] == first:
                runs_wait[0] |= run[1]
            elif run[1]:
                self._bound_at(markers, number, code, [run[0]], [start])
        ended = np.flatnonzero(runs_wait[:-1] & below[starts[:-1]])
        self._bound_at(markers, number, code, keys[starts[ended]], start + starts[ended + 1])
        if below[-1]:
            document.runs[number] = (int(keys[-1]), bool(runs_wait[-1]))

    def _bound_at(self, markers: _Markers, number: int, code: int, keys: Any, rows: Any) -> None:
        buckets = buckets_of(self._hashes[code], keys, self._writer.buckets)
        markers.add(Mark.BOUNDARY, number, code, buckets, rows)

    def _end_transactions(
        self, document: SegmentDocument, code: int, start: int, end: int, markers: _Markers
    ) -> None:
        """Marks the ends of transactions for the buckets that were touched in them."""
        if not self._flushed:
            return
        txn, given = markers.txn[start:end], markers.has_txn[start:end]
        ended = np.zeros(end - start, bool)  # a transaction ended before this record
        ended[1:] = given[:-1] & ((txn[1:] != txn[:-1]) | ~given[1:])
        before = document.tail.txn
        ended[0] = before is not None and not (given[0] and before == txn[0])
        intervals = np.cumsum(ended)
        lasts = np.flatnonzero(ended) + start - 1  # the last records of the transactions that ended
        late = document.tail if ended[0] else None  # that of the first stands in the batch before
        if len(lasts) and document.first_flush is None:
            document.first_flush = late or markers.point(int(lasts[0]))
        for table in self._flushed:
            number = table.each.index
            rows = start + np.flatnonzero(table.touched[markers.records.type[start:end]])
            buckets = self._buckets(markers.records, rows, table)
            touched = np.unique(intervals[rows - start] * self._writer.buckets + buckets)
            waiting = document.touched.setdefault(number, set())
            at, where = np.divmod(touched, self._writer.buckets)
            if waiting and len(lasts):
                everywhere = np.array(sorted(waiting), np.int64)
                at, where = np.append(np.zeros(len(everywhere), np.int64), at), np.append(everywhere, where)
                waiting.clear()
            waiting.update(where[at == len(lasts)].tolist())
            at, where = at[at < len(lasts)], where[at < len(lasts)]
            if late is not None:
                markers.add_late(Mark.FLUSH, number, code, where[at == 0], late)
                at, where = at[at > 0], where[at > 0]
            markers.add(Mark.FLUSH, number, code, where, lasts[at])


class _Markers:
    """Markers found among some records: each has the time of one of them, or of one that came before."""

    def __init__(self, records: Records) -> None:
        self.records = records
        txn = records.columns["txn"]
        self.has_txn = txn.is_valid().to_numpy(zero_copy_only=False)
        self.txn: Numbers = txn.fill_null(0).to_numpy()
        self._found: list[tuple[int, int, int, Numbers, Numbers]] = []
        self._late: list[tuple[int, int, int, Numbers, TimePoint]] = []

    def point(self, row: int) -> TimePoint:
        """The time point of a record."""
        columns = self.records.columns
        return TimePoint(
            **{name: columns[name][row].as_py() for name in TimePoint._fields if name in columns}
        )

    def add(self, mark: int, number: int, code: int, buckets: Numbers, rows: Any) -> None:
        """Markers for a pass and a document in some buckets, at the time of these records."""
        if len(buckets):
            self._found.append((mark, number, code, buckets, np.asarray(rows, np.int64)))

    def add_late(self, mark: int, number: int, code: int, buckets: Numbers, point: TimePoint) -> None:
        """Markers at a time point before these records."""
        if len(buckets):
            self._late.append((mark, number, code, buckets, point))

    def write(self, writer: ChunkWriter) -> None:
        """Hands the markers on."""
        if self._found:
            rows = pa.array(np.concatenate([each[4] for each in self._found]))
            names = [name for name in TimePoint._fields if name in self.records.columns]
            columns = {name: self.records.columns[name].take(rows) for name in names}
            self._write(writer, self._found, columns)
        if self._late:
            self._write(
                writer, self._late, point_columns(each[4] for each in self._late for _ in range(len(each[3])))
            )

    def _write(
        self, writer: ChunkWriter, found: Sequence[tuple[Any, ...]], times: dict[str, pa.Array]
    ) -> None:
        counts = [len(each[3]) for each in found]
        mark, number, code = (np.repeat([each[index] for each in found], counts) for index in range(3))
        columns = {"mark": mark, "doc": code, **times}
        writer.add(number, np.concatenate([each[3] for each in found]), columns, ordered=False)


def wanted_by(plan: Plan) -> Any:
    """Whether records of an operation and absolute path type matter to any pass; to markers all do."""
    if any(each.has_boundaries or each.has_flushes for each in plan.passes):
        return lambda op, path: True

    return lambda op, path: bool(plan.feeds(op, path))
