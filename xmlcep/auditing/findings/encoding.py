"""Findings as JSON text: the bytes of `CompositeEvent.to_record`, without a call per constituent."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import repeat
from typing import Any

from path_types import PathType

from ...events import CompositeEvent, Event, Names, PrimitiveEvent, bindings_in_finding
from ...log.json_codec import FASTEST, STANDARD, JsonCodec
from .atomic_files import OutputError


class Recorded(tuple[Any, ...]):
    """The constituents of a composite as they are in findings: one JSON text, which is put into others as it is."""

    __slots__ = ()


_new_tuple = tuple.__new__
_dumps = FASTEST.dumps


@lru_cache(maxsize=4096)
def _path(text: str) -> PathType:
    """A path type, of which there are few."""
    return PathType.parse(text)


def decode_composite(content: bytes, cause: PrimitiveEvent) -> CompositeEvent:
    """The composite that `FindingEncoder.forwarded` wrote, raised at ``cause``."""
    head, _, constituents = content.partition(b"\n")
    name, path, ids, start, end, bindings = FASTEST.loads(head)
    return _new_tuple(
        CompositeEvent,
        (
            name, None, _path(path), tuple(ids), Recorded((constituents,)), start, end, cause,
            None if bindings is None else _map(_as_value, bindings), None, None, None, None, False,
        ),
    )  # fmt: skip


_NUMBER = "number"


def _map(function: Callable[[Any], Any], bindings: Mapping[str, Any]) -> dict[str, Any]:
    """Variables with the function done to each single value; lists are tuples again."""
    return {
        name: tuple(map(function, value)) if isinstance(value, (tuple, list)) else function(value)
        for name, value in bindings.items()
    }


def _in_json(value: Any) -> Any:
    """A value of a variable as `_as_value` reads it: JSON has no NaN and no infinities."""
    return {_NUMBER: repr(value)} if isinstance(value, float) and not math.isfinite(value) else value


def _as_value(given: Any) -> Any:
    return float(given[_NUMBER]) if isinstance(given, dict) else given


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
        """The JSON text of the composite's finding record, as UTF-8; its events may be tuples of their layout."""
        try:
            return _dumps(self._finding(composite, FASTEST))
        except TypeError:  # deeper than the fastest goes
            return self._in_standard(self._finding, composite)

    def recorded(self, composite: CompositeEvent) -> CompositeEvent:
        """The same composite with `Recorded` constituents: they are written once, into whatever it becomes part of."""
        if type(composite[4]) is Recorded:
            return composite
        try:
            text = FASTEST.dumps(self._inside(composite, FASTEST))
        except TypeError:
            text = self._in_standard(self._inside, composite)
        return _new_tuple(CompositeEvent, (*composite[:4], Recorded((text,)), *composite[5:]))

    def forwarded(self, composite: CompositeEvent) -> bytes:
        """A `recorded` composite for another task, as `decode_composite` reads it."""
        name, _, path, ids, recorded, start, end, _, bindings, *_ = composite
        assert type(recorded) is Recorded
        (constituents,) = recorded
        values = None if bindings is None else _map(_in_json, bindings)
        # A line: where it ends the constituents begin.
        return b"\n".join((FASTEST.dumps((name, self._texts[path], ids, start, end, values)), constituents))

    def _in_standard(
        self, record: Callable[[CompositeEvent, JsonCodec], Any], composite: CompositeEvent
    ) -> bytes:
        try:
            return STANDARD.dumps(record(composite, STANDARD))
        except RecursionError:
            raise OutputError(
                f"a finding of {composite.name} cannot be written: events are nested in it about 300 deep: use fewer"
                " definitions in definitions"
            ) from None

    def _finding(self, composite: CompositeEvent, codec: JsonCodec) -> dict[str, Any]:
        name, operator, path, ids, constituents, start, end, cause, bindings, _, names, *said = composite
        severity, message, ended = said
        if type(cause) is tuple:
            ts, _, _, _, _, _, _, at, doc, txn, meta, _ = cause
        else:
            ts, at, doc, txn, meta = cause[0], cause.at, cause.doc, cause.txn, cause.meta
        record = {
            "doc": doc, "ts": ts, "at": at, "name": name, "path": self._texts[path],
            "ids": ids, "start": start, "end": end,
            "constituents": self._constituents(constituents, names, codec, with_doc=path is None),
            "operator": operator,
        }  # fmt: skip
        if severity is not None:
            record["severity"] = severity
        if message is not None:
            record["message"] = message
        if ended:
            record["ended"] = True
        if bindings is not None:
            record["bindings"] = bindings_in_finding(bindings)
        if txn is not None:
            record["txn"] = txn
        if meta is not None:
            record["meta"] = meta
        return record

    def _inside(self, composite: CompositeEvent, codec: JsonCodec) -> Any:
        return self._constituents(composite[4], composite[10], codec, with_doc=composite[2] is None)

    def _constituents(
        self, events: Sequence[Event], names: Names | None, codec: JsonCodec, *, with_doc: bool
    ) -> Any:
        """``with_doc``: each says of which document it is, as what they are part of is about no node (V11)."""
        if type(events) is Recorded:
            return codec.written(events[0])
        texts = self._texts
        records: list[dict[str, Any]] = []
        for event in events:
            if type(event) is not tuple and isinstance(event, CompositeEvent):
                name, operator, path, ids, inside, _, _, cause, _, _, inner, _, _, _ = event
                record = {
                    "name": operator or name, "path": texts[path], "ids": ids,
                    "constituents": self._constituents(inside, inner, codec, with_doc=path is None),
                }  # fmt: skip
                if with_doc and path is not None:
                    record = {"doc": cause[8] if type(cause) is tuple else cause.doc, **record}
                records.append(record)
                continue
            ts, op, where, ids, value, old, _, at, doc, txn, meta, _ = event
            record = {"ts": ts, "op": op, "path": texts[where], "ids": ids, "value": value, "old": old}
            if with_doc:
                record = {"doc": doc, **record}
            if at is not None:
                record["at"] = at
            if txn is not None:
                record["txn"] = txn
            if meta is not None:
                record["meta"] = meta
            records.append(record)
        return records if names is None else _named(records, names)


def _named(records: list[dict[str, Any]], names: Names) -> list[dict[str, Any]]:
    """Constituents with the names of their operands (V10)."""
    each = repeat(names) if isinstance(names, str) else names
    return [
        record if name is None else {"as": name, **record}
        for name, record in zip(each, records, strict=False)
    ]
