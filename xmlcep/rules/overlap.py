"""Whether one event can reach an operator through two of its leaves (Q1)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

from path_types import Step

from ..events import ANY, EventType, PrimitiveType, Scope

_Kind: TypeAlias = tuple[bool, str | None]
"""Whether it is a primitive type, and its operation or name; None for any."""


@dataclass(slots=True)
class _Ending:
    """The last steps of some paths: the kinds of the types whose paths are just these, and of those that go on."""

    here: set[_Kind] = field(default_factory=set)
    beyond: set[_Kind] = field(default_factory=set)
    before: dict[Step, _Ending] = field(default_factory=dict)


def may_repeat(types: Iterable[EventType]) -> bool:
    """Whether one event can be compatible with two of these types (E2): one path ends the other, the rest agrees.

    It may err on the side of yes: an absolute path is taken for a relative one. Takes time in proportion to the steps.
    """
    root = _Ending()
    wide: set[_Kind] = set()  # of types that mean more nodes than their path says (F5)
    seen: set[_Kind] = set()
    for type_ in types:
        kind = _kind(type_)
        if _agrees(kind, wide) or (type_.scope is not Scope.NODE and _agrees(kind, seen)):
            return True
        seen.add(kind)
        if type_.scope is not Scope.NODE:
            wide.add(kind)
            continue
        node = root
        for step in reversed(type_.path.steps):
            node.beyond.add(kind)
            node = node.before.setdefault(step, _Ending())
            if _agrees(kind, node.here):
                return True
        if _agrees(kind, node.beyond):
            return True
        node.here.add(kind)
    return False


def _kind(type_: EventType) -> _Kind:
    if isinstance(type_, PrimitiveType):
        return (True, None if type_.operation == ANY else type_.operation)
    return (False, type_.name)


def _agrees(kind: _Kind, others: set[_Kind]) -> bool:
    is_primitive, word = kind
    if word is None:
        return any(other == is_primitive for other, _ in others)
    return kind in others or (is_primitive, None) in others
