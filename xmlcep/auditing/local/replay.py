"""The audit in one process: every document replayed in order by one detector, with bounded memory."""

from __future__ import annotations

import gc
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from operator import itemgetter
from time import perf_counter

from path_types import PathType

from ...engine import Detector
from ...events import CompositeEvent, PrimitiveEvent
from ...log import BadRecord, Batch, ClockCheck, Header, Origin
from ...log.columns.blocks import Kinds, Stretch
from ...log.decoding import RowDecoder
from ...log.json_codec import FASTEST
from ...log.records import Row
from ...rules import Rules
from ..findings.collector import Collector
from ..findings.order import Ranking
from ..inputs import LogFile, SplitReader, duplicate, raw_record, whole
from ..plan.snapshot_fragments import snapshot_of
from ..progress import Reading, Steps
from ..rule_counts import records_by_rule

_new_tuple = tuple.__new__
_SPOOLED = 1000  # findings of a document that are kept in memory
_SPOOLED_BYTES = 1 << 20
_TOLD = 8192  # sorted records between two words on progress

_doc_of = itemgetter(8)


@contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """Keeps Python from looking for cyclic garbage, of which a replay makes none.

    Records and the events that wait for others are many small containers: going through them again and again
    took a third of the time of an audit. What is no longer needed is freed at once all the same.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


class _Replay:
    """One document being replayed: detector, clock, and the findings of the current time point."""

    __slots__ = (
        "_collector", "_counts", "_defers", "_detector", "_encode", "_last", "_lines", "_number", "_pending",
        "_ranking", "_size", "_taken", "count", "disordered", "doc", "first", "seconds", "ts", "txn",
    )  # fmt: skip

    def __init__(
        self, doc: str, detector: Detector, ranking: Ranking, collector: Collector, *, defers: bool
    ) -> None:
        self.doc = doc
        self.ts = 0
        self.txn: int | None = None
        self.first = 0
        self.count = 0
        self.disordered = False
        self.seconds = 0.0
        self._detector = detector
        self._defers = defers
        self._ranking = ranking
        self._collector = collector
        self._last: PrimitiveEvent | None = None
        self._encode = ranking.encode
        self._pending: list[CompositeEvent] = []  # of the current time point
        self._counts: dict[str, int] = {}
        self._taken: dict[tuple[str, PathType], int] = defaultdict(int)  # records, as in `Taken`
        self._lines: list[bytes] = []
        self._number = 0  # of the first of them
        self._size = 0

    def take(self, row: Row) -> None:
        """Replays the next record."""
        txn = row[9]
        if txn != self.txn:
            if self.txn is not None:
                self._raised(self._detector.flush(self._last))
            self.txn = txn
        if not self.count:
            self.first = row[0]
        self.count += 1
        self.ts = row[0]
        self._taken[row[1], row[2]] += 1
        self._last = _new_tuple(PrimitiveEvent, row)
        raised = self._detector.feed(self._last)
        if raised:
            self._raised(raised)

    def follow(self, stretch: Stretch) -> None:
        """Replays the next records, of which those that cannot matter may have been left out."""
        if self._defers:
            for row in stretch.rows:
                self.take(row)
            return
        if not self.count:
            self.first = stretch.first
        self.count += stretch.records
        self.ts = stretch.last
        for kind, count in stretch.counts:
            self._taken[kind.op, kind.path] += count
        for composite in self._detector.replay(stretch.rows):  # type: ignore[arg-type]
            if self._pending and self._pending[0][7][0] != composite[7][0]:
                self._settle()
            self._pending.append(composite)

    def finish(self) -> None:
        """Closes the document's trees."""
        started = perf_counter()
        if self._last is not None:
            self._raised(self._detector.close(self._last))
        self._settle()
        self._spool()
        self._collector.found[self.doc] = self._counts
        self._collector.taken.update(self._taken)
        self._collector.document(self.doc, self.first, self.ts, self.count, disordered=self.disordered)
        self._collector.seconds(self.doc, self.seconds + perf_counter() - started)

    def _raised(self, composites: list[CompositeEvent]) -> None:
        if not composites:
            return
        if self._pending and self._pending[0].cause[0] != composites[0].cause[0]:
            self._settle()
        self._pending += composites

    def _settle(self) -> None:
        """Puts the findings of a time point that is over into their order."""
        pending = self._pending
        if len(pending) > 1:
            pending.sort(key=self._ranking.place)
        counts, lines = self._counts, self._lines
        for composite in pending:
            line = self._encode(composite)
            lines.append(line)
            self._size += len(line)
            counts[composite[0]] = counts.get(composite[0], 0) + 1
        pending.clear()
        if len(lines) >= _SPOOLED or self._size >= _SPOOLED_BYTES:
            self._spool()

    def _spool(self) -> None:
        """Puts the findings on disk."""
        if self._lines:
            text = b"\n".join([*self._lines, b""])
            self._collector.spool.add_findings(self.doc, self._number, text)
        self._number += len(self._lines)
        self._lines = []
        self._size = 0


