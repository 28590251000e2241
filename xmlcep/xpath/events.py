"""Expressions about primitive events: what filters see (F1, F2)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from operator import itemgetter
from typing import Any

from lxml import etree

from ..events import PrimitiveEvent
from .closures import Sight
from .kinds import VariableKind
from .values import Single, Value

META = "meta:"
"""What the names of variables begin with that are the application's own: ``$meta:user``."""

_FIELDS = PrimitiveEvent._fields
_FIELD_OF = {
    "old": "old", "new": "value", "op": "op", "ts": "ts", "at": "at", "doc": "doc", "txn": "txn",
}  # fmt: skip
_NUMBERS = ("ts", "txn")
_META_FIELD = _FIELDS.index("meta")
_VALUE, _OLD = _FIELDS.index("value"), _FIELDS.index("old")


class EventVariables(Mapping[str, VariableKind]):
    """The variables of a filter of primitive events; ``more`` are further ones, such as reference documents.

    >>> variables = EventVariables({"parts": VariableKind.NODES})
    >>> variables["old"].value, variables["meta:user"].value, "price" in variables
    ('a string', 'a string', False)
    """

    def __init__(self, more: Mapping[str, VariableKind] | None = None) -> None:
        self._kinds = dict.fromkeys(_FIELD_OF, VariableKind.STRING)
        self._kinds.update(dict.fromkeys(_NUMBERS, VariableKind.NUMBER))
        self._kinds.update(more or {})

    def __getitem__(self, name: str) -> VariableKind:
        return VariableKind.STRING if name.startswith(META) else self._kinds[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._kinds)

    def __len__(self) -> int:
        return len(self._kinds)


class EventValues(Mapping[str, "Value | etree._Element"]):
    """The values of a filter's variables, for an `Environment`; ``more`` are those of further ones."""

    __slots__ = ("_event", "_more")

    def __init__(
        self, event: PrimitiveEvent, more: Mapping[str, Value | etree._Element] | None = None
    ) -> None:
        self._event = event
        self._more = more or {}

    def __getitem__(self, name: str) -> Value | etree._Element:
        if name.startswith(META) or name in _FIELD_OF:
            return read_variable(name)(self._event)
        return self._more[name]

    def __iter__(self) -> Iterator[str]:
        yield from _FIELD_OF
        yield from self._more

    def __len__(self) -> int:
        return len(_FIELD_OF) + len(self._more)


def read_variable(name: str) -> Callable[[PrimitiveEvent], Single]:
    """What reads a variable of an event (or of a plain tuple of its layout): None where it has no value."""
    if not name.startswith(META):
        return itemgetter(_FIELDS.index(_FIELD_OF[name]))
    key = name.removeprefix(META)

    def read(event: Any) -> Single:
        meta = event[_META_FIELD]
        return None if meta is None else meta.get(key)

    return read


def _new_value(event: Any) -> str:
    return event[_VALUE] or ""


def _old_value(event: Any) -> str:
    return event[_OLD] or ""


def event_sight(operation: str) -> Sight[PrimitiveEvent]:
    """How the expression of a leaf of this operation looks at events: ``.`` is the value of the node, of one that is
    deleted the old one (F3)."""
    if operation == "del":
        return Sight(_old_value, read_variable)
    if operation in ("ins", "upd"):
        return Sight(_new_value, read_variable)
    return Sight(lambda event: (_old_value if event[1] == "del" else _new_value)(event), read_variable)
