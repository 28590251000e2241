"""Findings as JSON text: the bytes of `CompositeEvent.to_record`, without a call per constituent."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from path_types import PathType

from ...events import CompositeEvent, Event, PrimitiveEvent
from ...log.json_codec import FASTEST, STANDARD
from ...xpath.values import text_of
from .atomic_files import OutputError


class Recorded(tuple[Any, ...]):
    """The constituents of a composite that was found elsewhere: as they stand in findings."""

    __slots__ = ()


@lru_cache(maxsize=4096)
def _path(text: str) -> PathType:
    """A path type, of which there are few."""
    return PathType.parse(text)


def decode_composite(content: bytes, cause: PrimitiveEvent) -> CompositeEvent:
    """The composite that `FindingEncoder.forwarded` wrote, raised at ``cause``."""
    record = FASTEST.loads(content)
    return CompositeEvent(
        record["name"], None, _path(record["path"]), tuple(record["ids"]),
        Recorded(record["constituents"]), record["start"], record["end"], cause,
        None if record["bindings"] is None else _map(_as_value, record["bindings"]),
    )  # fmt: skip


_WHOLE = 2.0**63  # beyond, JSON readers do not agree on whole numbers
_NUMBER = "number"


def _map(function: Callable[[Any], Any], bindings: Mapping[str, Any]) -> dict[str, Any]:
    """Variables with the function done to each single value; lists are tuples again."""
    return {
        name: tuple(map(function, value)) if isinstance(value, (tuple, list)) else function(value)
        for name, value in bindings.items()
    }


def _in_finding(value: Any) -> Any:
    """A value of a variable in a finding: whole numbers without a point, NaN and infinities as text (V1)."""
    if not isinstance(value, float):
        return value
    if not math.isfinite(value):
        return text_of(value)
    return int(value) if value.is_integer() and abs(value) < _WHOLE else value


def _in_json(value: Any) -> Any:
    """A value of a variable as `_as_value` reads it: JSON has no NaN and no infinities."""
    return {_NUMBER: repr(value)} if isinstance(value, float) and not math.isfinite(value) else value


def _as_value(given: Any) -> Any:
    return float(given[_NUMBER]) if isinstance(given, dict) else given


def _json(record: dict[str, Any]) -> bytes:
    try:
        return FASTEST.dumps(record)
    except TypeError:  # deeper than the fastest goes
        pass
    try:
        return STANDARD.dumps(record)
    except RecursionError:
        raise OutputError(
            f"a finding of {record['name']} cannot be written: events in events in events, some 300 of them: let rules"
            " be made of fewer others"
        ) from None


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
            record["bindings"] = _map(_in_finding, dict(sorted(bindings.items())))
        if cause.txn is not None:
            record["txn"] = cause.txn
        if cause.meta is not None:
            record["meta"] = cause.meta
        return _json(record)

    def around_ts(self, composite: CompositeEvent) -> tuple[bytes, bytes]:
        """The same without its time point: what stands before it, and behind."""
        text = self.encode(composite._replace(cause=composite.cause._replace(ts=0)))
        length = len(_json({"doc": composite.cause.doc, "ts": 0})) - len(b"0}")
        return text[:length], text[length + 1 :]

    def forwarded(self, composite: CompositeEvent) -> bytes:
        """The composite for another task, as `decode_composite` reads it."""
        name, _, path, ids, constituents, start, end, _, bindings, _ = composite
        return _json(
            {
                "name": name, "path": self._texts[path], "ids": ids, "start": start, "end": end,
                "constituents": self._constituents(constituents),
                "bindings": None if bindings is None else _map(_in_json, bindings),
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
