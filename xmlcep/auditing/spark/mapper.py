"""What a task does with the splits it is given: read, route, report. Knows nothing of Spark.

One module because records, headers and what stands aside of them go through one router into the same chunks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa

from path_types import PathType

from ...checking.left_out import LeftOut
from ...errors import RecordError, XmlCepError
from ...events import CompositeEvent
from ...log import BadRecord, Batch, ClockCheck, Header, Origin
from ...log.columns.blocks import (
    Block,
    FilteredColumns,
    NumberedClock,
    RecordTypes,
    Span,
    as_place,
    meta_texts,
)
from ...log.decoding import RowDecoder
from ...log.json_codec import FASTEST
from ...log.records import (
    RAISED,
    Aside,
    ClockRecord,
    Control,
    Row,
    raised_event,
    raised_or_none,
)
from ..plan.partition_key import Plan
from ..plan.snapshot_fragments import fragments
from ..quarantine import clock_in_transaction, duplicate, raised_elsewhere, raised_twice, raw_record
from ..splits import BATCH_SIZE, FilePart, PartReader, Piece, Split, columns_of, joined_pieces, pieces
from .bucket_loads import RoutedLoad
from .chunks import Chunk, ChunkWriter, Mark, buckets_of, hash_of
from .firings import ClockWriter
from .gathering import Gathered
from .router import Router, wanted_by
from .segment_summary import FIRST_SORTED_SEGMENT, PlacedClock, PlacedRaised
from .task_reports import Report, Topic, bad_chunk, reports_of

SEGMENT_RECORDS = 500_000
"""After so many records a segment ends: what is found in one is put in order in memory."""

_AT_ONCE = 16_384  # records that are routed together, for which numbers are looked at as columns

Clock: TypeAlias = tuple[int, int | None, int]
"""Of a record the number of its edit, the time there as far as the segment tells, the transaction's place in it."""
Keep: TypeAlias = Callable[[Row], bool]


class SelectedRecord(NamedTuple):
    """A record to be sorted: its time point, the time of a clock record, where it stands, the record as JSON."""

    doc: str
    ts: int
    clock: int | None
    part: int
    number: int
    line: bytes


