"""Findings as JSON text: the bytes of `CompositeEvent.to_record`, without a call per constituent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from path_types import PathType

from ...events import CompositeEvent, Event, PrimitiveEvent, bindings_record
from ...log.json_codec import FASTEST


class Recorded(tuple[Any, ...]):
    """The constituents of a composite that was found elsewhere: as they stand in findings."""

    __slots__ = ()


def decode_composite(content: bytes, cause: PrimitiveEvent) -> CompositeEvent:
    """The composite that `FindingEncoder.forwarded` wrote, raised at ``cause``."""
    record = FASTEST.loads(content)
    return CompositeEvent(
        record["name"], None, PathType.parse(record["path"]), tuple(record["ids"]),
        Recorded(record["constituents"]), record["start"], record["end"], cause,
    )  # fmt: skip


class _PathTexts(dict[PathType | None, str | None]):
    """The text of path types; None for no path."""

    def __missing__(self, path: PathType | None) -> str | None:
        text = self[path] = None if path is None else str(path)
        return text


class FindingEncoder:
    """Writes findings; it remembers the texts of their path types."""

    def __init__(self) -> None:
        self._texts = _PathTexts()

    def encode(self, composite: CompositeEvent) -> bytes:
        """The JSON text of the composite's finding record, as UTF-8."""
        name, operator, path, ids, constituents, start, end, cause, bindings, _ = composite
        record = {
            "doc": cause.doc, "ts": cause[0], "at": cause.at, "name": name, "path": self._texts[path],
            "ids": ids, "start": start, "end": end, "constituents": self._constituents(constituents),
            "operator": operator,
        }  # fmt: skip
        if bindings is not None:
            record["bindings"] = bindings_record(bindings)
        if cause.txn is not None:
            record["txn"] = cause.txn
        if cause.meta is not None:
            record["meta"] = cause.meta
        return FASTEST.dumps(record)

    def forwarded(self, composite: CompositeEvent) -> bytes:
        """The composite for another task, as `decode_composite` reads it."""
        name, _, path, ids, constituents, start, end, _, _, _ = composite
        return FASTEST.dumps(
            {
                "name": name, "path": self._texts[path], "ids": ids, "start": start, "end": end,
                "constituents": self._constituents(constituents),
            }
        )  # fmt: skip

    def _constituents(self, events: Sequence[Event]) -> Sequence[dict[str, Any]]:
        if type(events) is Recorded:
            return list(events)
        texts = self._texts
        records: list[dict[str, Any]] = []
        for event in events:
            if isinstance(event, CompositeEvent):
                name, operator, path, ids, inside, _, _, _, _, _ = event
                records.append(
                    {
                        "name": operator or name, "path": texts[path], "ids": ids,
                        "constituents": self._constituents(inside),
                    }
                )  # fmt: skip
            else:
                ts, op, where, ids, value, old, _, at, _, txn, meta, _ = event
                record = {"ts": ts, "op": op, "path": texts[where], "ids": ids, "value": value, "old": old}
                if at is not None:
                    record["at"] = at
                if txn is not None:
                    record["txn"] = txn
                if meta is not None:
                    record["meta"] = meta
                records.append(record)
        return records
