"""Values by locations: which of many can be where some nodes are, without asking each of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Generic, TypeVar

from .locations import GAP, Item, Location, agree

T = TypeVar("T")


class LocationIndex(Generic[T]):
    """Values at locations, in a trie that begins with their last items, which say most of where nodes are.

    >>> from .locations import ELEMENT, GAP, Item, Kind
    >>> order, price = Item(Kind.ELEMENT, "", "order"), Item(Kind.ELEMENT, "", "price")
    >>> index = LocationIndex([((GAP, price), 1), ((order, price), 2), ((GAP, order), 3), ((GAP, ELEMENT), 4)])
    >>> sorted(index.near([(order, price)]))
    [1, 2, 4]
    """

    __slots__ = ("_known", "_root")

    def __init__(self, entries: Iterable[tuple[Location, T]]) -> None:
        self._root: _Node[T] = _Node()
        self._known: dict[Location, frozenset[T]] = {}
        for location, value in entries:
            node = self._root
            for item in reversed(location):
                node = node.above.setdefault(item, _Node())
            node.values.add(value)

    def near(self, locations: Iterable[Location]) -> set[T]:
        """The values at all locations that overlap one of these; perhaps at some that do not."""
        found: set[T] = set()
        for location in locations:
            # What stands above a gap makes no difference: it takes whatever the other has there.
            tail = location
            if GAP in location:
                tail = location[len(location) - 1 - location[::-1].index(GAP) :]
            known = self._known.get(tail)
            if known is None:
                known = self._known[tail] = frozenset(self._of(tail))
            found |= known
        return found

    def _of(self, location: Location) -> set[T]:
        found: set[T] = set()
        pending = [(self._root, len(location))]
        while pending:
            node, left = pending.pop()
            if left and location[left - 1] is GAP:
                node.collect(found)
                continue
            if GAP in node.above:
                node.above[GAP].collect(found)
            if left:
                pending += [(above, left - 1) for above in node.agreeing(location[left - 1])]
            else:
                found |= node.values
        return found


class _Node(Generic[T]):
    """Locations that end alike: the values of the one with nothing above that, and the others by what is there."""

    __slots__ = ("above", "values")

    def __init__(self) -> None:
        self.above: dict[Item, _Node[T]] = {}
        self.values: set[T] = set()

    def agreeing(self, item: Item) -> Iterable[_Node[T]]:
        """Those with something above that a node can be which is this item."""
        if item.uri is None or item.local is None:
            return [above for other, above in self.above.items() if agree(item, other)]
        others = (item, item._replace(local=None), item._replace(uri=None), Item(item.kind))
        return [self.above[other] for other in others if other in self.above]

    def collect(self, found: set[T]) -> None:
        """Adds the values of all these locations."""
        pending = [self]
        while pending:
            node = pending.pop()
            found |= node.values
            pending += node.above.values()
