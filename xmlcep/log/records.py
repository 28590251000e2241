"""What is in a change log: headers, change records, clock records, control records."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from path_types import PathType

from ..errors import RecordError
from ..events import CompositeEvent, PrimitiveEvent, TimePoint, record_path
from ..timestamps import TimeError, microseconds
from .errors import NewerFormatError

LARGEST = 2**63 - 1
"""Time points, node ids and transactions are signed 64-bit numbers, which is what Parquet holds."""
FORMAT_VERSION = 1
MARK = "xmlcep"
"""The key that tells headers and control records from change records; its value is the format version."""

FIELDS = ("doc", "ts", "op", "path", "ids", "value", "old", "pos", "at", "txn", "meta")
"""The fields that every change record has, in the order in which they are; ``more`` follows where it is true."""

Row = tuple[
    int, str, PathType, tuple[int, ...], str | None, str | None, int | None, str | None, str, int | None,
    Mapping[str, str] | None, bool,
]  # fmt: skip
"""A change record as a plain tuple: the fields of `PrimitiveEvent` in their order."""


def refuse_newer(version: int, where: object) -> None:
    """Raises `NewerFormatError` for the version of a format that this release does not know."""
    if version > FORMAT_VERSION:
        raise NewerFormatError(
            f"{where}: written in log format {version}; this release of xmlcep reads formats up to {FORMAT_VERSION}:"
            " install a newer one"
        )


@dataclass(frozen=True, slots=True)
class Header:
    """The first record of a log file: the document as it was when the file was begun.

    ``snapshot`` is the document as XML text, None when it was empty; ``ids`` the ids of its nodes in document
    order; ``ts`` its clock then. With ``commits`` the last record of every transaction in the file has the
    field ``commit``, true.
    """

    doc: str
    snapshot: str | None = None
    ids: tuple[int, ...] = ()
    ts: int = 0
    commits: bool = False

    def to_record(self) -> dict[str, Any]:
        """The header as a record of a log."""
        return {
            MARK: FORMAT_VERSION, "doc": self.doc, "snapshot": self.snapshot, "ids": self.ids,
            "ts": self.ts, "commits": self.commits,
        }  # fmt: skip

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Header:
        """The header that a record describes; raises `RecordError`, which names the field."""
        doc, snapshot, ids = record.get("doc"), record.get("snapshot"), record.get("ids") or ()
        ts = record.get("ts") or 0
        if not isinstance(doc, str):
            raise RecordError(f"doc of a header is {doc!r}: expected a string")
        if not isinstance(snapshot, (str, type(None))):
            raise RecordError(f"snapshot is {snapshot!r}: expected XML text or null")
        if not isinstance(ids, (list, tuple)) or not all(type(node) is int for node in ids):
            raise RecordError("ids of a header: expected a list of whole numbers")
        if type(ts) is not int or ts < 0:
            raise RecordError(f"ts of a header is {ts!r}: expected a whole number from 0 on")
        return cls(doc, snapshot, tuple(ids), ts, record.get("commits") is True)


@dataclass(frozen=True, slots=True)
class Control:
    """A record about the recording rather than the document; readers of change records skip it.

    ``kind`` is what it is about (`docs/log.md` lists them), ``content`` the rest of the record.
    """

    kind: str
    content: Mapping[str, Any]

    def to_record(self) -> dict[str, Any]:
        """The control record as a record of a log."""
        return {MARK: FORMAT_VERSION, "control": self.kind, **self.content}

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Control:
        """The control record that a record describes."""
        content = {key: value for key, value in record.items() if key not in (MARK, "control")}
        return cls(str(record["control"]), content)


class ClockRecord(NamedTuple):
    """That time has passed although nothing changed (W6): it is ``at``, the document's last time point is ``ts``.

    It is not a time point of its own. It is behind the record of its ``ts``, behind those of the same ``ts`` and an
    earlier ``at``, and never between two records of one transaction. A document has ``ts`` 0 before its first change.
    """

    doc: str
    ts: int
    at: str

    @property
    def time(self) -> int:
        """Its ``at`` in microseconds from 1970."""
        return microseconds(self.at)  # it is a time: see `from_record`

    def to_record(self) -> dict[str, Any]:
        """The clock record as a record of a log."""
        return {"doc": self.doc, "ts": self.ts, "at": self.at, "clock": True}

    @classmethod
    def from_record(cls, record: Mapping[str, Any], header_doc: str | None = None) -> ClockRecord:
        """The clock record that a record describes; raises `RecordError`, which names the field.

        ``header_doc`` is the document of a record that names none: that of the header its file begins with.
        """
        doc, ts, at = record.get("doc"), record.get("ts"), record.get("at")
        doc = header_doc if doc is None else doc
        if record.get("clock") is not True:
            raise RecordError(f"clock is {record.get('clock')!r}: expected true, or no such field")
        if record.get("op") is not None:
            raise RecordError("clock is true and there is an op: a clock record says nothing of a node (W6)")
        if doc is None:
            raise RecordError("doc is missing: expected the name of the document, here or in a header before")
        if not isinstance(doc, str):
            raise RecordError(f"doc is {doc!r}: expected a string or null")
        if type(ts) is not int or not 0 <= ts <= LARGEST:
            raise RecordError(f"ts of a clock record is {ts!r}: expected a whole number from 0 on")
        if not isinstance(at, str):
            raise RecordError(f"at of a clock record is {at!r}: expected a time such as 2026-01-31T12:00:00Z")
        try:
            microseconds(at)
        except TimeError as error:
            raise RecordError(f"at of a clock record: {error}") from None
        return cls(doc, ts, at)


TOGETHER = "together"
"""The kind of control record that is before an edit and what rules made of it: the next ``records`` records are
one, and belong into the log as a whole or not at all (L4)."""
RAISED = "raised"
"""The kind of control record of an external event that a rule has raised (L7); it belongs to the record before it."""


def raised_control(event: CompositeEvent, nth: int = 1) -> Control:
    """An external event as a control record; ``nth`` numbers those that are equal at its time point."""
    cause = event.cause
    content = {
        "doc": cause.doc, "ts": cause.ts, "at": cause.at, "name": event.name, "path": str(event.path),
        "ids": list(event.ids), "txn": cause.txn, "meta": None if cause.meta is None else dict(cause.meta),
        **({"nth": nth} if nth > 1 else {}),
    }  # fmt: skip
    return Control(RAISED, content)


def raised_identity(control: Control) -> str:
    """What tells an external event from others of its time point; one that is delivered twice has it twice."""
    content = control.content
    return json.dumps(
        [content.get(name) for name in ("name", "path", "ids", "txn", "meta", "nth")], sort_keys=True
    )


def raised_event(control: Control) -> CompositeEvent:
    """The external event of a control record; raises `RecordError`, which names the field."""
    content = control.content
    ts, name, ids, txn = content.get("ts"), content.get("name"), content.get("ids"), content.get("txn")
    if type(ts) is not int or not 0 <= ts <= LARGEST:
        raise RecordError(f"ts of a raised event is {ts!r}: expected a whole number from 0 on")
    if not isinstance(name, str):
        raise RecordError(f"name of a raised event is {name!r}: expected a string")
    path = record_path(content.get("path"))
    if not isinstance(ids, list) or len(ids) != len(path) or not all(map(_is_number, ids)):
        raise RecordError(f"ids of a raised event is {ids!r}: expected one whole number per step of {path}")
    doc, at, meta = content.get("doc"), content.get("at"), content.get("meta")
    if not isinstance(doc, str):
        raise RecordError(f"doc of a raised event is {doc!r}: expected a string")
    if not isinstance(at, (str, type(None))):
        raise RecordError(f"at of a raised event is {at!r}: expected a time or null")
    if txn is not None and not _is_number(txn):
        raise RecordError(f"txn of a raised event is {txn!r}: expected a whole number or null")
    texts = meta.values() if isinstance(meta, dict) else ()
    if meta is not None and not (isinstance(meta, dict) and all(isinstance(text, str) for text in texts)):
        raise RecordError(f"meta of a raised event is {meta!r}: expected pairs of strings, or null")
    cause = TimePoint(ts, at, doc, txn, meta)
    return CompositeEvent(name, None, path, tuple(ids), (), ts, ts, cause)


def _is_number(value: object) -> bool:
    return type(value) is int and 0 <= value <= LARGEST


def raised_or_none(control: Control) -> CompositeEvent | None:
    """The external event of a control record; None for one of another kind, and one that cannot be read."""
    if control.kind != RAISED:
        return None
    try:
        return raised_event(control)
    except RecordError:
        return None


Aside: TypeAlias = Header | Control | ClockRecord
"""A record that is not a change record."""


def is_clock(record: Mapping[str, Any]) -> bool:
    """Whether a record without the format mark is to be read as a clock record."""
    return record.get("clock") not in (None, False)


def change_record(row: Row | PrimitiveEvent) -> dict[str, Any]:
    """An event, or a row of the same fields, as a change record."""
    ts, op, path, ids, value, old, pos, at, doc, txn, meta, more = row
    record = {
        "doc": doc, "ts": ts, "op": op, "path": str(path), "ids": ids, "value": value, "old": old,
        "pos": pos, "at": at, "txn": txn, "meta": meta,
    }  # fmt: skip
    if more:
        record["more"] = True
    return record
