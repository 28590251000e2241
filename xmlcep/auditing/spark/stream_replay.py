"""Documents whose records come in batches: each is replayed from where the batch before has left it (G6).

As runs of an audit that goes on are (``xmlcep audit --state``), by the same replay, so that the findings of all batches
together are those of one audit of the whole. The state of a document is a mapping from whole numbers to bytes, of which
only those values are read and written that the records concern.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, MutableMapping, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import Any, Literal, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from ...arguments import one_word
from ...engine import Detector, OnRemoved, StateError
from ...engine.durable import FORM, VERSION, Interpreter, read_detector, rules_stamp
from ...engine.durable.pieces import Division, Piece, Pieces, PieceScribe
from ...engine.durable.rules_stamp import earlier_rules
from ...errors import ArgumentError, XmlCepError
from ...log.columns.blocks import Run
from ...log.json_codec import FASTEST
from ...rules import Rules
from ...timestamps import TimeError, microseconds
from ..document_lines import line_of
from ..local.document_replay import DocumentReplay
from .answers import BAD, FINDING, Origin, typed, typed_schema
from .columns import IN_TASKS, LOG, sorted_in_order, with_columns
from .replay import SortedReplay
from .told import Told

END = "end"
"""The operation of a record that says that its document is complete; its ``at``, if any, is how far time went on."""

Late: TypeAlias = Literal["refuse", "wait"]
LATE = one_word("refuse", "wait")
"""What becomes of records above a gap of time points, or below which a part has gone."""
Answer: TypeAlias = tuple[Any, ...]
Record: TypeAlias = Mapping[str, Any]
Store: TypeAlias = MutableMapping[int, bytes]
"""The state of a document: at `REST` what each batch reads, at the id of a node what is stored there."""
REST, RULES, HELD = -1, -2, -3
Part: TypeAlias = tuple[str | None, Store, Sequence[Record], int | None]
"""A document, its state, which is changed, records of it in any order, and how far deadlines are over."""


def gone_on(
    parts: Iterable[Part], told: tuple[Any, ...], *how: Any
) -> Iterator[tuple[list[Answer], int | None, int | None]]:
    """For each part the answers, with the columns of `ANSWERS`, and its next deadline, before and now; ``how`` is as
    for `PartReplay`."""
    try:
        replay = _replay(told, *how)
        for part in parts:
            yield replay.go_on(*part), *replay.due
    except BaseException:
        _replay.cache_clear()  # it may be in the middle of a document
        raise


@lru_cache(maxsize=4)
def _replay(told: tuple[Any, ...], *how: Any) -> PartReplay:
    """Workers live on, triggers are many, and rules take long to read."""
    return PartReplay(Told(*told), *how)


class PartReplay(SortedReplay):
    """Replays parts of documents; with ``waits`` records above a gap of time points are held until it is filled.
    ``on_removed`` is for states of other rules (G7)."""

    def __init__(
        self, told: Told, waits: bool = False, on_removed: OnRemoved | None = None, rules: Rules | None = None
    ) -> None:
        super().__init__(told, rules)
        self._told = told
        self._waits = waits
        self._on_removed = on_removed
        self._written_by = [VERSION, FORM, told.operators, told.ignore_whitespace]
        self._stamp = rules_stamp(self._rules)
        self._digest = sha256(json.dumps(self._stamp).encode()).hexdigest()[:16]
        assert self._detector is not None
        self._division = Division(self._detector)
        self._state: dict[str, Any] | None = None
        self._given: Sequence[Record] = ()
        self._over: int | None = None
        self._pieces = Pieces(self._division, _none)
        self.due: tuple[int | None, int | None] = None, None
        """The next deadline of the last document, before its records and now, in microseconds since 1970."""

    def go_on(
        self, doc: str | None, store: Store, records: Sequence[Record], until: int | None = None
    ) -> list[Answer]:
        """What is found in records of a document, which may be in any order, and what is due ``until`` then (W6), in
        microseconds since 1970; its state is brought up to date."""
        state = self._state = _read(store, REST)
        self._over = until
        before = None if state is None else state.get("next")
        self.due = before, None
        over = None if state is None else state.get("over")
        if over is not None:
            self._refuse(records, over)
        elif doc is None:
            self.take(batch_of(sorted_in_order(records)))
        else:
            self._pieces = Pieces(self._division, lambda node: _read(store, node))
            if state is not None:
                self._check(doc, store, state)
            with self.named():
                changed, is_over = self._go_on(doc, store, records)
            if is_over:
                store.clear()
            self.due = before, changed[REST].get("next")
            for key, value in changed.items():
                if value is not None:
                    store[key] = line_of(value)
                elif key in store:
                    del store[key]
        return [row for batch in self.answers.take(rest=True) for row in _rows(batch)]

    def _go_on(self, doc: str, store: Store, records: Sequence[Record]) -> tuple[dict[int, Any], bool]:
        """What is to be written to the state of the document; and whether that is all that is to be there."""
        changes = [each for each in records if each["op"] != END]
        ends = [each for each in records if each["op"] == END]
        changed: dict[int, Any] = {}
        held: Sequence[Record] = ()
        if self._waits:
            before = _read(store, HELD)
            changes, held = self._above_no_gap([*(before or ()), *changes], is_end=bool(ends))
            if held != (before or []):
                changed[HELD] = held or None
            if held:
                self._over = None  # what is missing may be in time
        self._given = [*changes, *ends]
        if changes:
            self.take(batch_of(sorted_in_order(changes)))
        replay = self._at(doc)
        if self._over is not None:
            replay.fire(self._over)
        scribe, state = self._left(replay, ends)
        deadlines = [due[-1] for due in state.get("due", ()) if due[-1] is not None]
        if deadlines and not held:
            state["next"] = min(deadlines)
        if "over" in state:
            return {REST: state}, True
        if self._state is None or self._state.get("rules") != self._digest:
            changed[RULES] = self._stamp
        return changed | dict(self._pieces.changed(scribe)) | {REST: state}, False

    def _refuse(self, records: Iterable[Record], reason: str) -> None:
        for each in records:
            if each["op"] != END:
                self._bad(reason, each)

    def _bad(self, reason: str, record: Record) -> None:
        plain = {name: value for name, value in record.items() if value is not None}
        line = {"reason": reason, "raw": json.dumps(plain, default=str) if plain.get("op") else ""}
        self.answers.bad_line(FASTEST.dumps(line) + b"\n", Origin(), record["doc"])

    # ---- where the part before has left the document -----------------------------------------------------------

    def _begun(self, doc: str) -> DocumentReplay:
        state, pieces = self._state, self._pieces
        self.answers.number = 0 if state is None else state["n"]
        if state is None:
            replay = super()._begun(doc)
        else:
            replay = self._new_replay(doc, None)
            replay.go_on(state, self._read, state, reader=pieces.reader)
            if replay.is_asleep:
                assert self._detector is not None
                replay.wake(self._detector)
            self._detector = None
        self._load(replay)
        return replay

    def _load(self, replay: DocumentReplay) -> None:
        """Reads the pieces that the records concern."""
        lines, ts, time = [], replay.ts, 0
        for each in self._given:
            if each["op"] != END:
                lines.append(_places(self._division, each))
                ts = max(ts, each["ts"] or 0)
            time = max(time, _time(each))
        if self._over is not None:
            time = max(time, self._over)
        flushes = replay.txn is not None or any(
            each["op"] == END or each.get("txn") is not None for each in self._given
        )
        self._pieces.load(replay.detector, lines, ts, time, flushes=flushes)

    def _continues(self, run: Run) -> bool:
        self._at(run.span.doc)  # an earlier part may have gone further
        return super()._continues(run)

    def _read(self, reader: Interpreter, data: object) -> Detector:
        detector = self._detector
        assert detector is not None
        read_detector(reader, data, detector)
        return detector

    def _check(self, doc: str, store: Store, state: dict[str, Any]) -> None:
        """Has the document go on with these rules, if it was with others (G7)."""
        if state["by"] != self._written_by:
            raise StateError(
                f"the state of document {doc!r} was written by another version of xmlcep or with other options: begin"
                " with a new checkpoint, or give the same"
            )
        if state["rules"] == self._digest:
            return
        before = earlier_rules(
            _read(store, RULES) or {}, self._rules, self._on_removed, "begin with a new checkpoint"
        )
        if before is None:
            return  # they are the same, with other words for people
        earlier = PartReplay(self._told, rules=before)
        earlier._state, earlier._pieces = state, Pieces(earlier._division, lambda node: _read(store, node))
        with earlier.named():
            replay = earlier._begun(doc)
            earlier._pieces.load(
                replay.detector, [[node] for node in store if node >= 0], 0, None, flushes=True
            )
            left, _ = replay.replace(self._rules, self._on_removed or "flush", None, None)
        self.answers.adopt(earlier.answers)
        left["n"] = earlier.answers.number
        self._pieces.above = earlier._pieces.above
        held = store.get(HELD)
        store.clear()
        if held is not None:
            store[HELD] = held
        self._state = left

    # ---- what the next part has to know ------------------------------------------------------------------------

    def _left(self, replay: DocumentReplay, ends: Sequence[Record]) -> tuple[PieceScribe, dict[str, Any]]:
        assert self._findings is not None
        self._findings.settle()  # rows need not be in order
        scribe = PieceScribe(self._pieces, replay.detector)
        state: dict[str, Any] = {}
        if ends:
            replay.finish(self._end_of(ends))
            state = {"over": f"document {replay.doc!r} is over: its end record came before"}
        elif replay.failure is None:
            state = replay.pause(scribe)
            state |= {"rules": self._digest, "by": self._written_by, "n": self.answers.number}
        self._put_aside()
        failure = replay.failure
        if failure is None or not failure.leap:
            self._findings.release()
        if failure is not None:
            state = {"over": f"document {replay.doc!r} cannot be replayed any further: {failure.problem}"}
            if not failure.leap:
                self._bad(state["over"], {"doc": replay.doc})
        self._leave(replay)
        return scribe, state

    def _end_of(self, ends: Sequence[Record]) -> str | None:
        """How far time went on (W6)."""
        times = []
        for each in ends:
            try:
                if each.get("at") is not None:
                    times.append((microseconds(each["at"]), each["at"]))
            except TimeError as error:
                self._bad(str(error), each)
        return max(times)[1] if times else None

    def _above_no_gap(self, records: list[Record], *, is_end: bool) -> tuple[list[Record], list[Record]]:
        """Of these records, which are all that there are, those above no gap of time points, and the others. The end
        gives gaps up: then it is said what has not come."""
        times = sorted({each["ts"] for each in records if each["ts"] is not None and not each.get("clock")})
        reached = 0 if self._state is None else self._state["ts"]
        for ts in times:
            if ts > reached + 1:
                if not is_end:
                    break
                doc = records[0]["doc"]
                self._bad(
                    f"ts {reached + 1} to {ts - 1} of document {doc!r} have not come: skipped", {"doc": doc}
                )
            reached = max(reached, ts)
        if is_end:
            return records, []
        return [e for e in records if (e["ts"] or 0) <= reached], [
            e for e in records if (e["ts"] or 0) > reached
        ]


def refuse_across(rules: Rules) -> None:
    """Raises `ArgumentError` for rules with events over several documents (V11)."""
    if rules.said_of_across:
        raise ArgumentError(
            f"{rules.said_of_across}: a stream knows of no change that it comes before all later ones of other"
            " documents, so their order is not known: use findings() on a table of what has been written so far"
        )


def next_deadline(store: Mapping[int, bytes]) -> int | None:
    """When something is due next by time in a document with this state, in microseconds since 1970; None if nothing is,
    or records above a gap are held: what is missing may be in time."""
    return (_read(store, REST) or {}).get("next")


def _none(node: int) -> Piece | None:
    return None


def _read(store: Mapping[int, bytes], key: int) -> Any:
    data = store.get(key)
    return None if data is None else json.loads(data)


def _time(record: Record) -> int:
    try:
        at = record.get("at")
        return 0 if at is None else microseconds(at)
    except (TimeError, TypeError):
        return 0


def _places(division: Division, record: Record) -> list[int]:
    """The nodes that a record, or an external event (L7), concerns; none if it is bad, which is found out later."""
    try:
        if record.get("aside") is not None:
            record = json.loads(record["aside"])
        return division.places(record["path"], record["ids"])
    except (XmlCepError, LookupError, TypeError, ValueError):
        return []


# ---- records ---------------------------------------------------------------------------------------------------


def batch_of(records: Sequence[Record]) -> pa.RecordBatch:
    """The records with those columns that one of them has."""
    schema = pa.schema([field for field in IN_TASKS if any(field.name in each for each in records)])
    arrays = [pa.array([each.get(field.name) for each in records], field.type) for field in schema]
    return pa.record_batch(arrays, schema=schema)


def _rows(batch: pa.RecordBatch) -> Iterator[Answer]:
    return zip(*(column.to_pylist() for column in batch.columns), strict=True)


# ---- answers ---------------------------------------------------------------------------------------------------


def stream_schema() -> pa.Schema:
    """The columns of findings; or, of a bad record, ``doc``, why (``reason``) and what it said (``raw``)."""
    return typed_schema().append(LOG.field("reason")).append(LOG.field("raw"))


def told_apart(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Findings with typed columns, and bad records, with the columns of `stream_schema`."""
    schema = stream_schema()
    for batch in batches:
        found = batch.filter(pc.equal(batch["kind"], FINDING))
        for each in typed([found] if len(found) else []):
            yield with_columns(schema, each)
        bad = batch.filter(pc.equal(batch["kind"], BAD))
        if len(bad):
            lines = [FASTEST.loads(line) for line in bad["content"].to_pylist()]
            said = {
                name: pa.array([line.get(name) for line in lines], pa.string()) for name in ("reason", "raw")
            }
            yield with_columns(schema, pa.record_batch({"doc": bad["doc"], **said}))
