"""One document replayed in order: its detector and its clock.

One module because all of it is to be set aside and taken up again together, where documents are many.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from time import perf_counter
from typing import Any

from ...documents import Replica
from ...engine import Detector, EvaluationError, OnRemoved, Replacement
from ...engine.durable import Interpreter, Scribe, new_reader, new_writer, write_detector
from ...events import Cause, CompositeEvent, PrimitiveEvent
from ...log import Origin
from ...log.columns.blocks import Run
from ...log.records import ClockRecord, Row
from ...rules import Rules
from ...timestamps import timestamp
from ..failures import Failure
from ..findings.collector import Gathering
from ..inputs import LogFile
from ..quarantine import clock_in_transaction
from ..raised import RaisedThere
from ..rule_counts import RecordType, type_of
from .across import PartsOfDocuments
from .document_findings import RaisedInOrder

_new_tuple = tuple.__new__
_NO_RUN: Mapping[str, Any] = {"counts": {}}


class DocumentReplay:
    """One document being replayed.

    ``defers``: any record may raise something, so that none may be left out; ``follows_edits``: what an
    edit raises may come with its last record (U2); ``externals``: external events may be behind a record, and be of
    its time point (L7).
    """

    __slots__ = (
        "_across",
        "_awake",
        "_before",
        "_checked",
        "_defers",
        "_edit_goes_on",
        "_externals",
        "_findings",
        "_follows_edits",
        "_gathering",
        "_handed",
        "_last",
        "_replayed",
        "_time",
        "_waiting",
        "clock",
        "count",
        "disordered",
        "doc",
        "failure",
        "first",
        "raised_there",
        "rests_from",
        "seconds",
        "ts",
        "txn",
    )  # fmt: skip

    def __init__(
        self, doc: str, detector: Detector | None, findings: RaisedInOrder, gathering: Gathering, *, defers: bool,
        follows_edits: bool, externals: bool = True, across: PartsOfDocuments | None = None,
    ) -> None:  # fmt: skip
        self.doc = doc
        self.ts = 0
        self.clock: tuple[int, int] | None = None  # time point and time of the last clock record
        self.txn: int | None = None
        self.raised_there = RaisedThere()
        self.first = 0
        self.count = 0
        self.disordered = False
        self.rests_from = 0  # records
        self.seconds = 0.0
        self.failure: Failure | None = None  # after which it is left alone
        self._awake: Detector | None = detector
        self._checked = 0  # at how many records it was seen that something is kept
        self._defers = defers
        self._externals = externals
        self._across = across
        self._time: int | None = None  # how late it is (W1), if events over documents want to know
        self._follows_edits = follows_edits
        self._edit_goes_on = False
        self._findings = findings
        self._gathering = gathering
        self._last: PrimitiveEvent | None = None
        # About them the next record decides: has the transaction ended before them?
        self._waiting: list[tuple[LogFile, int, ClockRecord] | CompositeEvent] = []
        self._replayed: dict[RecordType, int] = defaultdict(int)  # records
        self._handed: dict[str, int] = {}  # those before it rested
        # Ts and clock where an earlier run has stopped.
        self._before: tuple[int, tuple[int, int] | None] | None = None

    @property
    def detector(self) -> Detector:
        """Its detector; it is awake."""
        assert self._awake is not None
        return self._awake

    @property
    def last_fed(self) -> Cause | None:
        """What its detector was fed last."""
        return None if self._awake is None else self._awake.last_fed

    def give_detector(self) -> Detector | None:
        """Gives its detector away, if it has one: it is done, and that is to be reset."""
        detector, self._awake = self._awake, None
        return detector

    @property
    def is_asleep(self) -> bool:
        """Whether it has no detector, because it needs none before its next record."""
        return self._awake is None

    def wake(self, detector: Detector) -> None:
        """Gets a detector that is as new, for its next records."""
        self._awake = detector

    def sleep(self) -> Detector | None:
        """Gives its detector away, if that keeps nothing of the document; None if it does, or might, or an external
        event may raise more at its last time point beside what was raised (L7).

        A document that keeps something is looked at again when it has had as many records more.
        """
        if self.count < 2 * self._checked or self._waiting or self._awake is None:
            return None
        if self.failure is not None or not self._awake.is_as_new():
            self._checked = self.count
            return None
        if self._externals:
            self._findings.settle_until(self.ts)
            if self._findings.pending:
                return None
        else:
            self._findings.settle()
        self._checked = 0
        return self.give_detector()

    @property
    def reached(self) -> int:
        """The time point that an earlier run has gone on to."""
        before, clock = self._before or (0, None)
        return before if clock is None else max(before, clock[0])

    def is_past(self, ts: int) -> bool:
        """Whether an earlier run has gone beyond this time point."""
        if self._before is None:
            return False
        before, clock = self._before
        return ts <= before or (clock is not None and ts <= clock[0])

    def is_past_clock(self, clock: ClockRecord) -> bool:
        """Whether an earlier run has gone beyond the place of a clock record."""
        if self._before is None:
            return False
        before, other = self._before
        return clock.ts < before or (other is not None and (clock.ts, clock.time) < other)

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
        """Now it is known to which transaction the record behind the waiting ones belongs.

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
                self._gathering.add_bad(file, bad, self.doc)
            else:
                self._advance(clock.at)

    def _raise(self, event: CompositeEvent) -> None:
        try:
            self._found(self.detector.raise_external(event))
        except EvaluationError as error:
            self._fail(error)

    def _advance(self, time: str) -> None:
        """Time has passed (W6): what is due fires here."""
        if self._across is not None:
            self._time = self._across.advance(self._time, time)
        try:
            self._found(self.detector.advance(time))
        except EvaluationError as error:
            self._fail(error)
        self._edit_goes_on = False

    def fire(self, until: int) -> None:
        """What is due by then fires (W6), an open transaction being over. The clock goes on to the last deadline, and
        not until then: records may still come from before."""
        while passed := [due for due in self.detector.deadlines() if due <= until]:
            self._end_waiting(None)
            self._advance(timestamp(max(passed)))

    def _flush(self) -> None:
        try:
            self._found(self.detector.flush(self._last))
        except EvaluationError as error:
            self._fail(error)

    def _end_edit(self) -> None:
        try:
            self._found(self.detector.end_edit())
        except EvaluationError as error:
            self._fail(error)

    def _found(self, raised: list[CompositeEvent], record: PrimitiveEvent | None = None) -> None:
        """What was raised, with a record or after it."""
        self._findings.pending += raised
        if self._across is not None and self.failure is None:
            self._time = self._across.take(self.doc, self._time, record, raised)

    def _fail(self, error: EvaluationError) -> None:
        self.failure = Failure.of(error)
        self.detector.reset()
        self.detector.close()  # and so it ignores what follows

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
        if self._findings.pending and not self._edit_goes_on:
            self._findings.settle()
        self._edit_goes_on = self._follows_edits and row[11]
        if not (self.count or self._before):
            self.first = row[0]
        self.count += 1
        self.ts = row[0]
        self._replayed[row[1], row[2]] += 1
        self._last = _new_tuple(PrimitiveEvent, row)
        try:
            self._found(self.detector.feed(self._last), self._last)
        except EvaluationError as error:
            self._fail(error)

    def follow(self, run: Run) -> None:
        """Replays the next records, of which those that cannot matter may have been left out."""
        if self._across is not None or self._edit_goes_on or (self._follows_edits and run.edits):
            for row in run.rows:  # what is found has to wait for the end of edits
                self.take(row)
            return
        span = run.span
        if self._waiting:
            self._end_waiting(span.first_txn)
        if self.txn is not None and self.txn != span.first_txn:
            self._flush()
        if not (self.count or self._before):
            self.first = span.first
        self.count += span.records
        for type_, count in run.counts:
            self._replayed[type_.op, type_.path] += count
        try:
            self._findings.take(self.detector.replay(run.rows, ends=False))  # type: ignore[arg-type]
        except EvaluationError as error:
            self._fail(error)
        last = self.detector.last_fed
        if isinstance(last, PrimitiveEvent):
            self._last = last
        self.ts, self.txn = span.last, span.last_txn

    def finish(self, until: str | None = None) -> None:
        """Closes the document's trees; before that time goes on ``until`` then (W6)."""
        if not self.ts:  # there were clock records only
            return
        started = perf_counter()
        if self._awake is not None:
            if self._waiting or until is not None:
                self._end_waiting(None)
            if until is not None:
                self._advance(until)
            if self._last is not None:
                self._flush()
        self._findings.settle()
        self._hand_over()
        self._gathering.seconds(self.doc, self.seconds + perf_counter() - started)

    def rest(self, *, until: str | None) -> tuple[dict[str, Any], bool]:
        """The document goes on later in this run: what that has to know, and whether more may be found where it ends.

        Beside what `pause` says that is what has been counted by type and may have to be taken back.
        """
        state = self.pause()
        ends = "replay" in state and (
            until is not None
            or bool(self._findings.pending or self._waiting or self.failure)
            or self.detector.awaits_end()
        )
        run: dict[str, Any] = {"counts": self._counts()}
        if self._waiting:
            run["places"] = [each[0].place for each in self._waiting if not isinstance(each, CompositeEvent)]
        if self.failure is not None:
            run["failure"] = self.failure
        state["run"] = run
        return state, ends

    def _counts(self) -> dict[str, int]:
        """How many records it has had by type, as text."""
        counts = dict(self._handed)
        for (op, path), count in self._replayed.items():
            text = f"{op} {path}"
            counts[text] = counts.get(text, 0) + count
        return counts

    def pause(self, writer: Scribe | None = None) -> dict[str, Any]:
        """The document goes on later, in this run or another: what that has to know, as plain data (G6).

        What was counted so far is handed over; this object is done. What was found at the last time point is kept
        where something else may be found there: at the end of a transaction or edit, or when time goes on.
        """
        if not self._edit_goes_on:
            if self._defers or self._externals:
                self._findings.settle_until(self.ts)
            else:
                self._findings.settle()
        if self.ts:
            self._hand_over()
            self._gathering.seconds(self.doc, self.seconds)
        return self._state(writer)

    def replace(
        self, rules: Rules, on_removed: OnRemoved, past: Detector | None, document: Replica | None
    ) -> tuple[dict[str, Any], Replacement]:
        """Takes other rules (G7): what `pause` says then, and what has become of the trees. An open edit ends."""
        if self._edit_goes_on:
            self._end_edit()
            self._edit_goes_on = False
        replacement = self.detector.replace(rules, on_removed=on_removed, past=past, document=document)
        self._findings.pending += replacement.raised
        self._findings.settle()
        self._findings.hand_over()
        self._waiting = [
            each
            for each in self._waiting
            if not isinstance(each, CompositeEvent) or rules.takes_external(each)
        ]
        return self._state(), replacement

    def _state(self, writer: Scribe | None = None) -> dict[str, Any]:
        state: dict[str, Any] = {"doc": self.doc, "ts": self.ts, "txn": self.txn, "clock": self.clock}
        if raised := self.raised_there.at(self.ts):
            state["raised"] = list(raised)
        if self._time is not None:
            state["time"] = self._time
        awake, pending = self._awake, self._findings.pending
        writer = writer or new_writer()
        is_all = not (pending or self._waiting or writer.writes_a_part)
        if awake is None or (is_all and awake.is_as_new()):
            return state
        state["replay"] = {
            "detector": write_detector(writer, awake),
            "last": None if self._last is None else writer.event(self._last),
            "pending": [writer.event(composite) for composite in pending],
            "waiting": [
                writer.event(each)
                if isinstance(each, CompositeEvent)
                else [each[0].name, each[1], each[2].to_record()]
                for each in self._waiting
            ],
            "edit": self._edit_goes_on,
        }
        return state | writer.state()

    def place(self, state: Mapping[str, Any]) -> None:
        """Takes from a state how far the document is."""
        self.ts, self.clock = state["ts"], _clock_of(state)

    def go_on(
        self,
        state: Mapping[str, Any],
        read: Callable[[Interpreter, Any], Detector],
        before: Mapping[str, Any] | None,
        rests_from: int = 0,
        reader: Callable[[Mapping[str, Any]], Interpreter] = new_reader,
    ) -> None:
        """Goes on from where `pause` or `rest` has left the document; ``read`` makes the detector that was written;
        ``before`` is the state in which earlier runs have left it, if they have. It is not to rest again before it has
        had ``rests_from`` records.

        A document in which nothing waits is asleep then.
        """
        self.place(state)
        self.txn = state["txn"]
        self._time = state.get("time")
        self.first = self.ts + 1
        self.rests_from = rests_from
        self._before = None if before is None else (before["ts"], _clock_of(before))
        self.raised_there = RaisedThere(self.ts, state.get("raised", ()))
        run = state.get("run", _NO_RUN)
        self._handed = run["counts"]
        self.failure = Failure(*run["failure"]) if "failure" in run else None
        places = iter(run.get("places", ()))
        replay = state.get("replay")
        if replay is None:
            return
        shared = reader(state)
        self._awake = read(shared, replay["detector"])
        self._last = None if replay["last"] is None else shared.event(replay["last"])
        self._findings.pending += [shared.event(number) for number in replay["pending"]]
        for each in replay["waiting"]:
            if isinstance(each, list):
                name, number, clock = each
                file = LogFile(next(places, -1), name, "plain", 0, name)
                self._waiting.append((file, number, ClockRecord.from_record(clock)))
            else:
                self._waiting.append(shared.event(each))
        self._edit_goes_on = replay["edit"]

    def _hand_over(self) -> None:
        """The findings and counts of the run."""
        self._findings.hand_over()
        replayed = self._gathering.replayed
        for type_, count in self._replayed.items():
            replayed[type_] += count
        self._gathering.document(self.doc, self.first, self.ts, self.count, disordered=self.disordered)

    @property
    def types(self) -> Collection[RecordType]:
        """The types of its records."""
        return self._replayed.keys()

    def take_back(self) -> None:
        """It is going to be replayed from its first record: what it has found and counted is not to be."""
        self._findings.drop()
        if self._across is not None:
            self._across.drop(self.doc)
        self._gathering.replayed.subtract({type_of(text): count for text, count in self._handed.items()})
        self._gathering.seconds(self.doc, self.seconds)

    def spool(self) -> None:
        """Puts the findings that it holds on disk."""
        self._findings.spool()


def _clock_of(state: Mapping[str, Any]) -> tuple[int, int] | None:
    clock = state["clock"]
    return None if clock is None else (clock[0], clock[1])
