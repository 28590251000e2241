"""Documents whose records come in parts: each is replayed from where the part before has left it (G6).

As runs of an audit that goes on are (``xmlcep audit --state``), by the same replay, so that the findings of all parts
together are those of one audit of the whole.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from ...engine import Detector, StateError
from ...engine.durable import FORM, VERSION, Interpreter, read_detector, rules_stamp
from ...log.columns.blocks import Run
from ...log.json_codec import FASTEST
from ...rules import Rules
from ...timestamps import TimeError, microseconds
from ..document_lines import line_of
from ..local.document_replay import DocumentReplay
from .answers import BAD, FINDING, Origin, typed, typed_schema
from .columns import sorted_in_order, with_columns
from .replay import SortedReplay
from .told import Told

END = "end"
"""The operation of a record that says that its document is complete; its ``at``, if any, is how far time went on."""

Answer: TypeAlias = tuple[Any, ...]
Part: TypeAlias = tuple[str | None, bytes | None, Sequence[Mapping[str, Any]]]
"""A document, its state, and records of it in any order."""


def gone_on(parts: Iterable[Part], told: tuple[Any, ...]) -> Iterator[tuple[bytes | None, list[Answer]]]:
    """For each part the new state of its document, and the answers, with the columns of `ANSWERS`."""
    try:
        replay = _replay(told)
        for doc, state, records in parts:
            yield replay.go_on(doc, state, records)
    except BaseException:
        _replay.cache_clear()  # it may be in the middle of a document
        raise


@lru_cache(maxsize=4)
def _replay(told: tuple[Any, ...]) -> PartReplay:
    """Workers live on, triggers are many, and rules take long to read."""
    return PartReplay(Told(*told))


class PartReplay(SortedReplay):
    """Replays parts of documents."""

    def __init__(self, told: Told) -> None:
        super().__init__(told)
        self._stamp = _stamp(self._rules, told)
        self._state: dict[str, Any] | None = None

    def go_on(
        self, doc: str | None, state: bytes | None, records: Sequence[Mapping[str, Any]]
    ) -> tuple[bytes | None, list[Answer]]:
        """The new state of a document, and what is found in records of it, which may be in any order."""
        self._state = None if state is None else json.loads(state)
        over = None if self._state is None else self._state.get("over")
        if over is not None:
            return state, self._refused(records, over)
        if self._state is not None and self._state["stamp"] != self._stamp:
            raise StateError(
                f"the state of document {doc!r} was written with other rules or another version of xmlcep: begin with"
                " a new checkpoint, or give the same"
            )
        changes = [each for each in records if each["op"] != END]
        ends = [each for each in records if each["op"] == END]
        with self.named():
            if changes:
                self.take(_batch(sorted_in_order(changes)))
            if doc is not None:
                state = line_of(self._left(self._at(doc), ends))
        return state, [row for batch in self.answers.take(rest=True) for row in _rows(batch)]

    def _refused(self, records: Sequence[Mapping[str, Any]], over: str) -> list[Answer]:
        for each in records:
            if each["op"] != END:
                line = {"reason": over, "raw": json.dumps(_plain(each), default=str)}
                self.answers.bad_line(FASTEST.dumps(line) + b"\n", Origin(), each["doc"])
        return [row for batch in self.answers.take(rest=True) for row in _rows(batch)]

    def _begun(self, doc: str) -> DocumentReplay:
        state = self._state
        if state is None:
            return super()._begun(doc)
        replay = self._new_replay(doc, None)
        replay.go_on(state, self._read, state)
        if replay.is_asleep:
            assert self._detector is not None
            replay.wake(self._detector)
        self._detector = None
        return replay

    def _continues(self, run: Run) -> bool:
        self._at(run.span.doc)  # an earlier part may have gone further
        return super()._continues(run)

    def _read(self, reader: Interpreter, data: object) -> Detector:
        detector = self._detector
        assert detector is not None
        read_detector(reader, data, detector)
        return detector

    def _left(self, replay: DocumentReplay, ends: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """What the next part has to know of the document."""
        assert self._findings is not None
        state: dict[str, Any]
        if ends:
            replay.finish(self._end_of(ends))
            state = {"over": f"document {replay.doc!r} is over: its end record came before"}
        elif replay.failure is None:
            state = replay.pause() | {"stamp": self._stamp}
        self._put_aside()
        failure = replay.failure
        if failure is None or not failure.leap:
            self._findings.release()
        if failure is not None:
            state = {"over": f"document {replay.doc!r} cannot be replayed any further: {failure.problem}"}
            if not failure.leap:
                line = {"reason": state["over"], "raw": ""}
                self.answers.bad_line(FASTEST.dumps(line) + b"\n", Origin(), replay.doc)
        self._leave(replay)
        return state

    def _end_of(self, ends: Sequence[Mapping[str, Any]]) -> str | None:
        """How far time went on (W6)."""
        times = []
        for each in ends:
            try:
                if each.get("at") is not None:
                    times.append((microseconds(each["at"]), each["at"]))
            except TimeError as error:
                line = {"reason": str(error), "raw": json.dumps(_plain(each), default=str)}
                self.answers.bad_line(FASTEST.dumps(line) + b"\n", Origin(), each["doc"])
        return max(times)[1] if times else None


def _stamp(rules: Rules, told: Told) -> str:
    """What a state is of: rules, what is found of them, and how it is written."""
    text = json.dumps([rules_stamp(rules), told.operators, told.ignore_whitespace, VERSION, FORM])
    return sha256(text.encode()).hexdigest()[:16]


# ---- records ---------------------------------------------------------------------------------------------------

_INT, _TEXT = pa.int64(), pa.string()
_TYPES = {
    "doc": _TEXT, "ts": _INT, "op": _TEXT, "path": _TEXT, "ids": pa.list_(_INT), "value": _TEXT, "old": _TEXT,
    "pos": _INT, "at": _TEXT, "txn": _INT, "meta": _TEXT, "more": pa.bool_(), "clock": pa.bool_(), "aside": _TEXT,
    "file": _TEXT, "record": _INT, "offset": _INT, "place": _TEXT, "reason": _TEXT, "raw": _TEXT, "raw_base64": _TEXT,
}  # fmt: skip


def _batch(records: Sequence[Mapping[str, Any]]) -> pa.RecordBatch:
    names = [name for name in _TYPES if name in records[0]]
    arrays = [pa.array([each[name] for each in records], _TYPES[name]) for name in names]
    return pa.record_batch(arrays, names=names)


def _plain(record: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in record.items() if value is not None}


def _rows(batch: pa.RecordBatch) -> Iterator[Answer]:
    return zip(*(column.to_pylist() for column in batch.columns), strict=True)


# ---- answers ---------------------------------------------------------------------------------------------------


def stream_schema() -> pa.Schema:
    """The columns of findings; or, of a bad record, ``doc``, why (``reason``) and what it said (``raw``)."""
    return typed_schema().append(pa.field("reason", _TEXT)).append(pa.field("raw", _TEXT))


def told_apart(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Findings with typed columns, and bad records, with the columns of `stream_schema`."""
    schema = stream_schema()
    for batch in batches:
        found = batch.filter(pc.equal(batch["kind"], FINDING))
        for each in typed([found] if len(found) else []):
            yield with_columns(schema, dict(zip(each.schema.names, each.columns, strict=True)), len(each))
        bad = batch.filter(pc.equal(batch["kind"], BAD))
        if len(bad):
            lines = [FASTEST.loads(line) for line in bad["content"].to_pylist()]
            said = {name: pa.array([line.get(name) for line in lines], _TEXT) for name in ("reason", "raw")}
            yield with_columns(schema, {"doc": bad["doc"], **said}, len(bad))
