"""Findings as JSON text: the bytes of `CompositeEvent.to_record`, without a call per constituent."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import repeat
from typing import Any

from path_types import PathType

from ...events import CompositeEvent, Event, Names, PrimitiveEvent, as_event
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


def _text(path: PathType | None) -> str | None:
    return None if path is None else str(path)


class FindingEncoder:
    """Writes findings."""

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
        return b"\n".join((FASTEST.dumps((name, _text(path), ids, start, end, values)), constituents))

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
        cause = composite[7]
        if type(cause) is tuple:
            composite = composite._replace(cause=as_event(cause))
        return composite._record(self._inside(composite, codec))

    def _inside(self, composite: CompositeEvent, codec: JsonCodec) -> Any:
        return self._constituents(composite[4], composite[10], codec, with_doc=composite[2] is None)

    def _constituents(
        self, events: Sequence[Event], names: Names | None, codec: JsonCodec, *, with_doc: bool
    ) -> Any:
        """``with_doc``: each says of which document it is, as what they are part of is about no node (V11)."""
        if type(events) is Recorded:
            return codec.written(events[0])
        records: list[dict[str, Any]] = []
        for event in events:
            if type(event) is not tuple and isinstance(event, CompositeEvent):
                cause = event.cause
                record = {
                    "name": event.operator or event.name, "path": _text(event.path), "ids": event.ids,
                    "constituents": self._inside(event, codec),
                }  # fmt: skip
                if with_doc and event.path is not None:
                    record = {"doc": cause[8] if type(cause) is tuple else cause.doc, **record}
            else:
                change = as_event(event)
                record = change.to_constituent()
                if with_doc:
                    record = {"doc": change.doc, **record}
            records.append(record)
        return records if names is None else _named(records, names)


def _named(records: list[dict[str, Any]], names: Names) -> list[dict[str, Any]]:
    """Constituents with the names of their operands (V10)."""
    each = repeat(names) if isinstance(names, str) else names
    return [
        record if name is None else {"as": name, **record}
        for name, record in zip(each, records, strict=False)
    ]
