"""Where in a document something is, as far as an expression says: patterns of paths, and what the axes make of them.

A `Location` is a sequence of items from the root node down: tests of elements, a gap (any number of elements), and last
perhaps a text or attribute. ``()`` is the root node. They stand for sets of nodes and err on the safe side: a location
has all nodes that the expression can mean, perhaps more."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum
from typing import Generic, NamedTuple, TypeAlias, TypeVar

import path_types
from path_types import PathType, Step
from path_types.names import name_parts

from .syntax import Axis, NameTest, NodeTest, Test


class Kind(Enum):
    """What an item is."""

    ELEMENT = "element"
    TEXT = "text"
    ATTRIBUTE = "attribute"
    GAP = "gap"


class Item(NamedTuple):
    """An element or attribute of this namespace and local name (None: any), a text node, or a gap."""

    kind: Kind
    uri: str | None = None
    local: str | None = None

    def accepts(self, step: Step | None) -> bool:
        """Whether a step of a path can be this; None is an element whose name is not known."""
        if step is None:
            return self.kind is Kind.ELEMENT
        if step.is_element:
            named = self.kind is Kind.ELEMENT
        elif step.axis is path_types.Axis.ATTRIBUTE:
            named = self.kind is Kind.ATTRIBUTE
        else:
            return self.kind is Kind.TEXT
        if not named or self.uri is None:
            return named
        uri, local = name_parts(step.test)
        return uri == self.uri and self.local in (None, local)

    def and_test(self, test: Test) -> Item | None:
        """What is both this and passes a node test of an axis of elements."""
        if isinstance(test, NodeTest):
            return self if test is NodeTest.NODE or self.kind is Kind.TEXT else None
        if self.kind is not Kind.ELEMENT:
            return None
        uri = test.uri if self.uri is None else self.uri
        local = test.local if self.local is None else self.local
        fits = test.uri in (None, uri) and test.local in (None, local)
        return Item(Kind.ELEMENT, uri, local) if fits else None


Location: TypeAlias = tuple[Item, ...]
Locations: TypeAlias = frozenset[Location]

ROOT: Location = ()
GAP = Item(Kind.GAP)
ELEMENT = Item(Kind.ELEMENT)
TEXT = Item(Kind.TEXT)
ATTRIBUTE = Item(Kind.ATTRIBUTE)
ANYWHERE: Locations = frozenset({ROOT, (GAP, ELEMENT), (GAP, TEXT), (GAP, ATTRIBUTE)})
"""All nodes of a document."""

DOWNWARD = frozenset({Axis.CHILD, Axis.DESCENDANT, Axis.DESCENDANT_OR_SELF, Axis.SELF, Axis.ATTRIBUTE})
"""The axes that lead from a node to nodes of its subtree."""

_MOST = 12  # locations of one step; beyond that it is anywhere
_LONGEST = 200  # items of a location


def of_path(path: PathType) -> Location:
    """The location that a path type says."""
    items = []
    for step in path.steps:
        if step.is_element:
            items.append(Item(Kind.ELEMENT, *name_parts(step.test)))
        elif step.axis is path_types.Axis.ATTRIBUTE:
            items.append(Item(Kind.ATTRIBUTE, *name_parts(step.test)))
        else:
            items.append(TEXT)
    return tuple(items) if path.absolute else (GAP, *items)


def least_depth(location: Location) -> int:
    """How far below the root node it is at least."""
    return sum(item.kind is not Kind.GAP for item in location)


def move(locations: Locations, axis: Axis, test: Test) -> Locations:
    """Where a step leads from there."""
    found = frozenset(reached for location in locations for reached in _reached(location, axis, test))
    too_many = len(found) > _MOST or any(len(location) > _LONGEST for location in found)
    return ANYWHERE if too_many else found


def parents(locations: Locations) -> Locations:
    """The parents, the root node among them."""
    return frozenset(parent for location in locations for parent in _parents(location))


def _reached(location: Location, axis: Axis, test: Test) -> Iterable[Location]:
    match axis:
        case Axis.CHILD:
            return _children(location, test)
        case Axis.ATTRIBUTE:
            return _attributes(location, test)
        case Axis.SELF:
            return _selves({location}, test)
        case Axis.DESCENDANT:
            return _descendants(location, test)
        case Axis.DESCENDANT_OR_SELF:
            return [*_selves({location}, test), *_descendants(location, test)]
        case Axis.PARENT:
            return _selves(_parents(location) - {ROOT}, test)
        case Axis.ANCESTOR:
            return _selves(_ancestors(location), test)
        case Axis.ANCESTOR_OR_SELF:
            return _selves(_ancestors(location) | {location}, test)
        case Axis.FOLLOWING_SIBLING | Axis.PRECEDING_SIBLING:
            return [sibling for parent in _parents(location) for sibling in _children(parent, test)]
    return _descendants(ROOT, test)


def _can_have_children(location: Location) -> bool:
    return not location or location[-1].kind is Kind.ELEMENT


def _children(location: Location, test: Test) -> list[Location]:
    if not _can_have_children(location):
        return []
    items = [item.and_test(test) for item in (ELEMENT, TEXT)]
    # The root node has no text.
    return [(*location, item) for item in items if item and (location or item.kind is Kind.ELEMENT)]


def _descendants(location: Location, test: Test) -> list[Location]:
    if not _can_have_children(location):
        return []
    return [(*location, GAP, item) for item in (ELEMENT.and_test(test), TEXT.and_test(test)) if item]


def _attributes(location: Location, test: Test) -> list[Location]:
    if not location or location[-1].kind is not Kind.ELEMENT or test is NodeTest.TEXT:
        return []
    named = isinstance(test, NameTest)
    return [(*location, Item(Kind.ATTRIBUTE, test.uri, test.local) if named else ATTRIBUTE)]  # type: ignore[union-attr]


def _selves(locations: Iterable[Location], test: Test) -> list[Location]:
    found = []
    for location in locations:
        if not location:
            found += [location] if test is NodeTest.NODE else []
            continue
        item = location[-1].and_test(test)
        found += [(*location[:-1], item)] if item else []
    return found


def _parents(location: Location) -> set[Location]:
    if not location:
        return set()
    above = location[:-1]
    if above and above[-1] is GAP:
        return {(*above, ELEMENT), above[:-1]}
    return {above}


def _ancestors(location: Location) -> set[Location]:
    """The elements above; the root node does not count as one."""
    found: set[Location] = set()
    pending = _parents(location)
    while pending:
        one = pending.pop()
        if one not in found:
            found.add(one)
            pending |= _parents(one)
    return found - {ROOT}


def matched(location: Location, steps: Sequence[Step | None]) -> tuple[bool, int]:
    """Whether a node with these steps from the root can be there; and how many tests of the location the steps can
    have passed at most, -1 if no node below can be there either."""
    alive = _behind_gaps(location, {0})
    for step in steps:
        moved = set()
        for at in alive:
            if at == len(location):
                continue
            if location[at] is GAP:
                if step is None or step.is_element:
                    moved.add(at)
            elif location[at].accepts(step):
                moved.add(at + 1)
        alive = _behind_gaps(location, moved)
    passed = max((least_depth(location[:at]) for at in alive), default=-1)
    return len(location) in alive, passed


def _behind_gaps(location: Location, alive: set[int]) -> set[int]:
    return alive | {at + 1 for at in alive if at < len(location) and location[at] is GAP}


def overlap(a: Location, b: Location) -> bool:
    """Whether a node can be at both."""
    pending, seen = [(0, 0)], set()
    while pending:
        at = pending.pop()
        if at in seen:
            continue
        seen.add(at)
        i, j = at
        if i == len(a) and j == len(b):
            return True
        gap_a, gap_b = i < len(a) and a[i] is GAP, j < len(b) and b[j] is GAP
        if gap_a:  # it ends, or takes the next element of the other
            pending.append((i + 1, j))
            if j < len(b) and b[j].kind in (Kind.ELEMENT, Kind.GAP):
                pending.append((i, j + 1))
        if gap_b:
            pending.append((i, j + 1))
            if i < len(a) and a[i].kind in (Kind.ELEMENT, Kind.GAP):
                pending.append((i + 1, j))
        if not (gap_a or gap_b) and i < len(a) and j < len(b) and agree(a[i], b[j]):
            pending.append((i + 1, j + 1))
    return False


def agree(a: Item, b: Item) -> bool:
    """Whether a node can be both; gaps are no nodes."""
    if a.kind is not b.kind:
        return False
    same_uri = a.uri is None or b.uri is None or a.uri == b.uri
    return same_uri and (a.local is None or b.local is None or a.local == b.local)


T = TypeVar("T")


class LocationIndex(Generic[T]):
    """Values at locations, by the name of the element that a node there is, or is in.

    >>> order, price = Item(Kind.ELEMENT, "", "order"), Item(Kind.ELEMENT, "", "price")
    >>> index = LocationIndex([((GAP, price), 1), ((order, price), 2), ((GAP, order), 3), ((GAP, ELEMENT), 4)])
    >>> sorted(index.near([(order, price)]))
    [1, 2, 4]
    """

    def __init__(self, entries: Iterable[tuple[Location, T]]) -> None:
        self._all = list(entries)
        self._named: dict[Item | None, set[T]] = {}  # None: of any name
        for location, value in self._all:
            self._named.setdefault(_last_name(location), set()).add(value)

    def near(self, locations: Iterable[Location]) -> set[T]:
        """The values at all locations that overlap one of these; perhaps at some that do not."""
        found: set[T] = set()
        for name in set(map(_last_name, locations)):
            if name is None:
                return {value for _, value in self._all}
            found |= self._named.get(name, set()) | self._named.get(None, set())
        return found


def _last_name(location: Location) -> Item | None:
    """The last element of a location, which every node there is or is directly in; None if it can have any name."""
    last = location[-2 if location[-1].kind in (Kind.TEXT, Kind.ATTRIBUTE) else -1] if location[1:] else GAP
    return None if last is GAP or last.uri is None or last.local is None else last
