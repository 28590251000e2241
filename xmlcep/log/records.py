"""What stands in a change log: headers, change records, control records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from path_types import PathType

from ..errors import RecordError
from ..events import PrimitiveEvent

FORMAT_VERSION = 1
MARK = "xmlcep"
"""The key that tells headers and control records from change records; its value is the format version."""

FIELDS = ("doc", "ts", "op", "path", "ids", "value", "old", "pos", "at", "txn", "meta")
"""The fields that every change record has, in the order in which they stand; ``more`` follows where it is true."""

Row = tuple[
    int, str, PathType, tuple[int, ...], str | None, str | None, int | None, str | None, str, int | None,
    Mapping[str, str] | None, bool,
]  # fmt: skip
"""A change record as a plain tuple: the fields of `PrimitiveEvent` in their order."""


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
