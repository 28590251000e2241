"""The audit in one process: every document replayed in order by one detector, with bounded memory.

Logs are read once, and each record is replayed as it comes; documents that turn out not to be in order are read again,
sorted on disk and replayed then.

One module because who reads a document, in which order and how often, is decided in one pass over its log.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial
from itertools import islice
from operator import itemgetter
from time import perf_counter

from ...checking.left_out import LeftOut
from ...engine.across import Across
from ...errors import RecordError
from ...events import CompositeEvent
from ...log import BadRecord, Batch, ClockCheck, Header, Origin
from ...log.columns.blocks import Block, RecordTypes, Run
from ...log.decoding import RowDecoder
from ...log.json_codec import FASTEST
from ...log.records import RAISED, Aside, ClockRecord, Control, Row, is_clock, raised_event, raised_or_none
from ...rules import Rules
from ..findings.collector import Collector
from ..findings.order import Ranking
from ..findings.spool import BESIDE
from ..frontier import place_of
from ..inputs import LogFile, whole
from ..progress import Reading, Steps
from ..quarantine import clock_too_late, duplicate, raised_elsewhere, raised_twice, raw_record, too_late
from ..rule_counts import records_by_rule
from ..since import Since
from ..splits import PartReader
from ..without_collector import without_garbage_collection
from .across import PartsOfDocuments, Reached, part_of, raised_in_order, written
from .document_replay import DocumentReplay
from .documents import Documents

_TOGETHER = 1000  # findings
_TOLD = 8192  # sorted records between two words on progress

_doc_of = itemgetter(8)


class LocalAudit:
    """Replays the records of ``files`` and puts what it finds into ``collector``.

    ``until``: as far as time goes on at the end of each document (W6). ``steps`` are told how far it is: a step that
    reads, and two more if there are documents to sort. With ``since`` documents go on from where earlier runs have left
    them, and only what is new in files is read.
    """

    def __init__(
        self,
        rules: Rules,
        collector: Collector,
        *,
        operators: bool,
        keep: Callable[[Row], bool] | None = None,
        until: str | None = None,
        steps: Steps | None = None,
        since: Since | None = None,
    ) -> None:
        self._rules = rules
        self._collector = collector
        self._keep = keep
        self._left_out = LeftOut(rules)
        self._steps = steps or Steps(None, ())
        self._reading: Reading | None = None  # None if nobody wants to know
        self._checks_times = rules.graph.needs_time
        self._asks = bool(rules.graph.waiting_for_edits)
        self._externals = bool(rules.externals)
        self._decoder = RowDecoder(ClockCheck.ANY, check_times=self._checks_times)
        over = Across(rules, operators=operators) if rules.graph.across else None
        self._across = None if over is None else PartsOfDocuments(
            over, lambda doc, part: collector.spool.add_across(doc, part.time, written(part)),
            collector.spool.drop_across, until=until,
        )  # fmt: skip
        self._documents = Documents(
            rules, collector, operators=operators, until=until, since=since, across=self._across
        )
        self._headers: dict[str, Header] = {}  # of the file being read
        self._file = ""  # its path
        self._disordered: set[str] = set()
        self._sorted = 0  # records of these
        self._since = since
        self._frontier = None if since is None else since.frontier
        self._readers: dict[int, PartReader] = {}  # by the places of files, as is what follows
        self._headers_of: dict[int, dict[str, Header]] = {}

    def run(self, files: list[LogFile]) -> None:
        """Reads all files, then once more what has to be sorted."""
        with without_garbage_collection():
            self._run(files)
        self._collector.count_for_rules(records_by_rule(self._rules, self._collector.replayed))

    def found_across(self, withheld: Collection[str]) -> Iterator[bytes]:
        """What events over documents (V11) find in all but these, as lines: to be asked when all is read."""
        if self._across is None:
            return
        ranking, collector = Ranking(self._rules), self._collector
        known = ((doc, part_of(line)) for doc, line in collector.spool.across() if doc not in withheld)
        left = None if self._since is None else self._since.state.across
        reached = Reached() if left is None else Reached.of(left, self._across)
        parts = reached.noted(known)
        found = raised_in_order(self._across.across, ranking, parts, self._across.end)
        while some := [each for _, each in islice(found, _TOGETHER)]:
            for each in some:
                collector.found(each.cause.doc, Counter([each.name]))
            yield b"".join(ranking.encode(each) + b"\n" for each in some)
        collector.summary.notes += reached.notes()
        if self._since is not None:
            self._since.state.across = reached.state(self._across)

    def _run(self, files: list[LogFile]) -> None:
        self._begin_reading(files)
        self._sift(files)
        self._documents.finish_all(self._disordered)
        if self._disordered:
            self._steps.insert("sorting", "replaying")
            self._replay_sorted(files)
        self._documents.check(files)
        if self._since is not None:
            lines = {place: reader.lines for place, reader in self._readers.items()}
            self._since.note_files(lines, self._headers_of)

    def _sift(self, files: list[LogFile]) -> None:
        """Reads all files in blocks; what no rule can see does not even become a row.

        Blocks with anything irregular, headers, bad records or clocks that stand still, are taken row by row.
        """
        concerns, left_out, every = self._documents.concerns, self._left_out.has, self._across is not None
        types = RecordTypes(
            lambda op, path: every or concerns(op, path) or left_out(op, path),  # so that these are counted
            check_times=self._checks_times, applied=self._asks,
        )  # fmt: skip
        in_columns = self._keep is None and self._frontier is None
        for file in files:
            reader = self._begin_file(file, self._collector.quarantine.add)
            for block in reader.blocks():
                runs = block.runs(types) if in_columns and isinstance(block, Block) else None
                if runs is not None and all(map(self._continues, runs)):
                    self._follow(runs, file)
                    self._documents.rest()
                    continue
                for item in reader.items(block):
                    self._take_item(item, file)
                    self._documents.rest()

    def _follow(self, runs: list[Run], file: LogFile) -> None:
        self._note(file, {run.span.doc for run in runs}, sum(run.span.records for run in runs))
        before = perf_counter()
        for run in runs:
            for each, count in run.counts:
                if self._left_out.has(each.op, each.path):
                    self._collector.left_out[each.op, each.path] += count
            if run.span.doc not in self._disordered:
                replay = self._replay_of(run.span.doc)
                replay.follow(run)
                self._documents.let_rest()
                now = perf_counter()
                replay.seconds += now - before
                before = now

    def _take_item(self, item: tuple[int, Aside] | Batch, file: LogFile) -> None:
        if isinstance(item, Batch):
            self._note(file, {row[8] for row in item.rows}, len(item.rows))
            self._take(item, file)
            return
        number, aside = item
        if self._is_held(aside):
            return
        if isinstance(aside, Header):
            if self._asks:
                self._headers.setdefault(aside.doc, aside)
        elif isinstance(aside, Control):
            self._take_control(file, number, aside)
        else:
            self._take_clock(file, number, aside)

    def _replay_of(self, doc: str) -> DocumentReplay:
        return self._documents.replay_of(doc, self._headers.get(doc), self._file)

    def _continues(self, run: Run) -> bool:
        """Whether its records follow what was replayed of the document, if it still is replayed."""
        replay = None if run.span.doc in self._disordered else self._documents.known_place(run.span.doc)
        return replay is None or replay.follows(run.span.first)

    def _note(self, file: LogFile, docs: set[str], count: int) -> None:
        self._collector.quarantine.note_documents(file.place, docs)
        if self._reading is not None:
            self._reading.records += count
            self._steps.tell(self._reading.done, self._reading.records, self._reading.total)

    def _begin_reading(self, files: list[LogFile]) -> None:
        """The next step, which reads all files."""
        if self._steps.told:
            self._reading = Reading(files)
            self._steps.begin(total=self._reading.total)

    def _begin_file(self, file: LogFile, on_bad: Callable[[LogFile, BadRecord], None]) -> PartReader:
        """The reader of the file that is read next."""
        part = whole(file) if self._since is None else self._since.parts[file.place]
        self._headers, self._file = dict(part.headers), file.name
        reader = PartReader(
            part, self._decoder, partial(on_bad, file), check_text=self._asks, controls=self._externals
        )
        if self._since is not None:
            self._readers.setdefault(file.place, reader)
            self._headers_of.setdefault(file.place, self._headers)
        if self._reading is not None:
            self._reading.begin(file, reader)
        return reader

    def _read(
        self, files: list[LogFile], on_bad: Callable[[LogFile, BadRecord], None]
    ) -> Iterator[tuple[tuple[int, Aside] | Batch, LogFile]]:
        for file in files:
            for item in self._begin_file(file, on_bad).read():
                if isinstance(item, Batch):
                    self._note(file, {row[8] for row in item.rows}, len(item.rows))
                yield item, file
                self._documents.rest()

    def _take(self, batch: Batch, file: LogFile) -> None:
        """Replays a batch; documents that turn out not to be in order are left for later."""
        started = perf_counter()
        left_out = self._left_out.has
        self._collector.left_out.update(
            (row[1], row[2]) for row in batch.rows if left_out(row[1], row[2]) and self._is_taken(row)
        )
        self._take_rows(batch, file)
        spent = perf_counter() - started
        # The clock is not looked at for each record: documents that take turns share the time of the batch.
        for doc, count in Counter(map(_doc_of, batch.rows)).items():
            self._documents.add_seconds(doc, spent * count / len(batch.rows))

    def _take_rows(self, batch: Batch, file: LogFile) -> None:
        replay: DocumentReplay | None = None
        takes_all = self._keep is None and self._frontier is None
        for index, row in enumerate(batch.rows):
            if not (takes_all or self._is_taken(row)):
                continue
            doc = row[8]
            if replay is None or replay.doc != doc:
                if doc in self._disordered:
                    continue
                if self._documents.are_many:
                    self._documents.let_rest()
                replay = self._replay_of(doc)
            if replay.follows(row[0]):
                replay.take(row)
            elif row[0] == replay.ts:
                self._collector.quarantine.add(file, duplicate(row, batch.origin(index)), doc)
            elif replay.is_past(row[0]):
                self._quarantine_late(file, batch.origin(index), row, replay)
            else:
                self._leave_for_later(replay)
                replay = None

    def _is_taken(self, row: Row) -> bool:
        """Whether a change is replayed in this run: it is not held above a gap, and not left out."""
        return (self._frontier is None or row[0] <= self._frontier(row[8])) and (
            self._keep is None or self._keep(row)
        )

    def _is_held(self, aside: Aside) -> bool:
        """Whether a clock record or an external event is above a gap in the time points of its document."""
        place = None if self._frontier is None else place_of(aside)
        return place is not None and self._frontier is not None and place[1] > self._frontier(place[0])

    def _take_clock(self, file: LogFile, number: int, clock: ClockRecord) -> None:
        """Takes a clock record; a document in which it comes too late is left for later."""
        self._collector.quarantine.note_documents(file.place, {clock.doc})
        if clock.doc in self._disordered:
            return
        replay = self._replay_of(clock.doc)
        if replay.has_reached(clock):
            replay.take_clock(file, number, clock)
        elif replay.is_past_clock(clock):
            self._quarantine_late_clock(file, number, clock, replay)
        else:
            self._leave_for_later(replay)

    def _quarantine_late(self, file: LogFile, origin: Origin, row: Row, replay: DocumentReplay) -> None:
        self._collector.late[replay.doc, replay.reached] += 1
        self._collector.quarantine.add(file, too_late(row, origin, replay.reached), replay.doc)

    def _quarantine_late_clock(
        self, file: LogFile, number: int, clock: ClockRecord, replay: DocumentReplay
    ) -> None:
        self._collector.late[clock.doc, replay.reached] += 1
        bad = clock_too_late(clock, Origin(file.name, number), replay.reached)
        self._collector.quarantine.add(file, bad, clock.doc)

    def _take_control(self, file: LogFile, number: int, control: Control) -> None:
        """Takes an external event (L7); other control records are about the recording."""
        if control.kind != RAISED:
            return
        try:
            event = raised_event(control)
        except RecordError as error:
            raw = FASTEST.dumps(control.to_record())
            self._collector.quarantine.add(file, BadRecord(Origin(file.name, number), None, str(error), raw))
            return
        doc = event.cause.doc
        if (
            doc not in self._disordered
            and self._documents.known(doc) is not None
            and self._rules.takes_external(event)
        ):
            replay = self._replay_of(doc)
            if not replay.ts or replay.is_at(event.cause.ts) or replay.is_past(event.cause.ts):
                self._take_raised(replay, event, file, number, control)
            else:
                self._leave_for_later(replay)

    def _take_raised(
        self, replay: DocumentReplay, event: CompositeEvent, file: LogFile, number: int, control: Control
    ) -> None:
        """Takes an external event, if the record that it belongs to is there (L7)."""
        if replay.ts and replay.is_at(event.cause.ts):
            if replay.raised_there.is_new(replay.ts, control):
                replay.take_raised(event)
            else:
                bad = raised_twice(control, Origin(file.name, number))
                self._collector.quarantine.add(file, bad, replay.doc)
        elif replay.ts and self._keep is None:
            bad = raised_elsewhere(control, Origin(file.name, number))
            self._collector.quarantine.add(file, bad, replay.doc)

    def _leave_for_later(self, replay: DocumentReplay) -> None:
        """Forgets what was found in a document that is not in order: it is going to be sorted."""
        self._disordered.add(replay.doc)
        self._documents.drop(replay)

    def _replay_sorted(self, files: list[LogFile]) -> None:
        """Reads the documents that are not in order again, sorts them on disk, and replays them."""
        headers: dict[str, tuple[int, Header | None, str]] = {}
        self._begin_reading(files)
        self._collector.spool.add_records(self._to_sort(files, headers))
        self._steps.begin(total=self._sorted)
        replay: DocumentReplay | None = None
        started = perf_counter()
        for number, (doc, file, record, line) in enumerate(self._collector.spool.records()):
            if replay is None or replay.doc != doc:
                started = self._finished(replay, started)
                _, header, path = headers.get(doc, (0, None, ""))  # of clock records alone there is none
                replay = self._documents.revived(doc) or self._documents.begin(doc, header, path)
                if replay.is_asleep:
                    self._documents.wake(replay)
                replay.disordered = True
            content = FASTEST.loads(line)
            if "control" in content:
                control = Control.from_record(content)
                self._take_raised(replay, raised_event(control), files[file], record, control)
                continue
            if is_clock(content):
                clock = ClockRecord.from_record(content)
                if replay.is_past_clock(clock):
                    self._quarantine_late_clock(files[file], record, clock, replay)
                else:
                    replay.take_clock(files[file], record, clock)
                continue
            row = self._decoder.admit(content)
            if row[0] == replay.ts:
                origin = Origin(files[file].name, record)
                self._collector.quarantine.add(files[file], duplicate(row, origin), doc)
            elif replay.is_past(row[0]):
                self._quarantine_late(files[file], Origin(files[file].name, record), row, replay)
            else:
                replay.take(row)
            if not number % _TOLD:
                self._steps.tell(number / self._sorted, number, self._sorted)
        self._finished(replay, started)

    def _finished(self, replay: DocumentReplay | None, started: float) -> float:
        """Closes a document that was replayed, if any, since ``started``; returns the time now."""
        if replay is not None:
            replay.seconds += perf_counter() - started
            self._documents.finish(replay)
        return perf_counter()

    def _to_sort(
        self, files: list[LogFile], headers: dict[str, tuple[int, Header | None, str]]
    ) -> Iterable[tuple[str, int, int | None, int, int, int, bytes]]:
        """The records of the documents to sort; ``headers`` gets each document's, of the file where it begins."""
        seen: dict[str, Header] = {}
        current: LogFile | None = None
        for item, file in self._read(files, lambda *_: None):
            if file is not current:
                seen, current = dict(self._headers), file
            if isinstance(item, Batch):
                for index, row in enumerate(item.rows):
                    doc = row[8]
                    if doc not in self._disordered or not self._is_taken(row):
                        continue
                    self._sorted += 1
                    if doc not in headers or row[0] < headers[doc][0]:
                        headers[doc] = (row[0], seen.get(doc), file.name)
                    yield doc, row[0], None, self._sorted, file.place, item.numbers[index], raw_record(row)
                continue
            number, aside = item
            if self._is_held(aside):
                continue
            if isinstance(aside, Header):
                seen.setdefault(aside.doc, aside)
            elif isinstance(aside, Control):
                event = raised_or_none(aside)
                if event is None or event.cause.doc not in self._disordered:
                    continue
                if self._rules.takes_external(event):
                    self._sorted += 1
                    line = FASTEST.dumps(aside.to_record())
                    yield event.cause.doc, event.cause.ts, BESIDE, self._sorted, file.place, number, line
            elif aside.doc in self._disordered:
                self._sorted += 1
                line = FASTEST.dumps(aside.to_record())
                yield aside.doc, aside.ts, aside.time, self._sorted, file.place, number, line
