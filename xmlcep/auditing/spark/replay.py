"""Replaying a sorted partition: each document from its first record to its last, one after the other, by one detector.

What is in memory is what is live in one document. Every document is replayed as the local engine does it
(`DocumentReplay`), so what that finds is found here.

One module because all of it is about the record that a batch is at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from path_types import PathType

from ...algebra import Periodic
from ...checking.left_out import LeftOut
from ...documents.snapshots import SnapshotError
from ...engine import Detector
from ...engine.across import Across, Part
from ...errors import RecordError, XmlCepError
from ...events import CompositeEvent
from ...log import BadRecord, Batch, ClockCheck, Header
from ...log import Origin as Numbered
from ...log.columns.blocks import RecordTypes, Run
from ...log.decoding import RowDecoder
from ...log.json_codec import FASTEST, STANDARD
from ...log.parquet import COLUMNS, ArrowRecords
from ...log.records import RAISED, ClockRecord, Control, raised_event, raised_or_none
from ...rules import Rules
from ...timestamps import microseconds
from ..failures import ReplayError
from ..findings.order import Ranking
from ..inputs import LogFile
from ..local.across import PartsOfDocuments, written
from ..local.document_findings import RaisedInOrder
from ..local.document_replay import DocumentReplay
from ..quarantine import clock_too_late, duplicate, raised_elsewhere, raised_twice, raw_record, too_late
from ..snapshots import snapshot_of
from ..whitespace import keep_meaningful
from ..without_collector import without_garbage_collection
from .answers import COUNTS, DOCUMENT, FAILURE, Answer, Answers, Origin
from .columns import records_of
from .told import Told

_NO_FILE = LogFile(-1, "", "plain", 0, "")
_HERE = ("file", "record", "offset", "place")
_OF_BAD = ("file", "record", "offset", "reason", "raw", "raw_base64")


def replayed(batches: Iterable[pa.RecordBatch], told: tuple[Any, ...]) -> Iterator[pa.RecordBatch]:
    """The answers to a sorted partition of a log."""
    with without_garbage_collection():
        replay = SortedReplay(Told(*told))
        for batch in batches:
            with replay.named():
                replay.take(batch)
            yield from replay.answers.take()
        with replay.named():
            replay.finish()
        yield from replay.answers.take(rest=True)


class _Findings(RaisedInOrder):
    """The findings of a document; where it may turn out that it has none (`Failure.leap`) they are held until it is
    over."""

    __slots__ = ("_answers", "_held", "_own")

    def __init__(self, ranking: Ranking, answers: Answers, own: frozenset[str] | None, *, held: bool) -> None:
        super().__init__(ranking)
        self._answers = answers
        self._own = own
        self._held: list[Answer] | None = [] if held else None

    def hold(self, composites: list[CompositeEvent]) -> None:
        if self._own is not None:
            composites = [each for each in composites if each.name in self._own]
        self.counts.update(each.name for each in composites)
        self.keep(self._answers.findings(composites))

    def keep(self, rows: list[Answer]) -> None:
        """Takes rows that count if the document is replayed to its end."""
        if self._held is None:
            self._answers.add(rows)
        else:
            self._held += rows

    def hand_over(self) -> None:
        """It is over."""

    def release(self) -> None:
        """It has what it has found."""
        self._answers.add(self._held or ())


class SortedReplay:
    """Replays batches of records that are in order of document and time point; ``answers`` has what comes of it.
    ``rules`` are others than those that are told."""

    def __init__(self, told: Told, rules: Rules | None = None) -> None:
        rules = self._rules = rules or told.parsed()
        self._until = told.until
        self._keep = keep_meaningful if told.ignore_whitespace else None
        self._ranking = Ranking(rules)
        self.answers = Answers(self._ranking, together=told.together)
        trees = None if told.trees is None else _with_used(rules, told.trees)
        over = [tree.name for tree in rules.graph.across if told.trees is None or tree.name in told.trees]
        self._parts = PartsOfDocuments(Across(rules), self._keep_part, until=told.until) if over else None
        self._own = None if told.trees is None else frozenset(told.trees)
        self._detector: Detector | None = Detector(rules, operators=told.operators, trees=trees)
        self._needs = self._detector.needs
        # What is counted of records is so whoever replays them.
        left_out, concerns = LeftOut(rules).has, Detector(rules).concerns
        self._is_left_out = left_out
        self._asks = bool(rules.graph.waiting_for_edits)
        self._timed = rules.graph.needs_time
        self._types = RecordTypes(
            lambda op, path: bool(over) or concerns(op, path) or left_out(op, path),
            check_times=self._timed, applied=self._asks,
        )  # fmt: skip
        self._records = ArrowRecords(
            "", RowDecoder(ClockCheck.ANY, check_times=self._timed), self._judged_bad
        )
        nodes = [node for tree in rules.graph.trees for node in tree.operators]
        self._defers = any(node.deferred or node.windows for node in nodes)
        self._may_leap = any(isinstance(node.definition, Periodic) for node in nodes)
        self.replayed: Counter[tuple[str, PathType]] = Counter()
        self._left_out: Counter[tuple[str, PathType]] = Counter()
        self._replay: DocumentReplay | None = None
        self._findings: _Findings | None = None
        self._headers: list[tuple[str, Origin, Header]] = []  # of documents that have not begun
        self._batch = pa.record_batch({})
        self._first = 0  # the number of its first record
        self._before: tuple[Any, ...] = ("", "", 0)  # document and place of the record before
        # Of the document:
        self._clocks: dict[int, Origin] = {}  # of clock records, by number
        self._counts: dict[str, Any] = {}
        self._disordered: set[str] = set()

    @contextmanager
    def named(self) -> Iterator[None]:
        """Whatever fails in the block, `ReplayError` says at which document and time point."""
        try:
            yield
        except XmlCepError:
            raise
        except Exception as error:
            what = " ".join(f"{type(error).__name__}: {error}".split())
            raise ReplayError(f"{self._where()}{what}") from error

    def _where(self) -> str:
        replay = self._replay
        if replay is None:
            return ""
        last = replay.last_fed
        at = "" if last is None else f" at time point {last.ts}"
        return f"document {replay.doc!r} cannot be replayed{at}: "

    # ---- batches ----------------------------------------------------------------------------------------------

    def take(self, batch: pa.RecordBatch) -> None:
        """Replays a batch."""
        if "aside" not in batch.schema.names:
            self._take(batch)
            return
        plain = pc.and_(pc.is_null(batch["aside"]), pc.is_null(batch["reason"]))
        externals = (
            pa.array(map(self._is_external, batch["aside"].to_pylist())) if self._rules.externals else plain
        )
        self._note_order(batch.filter(pc.or_(plain, externals)))
        begin = 0
        for index in pc.indices_nonzero(pc.invert(plain)).to_pylist():
            row = {name: batch[name][index].as_py() for name in ("doc", "aside", *_HERE, *_OF_BAD)}
            origin = Origin(*(row[name] for name in _HERE))
            if row["reason"] is not None:
                line = {name: row[name] for name in _OF_BAD if row[name] is not None}
                self.answers.bad_line(FASTEST.dumps(line) + b"\n", origin, row["doc"])
                continue
            record = STANDARD.loads(row["aside"].encode())
            if "control" not in record:
                self._take_header(Header.from_record(record), origin)
            else:
                self._take(batch.slice(begin, index - begin).filter(plain.slice(begin, index - begin)))
                begin = index
                self._take_control(Control.from_record(record), origin)
        self._take(batch.slice(begin).filter(plain.slice(begin)))

    def finish(self) -> None:
        """The partition is over."""
        self._finish()
        counts = {f"{op} {path}": number for (op, path), number in self.replayed.items()}
        left_out = {f"{op} {path}": number for (op, path), number in self._left_out.items()}
        self.answers.counts(COUNTS, {"replayed": counts, "left_out": left_out})
        if self._parts is not None:
            self.answers.end(self._parts.end)

    def _take(self, batch: pa.RecordBatch) -> None:
        """Change records and clock records."""
        if not len(batch):
            return
        self._first += len(self._batch)
        self._batch = batch
        for block in self._records.blocks(_as_log(batch), self._first):
            runs = block.runs(self._types) if self._keep is None else None
            if runs is not None and all(map(self._continues, runs)):
                for run in runs:
                    self._follow(run)
            else:
                for item in block.items():
                    self._take_item(item)
        self._put_aside()

    def _continues(self, run: Run) -> bool:
        replay = self._replay
        if replay is None or replay.doc != run.span.doc:
            return True
        return replay.follows(run.span.first)

    def _follow(self, run: Run) -> None:
        for each, count in run.counts:
            if self._is_left_out(each.op, each.path):
                self._left_out[each.op, each.path] += count
        self._at(run.span.doc).follow(run)

    def _take_item(self, item: tuple[int, Any] | Batch) -> None:
        if not isinstance(item, Batch):
            number, clock = item
            assert isinstance(clock, ClockRecord)
            self._clocks[number] = self._origin(number)
            replay = self._at(clock.doc)
            if replay.is_past_clock(clock):
                self.add_bad(_NO_FILE, clock_too_late(clock, Numbered("", number), replay.reached), clock.doc)
            else:
                replay.take_clock(_NO_FILE, number, clock)
            return
        for index, row in enumerate(item.rows):
            if self._keep is not None and not self._keep(row):
                continue
            if self._is_left_out(row[1], row[2]):
                self._left_out[row[1], row[2]] += 1
            replay = self._at(row[8])
            if row[0] == replay.ts:
                self.add_bad(_NO_FILE, duplicate(row, item.origin(index)), row[8])
            elif replay.is_past(row[0]):
                self.add_bad(_NO_FILE, too_late(row, item.origin(index), replay.reached), row[8])
            else:
                replay.take(row)

    # ---- documents --------------------------------------------------------------------------------------------

    def _at(self, doc: str) -> DocumentReplay:
        """The replay of a document; that of the one before is over."""
        if self._replay is None or self._replay.doc != doc:
            self._finish()
            self._replay = self._begun(doc)
        return self._replay

    def _begun(self, doc: str) -> DocumentReplay:
        detector, self._detector = self._detector, None
        assert detector is not None
        if self._asks and self._headers:
            begin = self._origin(self._first + pc.index(self._batch["doc"], doc).as_py())
            for name, origin, header in self._headers:
                if name == doc and origin.place == begin.place and origin.record < begin.record:
                    if header.snapshot is not None:
                        detector.reset(snapshot_of(header, origin.file, self._needs))
                    break
        self._headers = [each for each in self._headers if each[0] > doc]
        return self._new_replay(doc, detector)

    def _new_replay(self, doc: str, detector: Detector | None) -> DocumentReplay:
        self._findings = _Findings(self._ranking, self.answers, self._own, held=self._may_leap)
        return DocumentReplay(
            doc, detector, self._findings, self, defers=self._defers, follows_edits=self._asks,
            externals=bool(self._rules.externals), across=self._parts,
        )  # fmt: skip

    def _finish(self) -> None:
        """The document is over."""
        replay = self._replay
        if replay is None:
            return
        assert self._findings is not None
        replay.finish(self._until)
        self._put_aside()
        failure = replay.failure
        if failure is None:
            self._findings.release()
        elif not failure.leap:
            self.answers.counts(FAILURE, {"doc": replay.doc, "failure": list(failure)})
        if self._counts:
            self._counts |= {
                "doc": replay.doc, "found": dict(self._findings.counts), "withheld": failure is not None,
                "disordered": replay.doc in self._disordered,
            }  # fmt: skip
            self.answers.counts(DOCUMENT, self._counts)
        self._leave(replay)

    def _leave(self, replay: DocumentReplay) -> None:
        """Takes the detector of a document that is over, for the next one."""
        detector = self._detector = replay.give_detector()
        assert detector is not None
        if not detector.is_as_new():
            detector.reset()
        self._clocks.clear()
        self._disordered.discard(replay.doc)
        self._counts = {}
        self._replay = None

    def _put_aside(self) -> None:
        """If a record has made the document fail because its time is far from all others, it is bad (`Failure.leap`),
        and so are those of the document in this batch that have its time."""
        replay = self._replay
        failure = None if replay is None else replay.failure
        if replay is None or failure is None or not failure.leap:
            return
        concerned = pc.and_(pc.equal(self._batch["doc"], replay.doc), pc.is_valid(self._batch["at"]))
        for index in pc.indices_nonzero(concerned).to_pylist():
            at = self._batch["at"][index].as_py()
            if microseconds(at) == failure.leap:
                number = self._first + index
                reason = f"its time is {at}, more than a hundred years behind the others: {failure.problem}"
                for item in self._records.block(_as_log(self._batch.slice(index, 1)), number).items():
                    raw = (
                        raw_record(item.rows[0])
                        if isinstance(item, Batch)
                        else FASTEST.dumps(item[1].to_record())
                    )
                    self._bad_at(self._origin(number), reason, raw)

    def _note_order(self, batch: pa.RecordBatch) -> None:
        """Notes documents whose records do not follow each other in files as they do in time."""
        for here in zip(*(batch[name].to_pylist() for name in ("doc", "place", "record")), strict=True):
            if here[0] == self._before[0] and here < self._before:
                self._disordered.add(here[0])
            self._before = here

    # ---- headers, control records -------------------------------------------------------------------------------

    def _take_header(self, header: Header, origin: Origin) -> None:
        if not self._asks:
            return
        try:
            if header.snapshot is not None:
                snapshot_of(header, origin.file)
        except SnapshotError as error:
            raw = FASTEST.dumps(header.to_record() | {"ids": list(header.ids)})
            self._bad_at(origin, str(error).removeprefix(f"{origin.file}: "), raw)
        else:
            self._headers.append((header.doc, origin, header))

    def _is_external(self, aside: str | None) -> bool:
        """Whether this is an external event of the rules."""
        record = None if aside is None else STANDARD.loads(aside.encode())
        if record is None or "control" not in record:
            return False
        event = raised_or_none(Control.from_record(record))
        return event is not None and self._rules.takes_external(event)

    def _take_control(self, control: Control, origin: Origin) -> None:
        """Takes an external event, if the record that it belongs to is there (L7)."""
        if control.kind != RAISED or not self._rules.externals:
            return
        raw = FASTEST.dumps(control.to_record())
        try:
            event = raised_event(control)
        except RecordError as error:
            self._bad_at(origin, str(error), raw)
            return
        if not self._rules.takes_external(event):
            return
        replay = self._replay
        if replay is None or replay.doc != event.cause.doc or not replay.ts:
            return
        bad = None
        if not replay.is_at(event.cause.ts):
            self._disordered.add(replay.doc)
            bad = None if self._keep is not None else raised_elsewhere(control, Numbered("", 0))
        elif replay.raised_there.is_new(replay.ts, control):
            replay.take_raised(event)
        else:
            bad = raised_twice(control, Numbered("", 0))
        if bad is not None:
            self._bad_at(origin, bad.reason, raw, replay.doc)

    # ---- what replays tell (`Gathering`) --------------------------------------------------------------------------

    def add_bad(self, file: LogFile, bad: BadRecord, doc: str | None = None) -> None:
        """Takes a bad record, whose number is that of this task."""
        number = bad.origin.record
        self._bad_at(self._clocks.get(number) or self._origin(number), bad.reason, bad.raw, doc)

    def document(self, doc: str, first: int, last: int, count: int, *, disordered: bool) -> None:
        """A document is over."""
        self._counts = {"records": count, "first": first, "last": last}

    def seconds(self, doc: str, seconds: float) -> None:
        """Its replay took so long."""
        self._counts["seconds"] = seconds

    def _keep_part(self, doc: str, part: Part) -> None:
        """Events over documents take this part."""
        assert self._findings is not None and self._parts is not None
        self._findings.keep(
            self.answers.parts(self._parts.across.values(part), part.time, doc, written(part))
        )

    def _judged_bad(self, bad: BadRecord) -> None:
        self.add_bad(_NO_FILE, bad)

    def _bad_at(self, origin: Origin, reason: str, raw: bytes, doc: str | None = None) -> None:
        numbered = Numbered(origin.file, origin.record)
        self.answers.bad(BadRecord(numbered, origin.offset, reason, raw), origin, doc)

    def _origin(self, number: int) -> Origin:
        """Where a record of the batch is from."""
        names, index = self._batch.schema.names, number - self._first
        return Origin(**{name: self._batch[name][index].as_py() for name in _HERE if name in names})


def _as_log(batch: pa.RecordBatch) -> pa.RecordBatch:
    """The columns that a log has, as it has them."""
    return records_of(batch.select([name for name in batch.schema.names if name in COLUMNS]))


def _with_used(rules: Rules, names: Iterable[str]) -> frozenset[str]:
    """These events, and those that they use, as far as they are of one document."""
    wanted = set(names)
    trees = [tree for tree in rules.graph.trees if tree.name in wanted]
    return frozenset(tree.name for tree in rules.graph.with_used(trees) if not tree.across)