class LocalAudit:
    """Replays the records of ``files`` and puts what it finds into ``collector``.

    ``steps`` are told how far it is: a step that reads, and two more if there are documents to sort.
    """

    def __init__(
        self,
        rules: Rules,
        collector: Collector,
        *,
        operators: bool,
        keep: Callable[[Row], bool] | None = None,
        steps: Steps | None = None,
    ) -> None:
        self._rules = rules
        self._collector = collector
        self._operators = operators
        self._keep = keep
        self._steps = steps or Steps(None, ())
        self._reading: Reading | None = None  # None if nobody wants to know
        self._ranking = Ranking(rules)
        self._decoder = RowDecoder(ClockCheck.ANY)
        self._replays: dict[str, _Replay] = {}
        self._headers: dict[str, Header] = {}  # of the file being read
        self._file = ""  # its path
        self._disordered: set[str] = set()
        self._sorted = 0  # records of these
        self._defers = any(node.deferred for tree in rules.graph.trees for node in tree.operators)

    def run(self, files: list[LogFile]) -> None:
        """Reads all files, then once more what has to be sorted."""
        with _without_garbage_collection():
            self._run(files)
        self._collector.takes(records_by_rule(self._rules, self._collector.taken))

    def _run(self, files: list[LogFile]) -> None:
        self._begin_reading(files)
        if self._keep is None and not self._rules.graph.has_conditions:
            self._sift(files)
        else:
            for header, batch, file in self._read(files, self._collector.bad):
                if header is not None:
                    self._headers.setdefault(header.doc, header)
                elif batch is not None:
                    self._take(batch, file)
        for replay in self._replays.values():
            replay.finish()
        self._replays = {}
        if self._disordered:
            self._steps.insert("sorting", "replaying")
            self._replay_sorted(files)

    def _sift(self, files: list[LogFile]) -> None:
        """Reads all files in blocks; what no rule can see does not even become a row.

        Blocks with anything irregular, bad records or clocks that stand still, are taken row by row.
        """
        kinds = Kinds(Detector(self._rules).concerns)
        for file in files:
            for block in self._reader(file, self._collector.bad).blocks():
                if isinstance(block, tuple):
                    continue  # headers matter to rules with conditions only
                stretches = block.stretches(kinds)
                if stretches is None or not all(map(self._continues, stretches)):
                    for item in block.items():
                        if isinstance(item, Batch):
                            self._note(file, {row[8] for row in item.rows}, len(item.rows))
                            self._take(item, file)
                    continue
                self._note(file, {each.doc for each in stretches}, sum(each.records for each in stretches))
                before = perf_counter()
                for stretch in stretches:
                    if stretch.doc not in self._disordered:
                        replay = self._replay_of(stretch.doc)
                        replay.follow(stretch)
                        now = perf_counter()
                        replay.seconds += now - before
                        before = now

    def _continues(self, stretch: Stretch) -> bool:
        """Whether its records follow what was replayed of the document, if it still is replayed."""
        replay = self._replays.get(stretch.doc)
        return replay is None or replay.ts < stretch.first

    def _note(self, file: LogFile, docs: set[str], count: int) -> None:
        self._collector.contains(file, docs)
        if self._reading is not None:
            self._reading.records += count
            self._steps.tell(self._reading.done, self._reading.records, self._reading.total)

    def _begin_reading(self, files: list[LogFile]) -> None:
        """The next step, which reads all files."""
        if self._steps.told:
            self._reading = Reading(files)
            self._steps.begin(total=self._reading.total)

    def _reader(
        self, file: LogFile, on_bad: Callable[[LogFile, BadRecord], None], *, check_text: bool = False
    ) -> SplitReader:
        reader = SplitReader(whole(file), self._decoder, partial(on_bad, file), check_text=check_text)
        if self._reading is not None:
            self._reading.begin(file, reader)
        return reader

    def _replay_of(self, doc: str) -> _Replay:
        replay = self._replays.get(doc)
        if replay is None:
            replay = self._replays[doc] = self._begin(doc, self._headers.get(doc), self._file)
        return replay

    def _read(
        self, files: list[LogFile], on_bad: Callable[[LogFile, BadRecord], None]
    ) -> Iterator[tuple[Header | None, Batch | None, LogFile]]:
        check_text = self._rules.graph.has_conditions
        for file in files:
            self._headers, self._file = {}, file.path
            for item in self._reader(file, on_bad, check_text=check_text).read():
                if not isinstance(item, Batch):
                    yield item[1], None, file
                    continue
                self._note(file, {row[8] for row in item.rows}, len(item.rows))
                yield None, item, file

    def _take(self, batch: Batch, file: LogFile) -> None:
        """Replays a batch; documents that turn out not to be in order are left for later."""
        started = perf_counter()
        self._take_rows(batch, file)
        spent = perf_counter() - started
        # The clock is not looked at for each record: documents that take turns share the time of the batch.
        for doc, count in Counter(map(_doc_of, batch.rows)).items():
            if doc in self._replays:
                self._replays[doc].seconds += spent * count / len(batch.rows)

    def _take_rows(self, batch: Batch, file: LogFile) -> None:
        replay: _Replay | None = None
        keep = self._keep
        for index, row in enumerate(batch.rows):
            if keep is not None and not keep(row):
                continue
            doc = row[8]
            if replay is None or replay.doc != doc:
                if doc in self._disordered:
                    continue
                replay = self._replay_of(doc)
            if row[0] > replay.ts:
                replay.take(row)
            elif row[0] == replay.ts:
                self._collector.bad(file, duplicate(row, batch.origin(index)), doc)
            else:
                self._disordered.add(doc)
                del self._replays[doc]
                self._collector.seconds(doc, replay.seconds)
                self._collector.spool.drop_findings(doc)
                self._collector.drop_bad_repeats(doc)
                replay = None

    def _begin(self, doc: str, header: Header | None, file: str) -> _Replay:
        document = None
        if header is not None and header.snapshot is not None and self._rules.graph.has_conditions:
            document = snapshot_of(header, file)
        detector = Detector(self._rules, operators=self._operators, document=document)
        return _Replay(doc, detector, self._ranking, self._collector, defers=self._defers)

    def _replay_sorted(self, files: list[LogFile]) -> None:
        """Reads the documents that are not in order again, sorts them on disk, and replays them."""
        headers: dict[str, tuple[int, Header | None, str]] = {}
        self._begin_reading(files)
        self._collector.spool.add_records(self._to_sort(files, headers))
        self._steps.begin(total=self._sorted)
        replay: _Replay | None = None
        started = perf_counter()
        for number, (doc, file, record, line) in enumerate(self._collector.spool.records()):
            if replay is None or replay.doc != doc:
                started = _finished(replay, started)
                replay = self._begin(doc, *headers[doc][1:])
                replay.disordered = True
            row = self._decoder.admit(FASTEST.loads(line))
            if row[0] == replay.ts:
                self._collector.bad(files[file], duplicate(row, Origin(files[file].path, record)), doc)
            else:
                replay.take(row)
            if not number % _TOLD:
                self._steps.tell(number / self._sorted, number, self._sorted)
        _finished(replay, started)

    def _to_sort(
        self, files: list[LogFile], headers: dict[str, tuple[int, Header | None, str]]
    ) -> Iterable[tuple[str, int, int, int, int, bytes]]:
        """The records of the documents to sort; ``headers`` gets each document's, of the file where it begins."""
        seen: dict[str, Header] = {}
        current: LogFile | None = None
        for header, batch, file in self._read(files, lambda *_: None):
            if file is not current:
                seen, current = {}, file
            if header is not None:
                seen.setdefault(header.doc, header)
            if batch is None:
                continue
            for index, row in enumerate(batch.rows):
                doc = row[8]
                if doc not in self._disordered or (self._keep is not None and not self._keep(row)):
                    continue
                self._sorted += 1
                if doc not in headers or row[0] < headers[doc][0]:
                    headers[doc] = (row[0], seen.get(doc), file.path)
                yield doc, row[0], self._sorted, file.place, batch.numbers[index], raw_record(row)


def _finished(replay: _Replay | None, started: float) -> float:
    """Closes a document that was replayed, if any, since ``started``; returns the time now."""
    if replay is not None:
        replay.seconds += perf_counter() - started
        replay.finish()
    return perf_counter()
