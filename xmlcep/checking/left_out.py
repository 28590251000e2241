"""What rules leave out because names are repeated on a path: no group is clearly meant there (P3, H1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from path_types import PathType, Step, offset

from ..events import ANY, PrimitiveType, Scope
from ..language import print_expression, print_path
from ..rules.ruleset import Rules
from ..rules.trees import EventTree, LeafNode, OperatorNode
from ..suggestions import listed
from .occurred import ChangeType

_MOST_SHOWN = 2  # leaves or places that a message names
_MOST_TYPES = 10_000  # of which the answer is kept: documents may have names without end


class Nested(NamedTuple):
    """How many ``changes`` an event leaves out, for which of its leaves, and at which places."""

    event: str
    changes: int
    leaves: tuple[str, ...]
    places: tuple[str, ...]

    def __str__(self) -> str:
        changes = "1 change" if self.changes == 1 else f"{self.changes:,} changes"
        leaves, places = listed(self.leaves, _MOST_SHOWN), listed(self.places, _MOST_SHOWN)
        return f"{self.event} leaves out {changes} of {leaves}: a name is repeated on the path {places} (P3)"


def repeats(path: PathType) -> bool:
    """Whether a name is repeated on a path.

    >>> repeats(PathType.parse("/list/item/list")), repeats(PathType.parse("/list/item"))
    (True, False)
    """
    return len(set(path.steps)) < len(path.steps)


class LeftOut:
    """Which changes the events of some rules leave out: a leaf means them, and no leaf of the same event takes them.

    Each event is looked at alone: that another one takes a change says nothing about what this one lost.
    """

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._leaves: _Leaves | None = None
        self.has = lru_cache(_MOST_TYPES)(self._has)
        """Whether any event leaves out changes of an operation at an absolute path type."""

    def by_event(self, happened: Mapping[ChangeType, int]) -> Iterator[Nested]:
        """What each event has left out of changes that happened so often, in order of the rules."""
        found: dict[int, tuple[set[int], dict[PathType, int]]] = {}
        for change in sorted((each for each in happened if repeats(each[1])), key=str):
            for tree, leaves in self._of(change).items():
                numbers, places = found.setdefault(tree, (set(), {}))
                numbers.update(leaf.number for leaf in leaves)
                places[change[1]] = places.get(change[1], 0) + happened[change]
        for tree, (numbers, places) in sorted(found.items()):
            yield self._said(tree, sorted(numbers), places)

    def _said(self, tree: int, leaves: list[int], places: Mapping[PathType, int]) -> Nested:
        assert self._leaves is not None
        namespaces = self._rules.namespaces
        shown = dict.fromkeys(print_expression(self._leaves.all[n].node.leaf, namespaces) for n in leaves)
        return Nested(
            self._rules.graph.trees[tree].name,
            sum(places.values()),
            tuple(shown),
            tuple(print_path(path, namespaces) for path in places),
        )

    def _has(self, operation: str, path: PathType) -> bool:
        return bool(self._of((operation, path))) and repeats(path)

    def _of(self, change: ChangeType) -> dict[int, list[_Leaf]]:
        """The leaves that mean a change, of each tree of which none takes it, by the index of the tree."""
        if self._leaves is None:
            self._leaves = _Leaves(self._rules)
        by_tree: dict[int, list[_Leaf]] = {}
        for leaf in self._leaves.meaning(change):
            by_tree.setdefault(leaf.tree.index, []).append(leaf)
        return {
            tree: leaves for tree, leaves in by_tree.items() if not any(leaf.takes(change) for leaf in leaves)
        }


class _Leaf(NamedTuple):
    """A leaf of primitive events, with its operator and tree; ``number`` says where it stands in the rules."""

    number: int
    tree: EventTree
    operator: OperatorNode
    node: LeafNode
    type: PrimitiveType

    def means(self, change: ChangeType) -> bool:
        """Whether a change is of the leaf's type, or would be if no name stood inside itself (E2, F5)."""
        operation, path = change
        if self.type.operation not in (ANY, operation):
            return False
        place = self.type.path
        if self.type.scope is Scope.NODE or place.absolute:
            return self.type.accepts(operation, path)
        length = len(place) + (self.type.scope is Scope.BELOW)
        return any(path.steps[i : i + len(place)] == place.steps for i in range(len(path) - length + 1))

    def takes(self, change: ChangeType) -> bool:
        """Whether the change belongs to a group of the leaf's operator (H1, H2)."""
        return self.type.accepts(*change) and (
            self.tree.flat or offset(self.operator.path, change[1]) is not None
        )


class _Leaves:
    """The leaves of primitive events of rules, ``all`` of them, and those that can mean changes of a name."""

    def __init__(self, rules: Rules) -> None:
        self.all: list[_Leaf] = []
        self._by_last: dict[Step, list[_Leaf]] = {}
        self._anywhere: list[_Leaf] = []
        for tree in rules.graph.trees:
            for operator in tree.operators:
                for node in operator.leaves():
                    if isinstance(node.type, PrimitiveType):
                        self._add(_Leaf(len(self.all), tree, operator, node, node.type))

    def _add(self, leaf: _Leaf) -> None:
        self.all.append(leaf)
        is_of_node = leaf.type.scope is Scope.NODE
        (self._by_last.setdefault(leaf.type.path.last, []) if is_of_node else self._anywhere).append(leaf)

    def meaning(self, change: ChangeType) -> list[_Leaf]:
        """The leaves that mean such a change."""
        of_name = self._by_last.get(change[1].last, ())
        return [leaf for leaf in (*of_name, *self._anywhere) if leaf.means(change)]