class Mapper:
    """Reads splits and routes their records; the answer to a split depends on nothing but the split.

    But for the types with a name inside itself: a split reports those that came newly with it, for they are wanted of
    all splits together, and a task that runs again begins with a new mapper. ``by_file``: what it reports says of each
    file which documents are in it, and bad records come in their order.
    """

    def __init__(
        self,
        plan: Plan,
        buckets: int,
        *,
        keep: Keep | None = None,
        segment_records: int = SEGMENT_RECORDS,
        batch_size: int | None = None,
        by_file: bool = False,
    ) -> None:
        self._plan = plan
        self._by_file = by_file
        self._conditioned = [each for each in self._plan.passes if each.asks_document]
        self._keep = keep
        # Columns of whole blocks do; but records are looked at one by one where they say what the clock shows.
        self._externals = bool(plan.rules.externals)
        self._asks = plan.asks_document
        self._reads_clock = plan.reads_clock
        self._by_rows = keep is not None or self._reads_clock or self._externals
        self._segment_records = segment_records
        self._batch_size = batch_size
        check_times = plan.rules.graph.needs_time
        wanted, left_out = wanted_by(self._plan), LeftOut(plan.rules).has
        self._is_left_out = left_out
        self._left_out: Counter[tuple[str, PathType]] = Counter()
        self._types = RecordTypes(
            lambda op, path: wanted(op, path) or left_out(op, path),  # so that these are counted
            check_times=check_times, applied=self._asks,
        )  # fmt: skip
        self._numbers: dict[tuple[str, PathType], int] = {}
        self._writer = ChunkWriter([each.level for each in self._plan.passes], buckets, self._types.by_number)
        self._load = RoutedLoad(self._plan)
        self._router = Router(self._plan, self._types, self._writer, self._load)
        self._clocks = ClockWriter()
        self._gathered = Gathered()
        self._decoder = RowDecoder(ClockCheck.ANY, check_times=check_times)
        self._out: list[Chunk | Report] = []
        self._part: FilePart | None = None
        self._bad_records = 0
        self._headers = 0
        self._docs: dict[int, set[str]] = {}
        self.lines = 0
        """How many lines or records the last split had."""

    def read(self, split: Split) -> Iterator[Chunk | Report]:
        """The chunks of a split, and what there is to report of it."""
        self._bad_records = self.lines = 0
        self._docs = {}
        parts: list[dict[str, Any]] = []
        self._router.begin(split.segment)
        try:
            readers = [self._reader(part) for part in split.parts]
            for together in self._pieces(readers):
                self._take_pieces(together)
                yield from self._taken()
            self._route_gathered()
            self._end_segment()
            self.lines = sum(reader.lines for reader in readers)
            docs = self._docs
            parts = [{"lines": each.lines, "docs": sorted(docs.get(each.part.place, ()))} for each in readers]
        except (XmlCepError, OSError) as error:
            self._report(Topic.TROUBLE, split.segment, "", {"message": str(error)})
        content = {"parts": parts, "bad": self._bad_records, "left_out": self._taken_left_out()}
        self._report(Topic.SPLIT, split.segment, "", content)
        self._report(Topic.LOAD, split.segment, "", self._load.take())
        yield from self._taken()

    def _pieces(self, readers: Sequence[PartReader]) -> Iterator[list[Piece]]:
        # Small files are taken together, unless it matters which record is in which.
        if self._by_rows or self._by_file or self._asks or self._batch_size is not None:
            return pieces(readers, self._batch_size or (BATCH_SIZE if self._by_rows else None))
        return joined_pieces(readers)

    def _reader(self, part: FilePart, *, quiet: bool = False) -> PartReader:
        return PartReader(
            part, self._decoder, (lambda _: None) if quiet else partial(self._bad, part=part), check_text=self._asks,
            batch_size=self._batch_size or BATCH_SIZE, controls=self._externals,
        )  # fmt: skip

    def select(self, split: Split, docs: frozenset[str]) -> Iterator[list[SelectedRecord]]:
        """The records of some documents, to be sorted."""
        for part in split.parts:
            for item in self._reader(part, quiet=True).read_all():
                if isinstance(item, Batch):
                    rows, numbers = self._kept(item.rows, item.numbers)
                    yield [
                        SelectedRecord(row[8], row[0], None, part.place, number, raw_record(row))
                        for row, number in zip(rows, numbers, strict=True)
                        if row[8] in docs
                    ]
                    continue
                number, aside = item
                if isinstance(aside, ClockRecord) and aside.doc in docs:
                    line = FASTEST.dumps(aside.to_record())
                    yield [SelectedRecord(aside.doc, aside.ts, aside.time, part.place, number, line)]
                elif isinstance(aside, Control):
                    event = raised_or_none(aside)
                    if event is not None and event.cause.doc in docs and self._takes(event):
                        line = FASTEST.dumps(aside.to_record())
                        doc, ts = event.cause.doc, event.cause.ts
                        yield [SelectedRecord(doc, ts, None, part.place, number, line)]

    def route_sorted(
        self, records: Iterable[SelectedRecord], parts: Mapping[int, FilePart]
    ) -> Iterator[Chunk | Report]:
        """The chunks of records sorted by document, ts, time of a clock record, part of the log and number."""
        self._router.begin(FIRST_SORTED_SEGMENT)
        first = ""
        rows: list[Row] = []
        origins: list[tuple[int, int]] = []
        clocks: list[Clock] = []
        last: tuple[str, int] | None = None
        for record in records:
            first = first or record.doc
            content = FASTEST.loads(record.line)
            self._part = parts[record.part]
            document = self._router.document(record.doc)
            if record.clock is not None:
                document.admit_clock(ClockRecord.from_record(content), record.part, record.number)
                continue
            if "control" in content:
                self._route_rows(rows, origins, clocks)
                rows, origins, clocks = [], [], []
                self._take_control(Control.from_record(content), record.number, parts[record.part])
                continue
            row = self._decoder.admit(content)
            if (record.doc, record.ts) == last:
                self._repeated(row, record.number)
                continue
            last = (record.doc, record.ts)
            self._misplaced(
                document.admit(row[0], row[9], more=row[11], at=self._time_of(row)), record.doc, parts
            )
            rows.append(row)
            origins.append((record.part, record.number))
            clocks.append((document.edit, document.edit_time, document.transactions))
            if len(rows) >= (self._batch_size or BATCH_SIZE):
                self._route_rows(rows, origins, clocks)
                rows, origins, clocks = [], [], []
                yield from self._taken()
        self._route_rows(rows, origins, clocks)
        self._end_segment()
        self._report(Topic.LOAD, FIRST_SORTED_SEGMENT, first, self._load.take())
        yield from self._taken()

    # ---- records --------------------------------------------------------------------------------------------

    def _take_pieces(self, together: list[Piece]) -> None:
        reader, block = together[0]
        if self._part is not reader.part:
            self._part, self._headers = reader.part, 0
        columns = None if self._by_rows else columns_of(together)
        filtered = None if columns is None else columns.filtered(self._types)
        if filtered is not None and isinstance(block, Block) and self._follows(filtered):
            self._note(span.doc for span in filtered.spans)
            self._gather(filtered, block.first)
        elif len(together) > 1:
            for piece in together:
                self._take_pieces([piece])
        else:
            for item in reader.items(block):
                self._take(item)

    def _note(self, docs: Iterable[str]) -> None:
        """Notes documents of the part that is read, if that will be asked for."""
        if self._by_file:
            assert self._part is not None
            self._docs.setdefault(self._part.place, set()).update(docs)

    def _take(self, item: tuple[int, Aside] | Batch) -> None:
        if isinstance(item, Batch):
            self._note({row[8] for row in item.rows})
            self._take_rows(*self._kept(item.rows, item.numbers))
        else:
            assert self._part is not None
            number, aside = item
            if isinstance(aside, Header):
                self._header(aside, (self._part.place << 20) + self._headers, (self._part.place, number))
                self._headers += 1
            elif isinstance(aside, Control):
                if self._externals:
                    self._take_control(aside, number, self._part)
            else:
                self._note((aside.doc,))
                self._router.document(aside.doc).admit_clock(aside, self._part.place, number)

    def _takes(self, event: CompositeEvent) -> bool:
        return self._plan.rules.takes_external(event)

    def _take_control(self, control: Control, number: int, part: FilePart) -> None:
        """Takes an external event (L7), if the record that it belongs to is there; others are about the recording."""
        if control.kind != RAISED:
            return
        line = FASTEST.dumps(control.to_record())
        origin = Origin(part.file.name, number)
        try:
            event = raised_event(control)
        except RecordError as error:
            self._bad(BadRecord(origin, None, str(error), line), None, part)
            return
        if not self._takes(event):
            return
        cause = event.cause
        document = self._router.document(cause.doc)
        if not document.ts:  # what stands before tells
            clocks = len(document.leading)
            raised = PlacedRaised(cause.ts, cause.txn, clocks, part.place, number, line.decode())
            document.raised.append(raised)
        elif document.is_at(cause.ts):
            if not document.raised_there.is_new(document.ts, control):
                document.duplicates += 1
                self._bad(raised_twice(control, origin), cause.doc, part)
                return
            turn = document.admit_raised(cause.txn)
            self._router.raised(event.name, cause.doc, cause.ts, turn, line)
        elif self._keep is None:
            document.duplicates += 1
            self._bad(raised_elsewhere(control, origin), cause.doc, part)

    def _follows(self, filtered: FilteredColumns) -> bool:
        """Whether the records of a block come after those that were taken, and each is an edit if that matters."""
        if self._asks and filtered.edits:
            return False
        if self._asks and any(self._router.document(span.doc).edit_goes_on for span in filtered.spans):
            return False
        if not all(self._router.document(span.doc).follows(span.first) for span in filtered.spans):
            return False
        return all(self._router.document(clock.doc).has_reached(clock) for _, clock in filtered.clocks)

    def _gather(self, filtered: FilteredColumns, first: int) -> None:
        """Takes records in columns, the first of which has this number; they are routed when there are enough."""
        # The documents before the routing: the next block is compared with them.
        assert self._part is not None
        place = self._part.place
        for number, count in enumerate(np.bincount(filtered.columns["type"])):
            each = self._types.by_number[number]
            if count and self._is_left_out(each.op, each.path):
                self._left_out[each.op, each.path] += int(count)
        clocks: dict[str, list[NumberedClock]] = {}
        for numbered in filtered.clocks:
            clocks.setdefault(numbered[1].doc, []).append(numbered)
        for span in filtered.spans:
            document = self._router.document(span.doc)
            own = clocks.get(span.doc, ())
            for number, clock in (each for each in own if each[1].ts < span.first):
                document.admit_clock(clock, place, number)
            self._misplaced(document.admit(span.first, span.first_txn), span.doc)
            document.txn = None  # clock records between two of the records stand in no transaction
            for number, clock in (each for each in own if span.first <= each[1].ts < span.last):
                document.admit_clock(clock, place, number)
            document.admit(span.last, None)
            document.txn = span.last_txn
            for number, clock in (each for each in own if each[1].ts >= span.last):
                document.admit_clock(clock, place, number)
        if self._asks:  # each record begins an edit
            filtered = filtered._replace(columns=filtered.columns | {"edit": filtered.columns["ts"]})
        self._gathered.add(filtered, (place, first))
        if self._gathered.records >= min(_AT_ONCE, self._segment_records):
            self._route_gathered()

    def _route_gathered(self) -> None:
        if self._gathered.records:
            filtered, positions = self._gathered.joined(), self._gathered.positions
            self._gathered = Gathered()
            self._route(filtered, positions)

    def _take_rows(self, rows: Sequence[Row], numbers: Sequence[int]) -> None:
        """Takes records one by one: those that repeat a time point are bad."""
        self._route_gathered()
        assert self._part is not None
        self._left_out.update((row[1], row[2]) for row in rows if self._is_left_out(row[1], row[2]))
        admitted: list[Row] = []
        origins: list[tuple[int, int]] = []
        clocks: list[Clock] = []
        for row, number in zip(rows, numbers, strict=True):
            if self._is_admitted(row, number):
                admitted.append(row)
                origins.append((self._part.place, number))
                document = self._router.document(row[8])
                clocks.append((document.edit, document.edit_time, document.transactions))
        self._route_rows(admitted, origins, clocks)

    def _is_admitted(self, row: Row, number: int) -> bool:
        document = self._router.document(row[8])
        if row[0] == document.ts:
            self._repeated(row, number)
            return False
        if not document.follows(row[0]):
            document.disordered = True
        self._misplaced(document.admit(row[0], row[9], more=row[11], at=self._time_of(row)), row[8])
        return True

    def _time_of(self, row: Row) -> str | None:
        return row[7] if self._reads_clock else None

    def _misplaced(
        self, clocks: Sequence[PlacedClock], doc: str, parts: Mapping[int, FilePart] | None = None
    ) -> None:
        """Clock records in a transaction are bad; ``parts`` are those they may stand in, if not in this one."""
        for clock in clocks:
            part = self._part if parts is None else parts[clock.part]
            assert part is not None
            bad = clock_in_transaction(clock.record(doc), Origin(part.file.name, clock.number))
            self._bad(bad, doc, part)

    def _repeated(self, row: Row, number: int) -> None:
        assert self._part is not None
        self._router.document(row[8]).duplicates += 1
        self._bad(duplicate(row, Origin(self._part.file.name, number)), row[8])

    def _route_rows(
        self, rows: Sequence[Row], origins: Sequence[tuple[int, int]], clocks: Sequence[Clock]
    ) -> None:
        if not rows:
            return
        spans: dict[str, Span] = {}
        positions = []
        for row, origin in zip(rows, origins, strict=True):
            span = spans.get(row[8])
            if span is None:
                positions.append(origin)
                span = Span(row[8], row[0], row[0], 0, row[9])
            spans[row[8]] = span._replace(last=row[0], records=span.records + 1, last_txn=row[9])
        columns = self._columns(rows, list(spans))
        names = ("edit", "time", "transaction") if self._reads_clock else ("edit",)
        shown = zip(*clocks, strict=True)
        columns |= {name: pa.array(values, pa.int64()) for name, values in zip(names, shown, strict=False)}
        if self._plan.fires_in_keys:
            self._clocks.add(list(spans), columns)
        self._route(FilteredColumns(list(spans.values()), columns), positions)

    def _columns(self, rows: Sequence[Row], docs: Sequence[str]) -> dict[str, Any]:
        ts, op, path, ids, value, old, pos, at, doc, txn, meta, more = zip(*rows, strict=True)
        numbers, places = self._numbers, {name: place for place, name in enumerate(docs)}
        types = []
        for key in zip(op, path, strict=True):
            number = numbers.get(key)
            if number is None:
                number = numbers[key] = self._types.of(*key).number
            types.append(number)
        number_, text = pa.int64(), pa.string()
        return {
            "doc": pa.array([places[name] for name in doc], number_), "type": pa.array(types, number_),
            "ts": pa.array(ts, number_), "ids": pa.array(ids, pa.list_(number_)), "value": pa.array(value, text),
            "old": pa.array(old, text), "pos": pa.array(map(as_place, pos), number_), "at": pa.array(at, text),
            "txn": pa.array(txn, number_), "meta": meta_texts(meta),
            "more": pa.array([each or None for each in more], pa.bool_()),
        }  # fmt: skip

    def _kept(self, rows: list[Row], numbers: Sequence[int]) -> tuple[list[Row], Sequence[int]]:
        keep = self._keep
        if keep is None:
            return rows, numbers
        chosen = [index for index, row in enumerate(rows) if keep(row)]
        return [rows[i] for i in chosen], [numbers[i] for i in chosen]

    # ---- segments ---------------------------------------------------------------------------------------------

    def _route(self, filtered: FilteredColumns, positions: Sequence[tuple[int, int]]) -> None:
        self._router.write_raised()
        self._router.route(filtered.spans, filtered.columns, positions)
        if self._router.taken >= self._segment_records:
            self._end_segment()
            self._router.begin(self._router.segment + 1)
        elif self._writer.ready():
            self._take_chunks()

    def _take_chunks(self) -> None:
        for chunk in self._writer.take(self._router.segment):
            self._load.add_chunk(chunk)
            self._out.append(chunk)

    def _end_segment(self) -> None:
        self._router.write_raised()
        self._take_chunks()
        self._out += self._clocks.take(self._router.segment)
        self._out += reports_of(self._router.end())

    def _taken(self) -> list[Chunk | Report]:
        taken, self._out = self._out, []
        return taken

    # ---- reports ----------------------------------------------------------------------------------------------

    def _report(self, topic: Topic, segment: int, doc: str, content: dict[str, Any]) -> None:
        self._out.append(Report(topic, segment, doc, FASTEST.dumps(content)))

    def _taken_left_out(self) -> dict[str, int]:
        """How many records rules leave out (`LeftOut`), by type."""
        taken, self._left_out = self._left_out, Counter()
        return {f"{op} {path}": count for (op, path), count in taken.items()}

    def _header(self, header: Header, number: int, position: tuple[int, int]) -> None:
        if not self._conditioned:
            return
        self._report(Topic.HEADER, number, header.doc, {"number": number, "position": position})
        assert self._part is not None
        doc = self._writer.code(header.doc)
        for each in self._conditioned:
            found = list(fragments(header, each, self._part.file.name))
            columns = {
                "mark": np.full(len(found), Mark.FRAGMENT), "doc": np.full(len(found), doc),
                "ts": np.zeros(len(found), np.int64), "value": [fragment.xml for fragment in found],
                "old": [str(fragment.path) for fragment in found],
                "ids": [fragment.ids for fragment in found], "header": np.full(len(found), number),
            }  # fmt: skip
            keys = np.array([fragment.key for fragment in found], np.int64)
            buckets = buckets_of(hash_of(header.doc), keys, self._writer.buckets)
            self._writer.add(np.full(len(found), each.index), buckets, columns, ordered=False)

    def _bad(self, bad: BadRecord, doc: str | None = None, part: FilePart | None = None) -> None:
        """A bad record of a part of the log (default: this one); ``doc`` is its document if only the order tells."""
        part = part or self._part
        assert part is not None
        self._bad_records += 1
        self._out.append(bad_chunk(bad, part, self._bad_records, doc))
