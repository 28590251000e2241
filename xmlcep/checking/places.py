"""The nodes at which the operators of a tree can group events (H1), known before the first event.

An operator joins events that are aligned to one node (P10). Which nodes these can be is a set of absolute paths; such a
set is written down here as `Places`. Sets for ``item``, in a schema or without one:

| operand | of | groups are at paths |
|---|---|---|
| ``item/price`` | ``item`` | that end with ``item`` |
| ``order/item/price`` | ``item`` | that end with ``order/item`` |
| ``price`` | ``order/item`` | that end with ``order/item`` and have a ``price`` below them |
| ``item/item`` | ``item`` | that end with ``item`` and have an ``item`` in them |
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import TypeAlias

from path_types import PathType, Step, equals_or_ends
from path_types.relations import either_ends, offsets

from ..algebra import Operator
from .ground import Ground, Kinds

Places: TypeAlias = Mapping[PathType, Kinds]
"""Absolute paths that are, or end with, one of these path types and lead to a node of one of its kinds."""


def at(path: PathType, ground: Ground) -> Places:
    """All paths that are, or end with, ``path``."""
    kinds = ground.ending(path)
    return {path: kinds} if kinds else {}


def both(places: Places, path: PathType, ground: Ground) -> Places:
    """Those of the places that are, or end with, ``path``."""
    found: dict[PathType, Kinds] = {}
    for known, kinds in places.items():
        longer = known if equals_or_ends(path, known) else path if equals_or_ends(known, path) else None
        if longer is not None:
            _add(found, longer, kinds & ground.ending(longer))
    return found


def groups_of(events: Places, own: PathType, group: PathType, ground: Ground) -> Places:
    """Where events that happen there, and that an operand with the path type ``own`` takes, are grouped by an operator
    with the path type ``group``; where ``own`` does not say at which of several nodes above them, at any."""
    found: dict[PathType, Kinds] = {}
    for path, kinds in events.items():
        for place, rest in _aligned(path, own, group):
            grouped = (kind for kind in ground.ending(place) if kinds & ground.onward(kind, rest))
            _add(found, place, frozenset(grouped))
        if _may_lie_below(path, group):
            around = (kind for kind in ground.ending(group) if kinds & ground.below(kind, path))
            _add(found, group, frozenset(around))
    return found


def groups_in(path: PathType, group: PathType, ground: Ground) -> Places:
    """Where events at or below nodes with a path ending with ``path`` are grouped (F5)."""
    found = dict(groups_of(at(path, ground), path, group, ground))
    if offsets(group, path):
        return found
    steps, wanted = path.steps, group.steps
    if offsets(path, group):
        _add(found, group, ground.ending(group))
    if group.absolute:
        return found
    for length in range(1, min(len(steps), len(wanted) - 1) + 1):
        if steps[len(steps) - length :] == wanted[:length]:
            longer = PathType.of(path.absolute, (*steps, *wanted[length:]))
            _add(found, longer, ground.ending(longer))
    inside = (ground.below(kind, group) for kind in ground.ending(path))
    _add(found, group, frozenset(chain.from_iterable(inside)))
    return found


def kinds_in(events: Places, own: PathType, group: PathType, groups: Places, ground: Ground) -> Kinds:
    """The kinds of the nodes of those of the events that are grouped at ``groups``."""
    found: set[int] = set()
    for path, kinds in events.items():
        for place, rest in _aligned(path, own, group):
            for known in _compatible(groups, place):
                found |= kinds & ground.onward(known, rest)
        if _may_lie_below(path, group):
            for known in _compatible(groups, group):
                found |= kinds & ground.below(known, path)
    return frozenset(found)


def _compatible(places: Places, path: PathType) -> Kinds:
    """The kinds of those of the places that can be, or end with, ``path``."""
    fitting = (kinds for known, kinds in places.items() if either_ends(path, known))
    return frozenset(chain.from_iterable(fitting))


def raising(operator: Operator, group: PathType, operands: Sequence[Places], ground: Ground) -> Places:
    """Where the operator can raise something if its operands' events are grouped at these places."""
    if operator.may_raise([False] * len(operands)):
        return at(group, ground)
    found: dict[PathType, Kinds] = {}
    for place in dict.fromkeys(chain.from_iterable(operands)):
        here = [_kinds_at(each, place) for each in operands]
        possible = frozenset(chain.from_iterable(here)) & ground.ending(place)
        raised = (kind for kind in possible if operator.may_raise([kind in each for each in here]))
        _add(found, place, frozenset(raised))
    return found


def _kinds_at(places: Places, place: PathType) -> Kinds:
    known = [places[path] for path in place.endings if path in places]
    return known[0] if len(known) == 1 else frozenset(chain.from_iterable(known))


def _aligned(path: PathType, own: PathType, group: PathType) -> Iterator[tuple[PathType, Sequence[Step]]]:
    """How ``group`` can lie in a path that ends with ``path``, if not wholly before it, for what ``own`` takes there
    (P10): what is then known of the path of the group's node, and the steps from there on."""
    steps, wanted = path.steps, group.steps
    inside, found = offsets(group, own), offsets(group, path)
    if inside or found:
        start = len(steps) - len(own) + inside[0] if inside else found[-1]
        end = start + len(wanted)
        yield PathType.of(path.absolute, steps[:end]), steps[end:]
        return
    if path.absolute:
        return
    most = min(len(steps), len(wanted) - (not group.absolute))
    for length in range(1, most + 1):
        if wanted[len(wanted) - length :] == steps[:length]:
            yield group, steps[length:]


def _may_lie_below(path: PathType, group: PathType) -> bool:
    """Whether a node of ``group`` may lie wholly above what is known of a path."""
    return group.last.is_element and not path.absolute and not offsets(group, path)


def _add(places: dict[PathType, Kinds], path: PathType, kinds: Kinds) -> None:
    if kinds:
        places[path] = places.get(path, frozenset()) | kinds
