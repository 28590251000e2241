"""The nodes at which the operators of a tree can group events (H1), told before the first event.

An operator joins events whose paths contain its own path type uniquely (P3, P8). Which nodes these can be is a set of
absolute paths; such a set is written down here as `Places`. Sets for ``item``, in a schema or without one:

| operand | of | groups are at paths |
|---|---|---|
| ``item/price`` | ``item`` | that end with ``item`` |
| ``order/item/price`` | ``item`` | that end with ``order/item`` |
| ``price`` | ``order/item`` | that end with ``order/item`` and have a ``price`` below them |
| ``item/item`` | ``item`` | none: ``item`` stands twice in it |
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple, TypeAlias

from path_types import PathType, Step, equals_or_ends
from path_types.relations import either_ends, offsets

from ..algebra import Operator
from .ground import Ground, Kinds

Places: TypeAlias = Mapping[PathType, Kinds]
"""Absolute paths that are, or end with, one of these path types and lead to a node of one of its kinds."""


class Events(NamedTuple):
    """Where events happen; each path type of ``once`` stands in the paths of their nodes once at most (P3)."""

    places: Places
    once: frozenset[PathType] = frozenset()


def at(path: PathType, ground: Ground) -> Places:
    """All paths that are, or end with, ``path``."""
    kinds = ground.ending(path)
    return {path: kinds} if kinds else {}


def both(events: Events, path: PathType, ground: Ground) -> Places:
    """Those of the places that are, or end with, ``path``."""
    found: dict[PathType, Kinds] = {}
    for known, kinds in events.places.items():
        longer = known if equals_or_ends(path, known) else path if equals_or_ends(known, path) else None
        if longer is not None:
            _add(found, longer, kinds & _at_once(longer, events.once, ground))
    return found


def groups_of(events: Events, group: PathType, ground: Ground) -> Places:
    """Where events are grouped by an operator with the path type ``group``."""
    found: dict[PathType, Kinds] = {}
    for path, kinds in events.places.items():
        for place, rest in _overlaps(path, group):
            if any(len(offsets(each, _longer(place, rest))) > 1 for each in events.once):
                continue
            alone = _at_once(place, {group, *events.once}, ground)
            _add(found, place, frozenset(kind for kind in alone if kinds & ground.onward(kind, rest)))
        if group.last.is_element and not path.absolute and not offsets(group, path):
            if any(offsets(each, group) and offsets(each, path) for each in events.once):
                continue
            alone = _at_once(group, {group, *events.once}, ground)
            found_below = (kind for kind in alone if not kinds.isdisjoint(ground.below(kind, path, group)))
            _add(found, group, frozenset(found_below))
    return found


def groups_in(path: PathType, group: PathType, ground: Ground) -> Places:
    """Where events at or below nodes with a path ending with ``path`` are grouped (F5)."""
    found = dict(groups_of(Events(at(path, ground)), group, ground))
    if offsets(group, path):
        return found
    steps, wanted = path.steps, group.steps
    if offsets(path, group):
        _add(found, group, ground.alone(group, group))
    if group.absolute:
        return found
    for length in range(1, min(len(steps), len(wanted) - 1) + 1):
        if steps[len(steps) - length :] == wanted[:length]:
            longer = _longer(path, wanted[length:])
            _add(found, longer, ground.alone(longer, group))
    inside = (ground.below(kind, group, group) for kind in ground.ending(path))
    _add(found, group, ground.alone(group, group) & frozenset(chain.from_iterable(inside)))
    return found


def kinds_in(events: Events, group: PathType, groups: Places, ground: Ground) -> Kinds:
    """The kinds of the nodes of the events that are grouped at ``groups`` by an operator with this path type."""
    found: set[int] = set()
    for path, kinds in events.places.items():
        for place, rest in _overlaps(path, group):
            for known in _compatible(groups, place):
                found |= kinds & ground.onward(known, rest)
        if group.last.is_element and not path.absolute and not offsets(group, path):
            for known in _compatible(groups, group):
                found |= kinds.intersection(ground.below(known, path, group))
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


def _at_once(path: PathType, once: Iterable[PathType], ground: Ground) -> Kinds:
    """The kinds of the nodes at a path in which each of these stands once at most."""
    kinds = ground.ending(path)
    for each in once:
        found = offsets(each, path)
        if found:
            kinds &= ground.alone(path, each) if len(found) == 1 else frozenset()
    return kinds


def _longer(path: PathType, rest: Sequence[Step]) -> PathType:
    return PathType.of(path.absolute, (*path.steps, *rest))


def _kinds_at(places: Places, place: PathType) -> Kinds:
    known = [places[path] for path in place.endings if path in places]
    return known[0] if len(known) == 1 else frozenset(chain.from_iterable(known))


def _overlaps(path: PathType, group: PathType) -> Iterator[tuple[PathType, Sequence[Step]]]:
    """How ``group`` can lie in a path that ends with ``path``, if not wholly before it: what is then known of the path
    of the group's node, and the steps from there on."""
    steps, wanted = path.steps, group.steps
    if path.absolute and group.absolute:
        if steps[: len(wanted)] == wanted:
            yield group, steps[len(wanted) :]
        return
    if not group.absolute:
        found = offsets(group, path)
        if len(found) == 1:
            end = found[0] + len(wanted)
            yield PathType.of(path.absolute, steps[:end]), steps[end:]
        if found or path.absolute:
            return
    most = min(len(steps), len(wanted) - (not group.absolute))
    for length in range(1, most + 1):
        if wanted[len(wanted) - length :] == steps[:length]:
            whole = _longer(group, steps[length:])
            if group.absolute or len(offsets(group, whole)) == 1:
                yield group, steps[length:]


def _add(places: dict[PathType, Kinds], path: PathType, kinds: Kinds) -> None:
    if kinds:
        places[path] = places.get(path, frozenset()) | kinds
