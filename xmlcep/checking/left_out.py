"""What rules leave out: changes that their leaves take and that belong to no group, as they happened elsewhere (H1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from path_types import PathType, Step

from ..events import PrimitiveType, Scope
from ..language import print_expression, print_path
from ..rules.alignment import length_to_group
from ..rules.ruleset import Rules
from ..rules.trees import EventTree, LeafNode, OperatorNode
from ..suggestions import listed
from .occurred import ChangeType

_MOST_SHOWN = 2  # leaves or places that a message names
_MOST_TYPES = 10_000  # of which the answer is kept: documents may have names without end


class Outside(NamedTuple):
    """How many ``changes`` an event leaves out, for which of its leaves, at which places; ``groups`` are the path types
    of the groups that these leaves' operators have."""

    event: str
    changes: int
    leaves: tuple[str, ...]
    places: tuple[str, ...]
    groups: tuple[str, ...]

    def __str__(self) -> str:
        changes = "1 change" if self.changes == 1 else f"{self.changes:,} changes"
        leaves, places = listed(self.leaves, _MOST_SHOWN), listed(self.places, _MOST_SHOWN)
        groups = " or ".join(self.groups)
        return f"{self.event} leaves out {changes} of {leaves}: no {groups} is at or above {places} (H1)"


class LeftOut:
    """Which changes the events of some rules leave out: a leaf takes them, and no leaf of the event takes them into a
    group.

    Each event is looked at alone: that another one takes a change says nothing about what this one lost.
    """

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._leaves: _Leaves | None = None
        self.has = lru_cache(_MOST_TYPES)(self._has)
        """Whether any event leaves out changes of an operation at an absolute path type."""

    def by_event(self, happened: Mapping[ChangeType, int]) -> Iterator[Outside]:
        """What each event has left out of changes that happened so often, in order of the rules."""
        found: dict[int, tuple[dict[int, _Leaf], dict[PathType, int]]] = {}
        for change in sorted(happened, key=str):
            for tree, leaves in self._of(change).items():
                known, places = found.setdefault(tree, ({}, {}))
                known.update((leaf.number, leaf) for leaf in leaves)
                places[change[1]] = places.get(change[1], 0) + happened[change]
        for _, (known, places) in sorted(found.items()):
            yield self._said([known[number] for number in sorted(known)], places)

    def _said(self, leaves: list[_Leaf], places: Mapping[PathType, int]) -> Outside:
        namespaces = self._rules.namespaces
        return Outside(
            leaves[0].tree.name,
            sum(places.values()),
            tuple(dict.fromkeys(print_expression(leaf.node.leaf, namespaces) for leaf in leaves)),
            tuple(print_path(path, namespaces) for path in places),
            tuple(dict.fromkeys(print_path(leaf.operator.path, namespaces) for leaf in leaves)),
        )

    def _has(self, operation: str, path: PathType) -> bool:
        return bool(self._of((operation, path)))

    def _of(self, change: ChangeType) -> dict[int, list[_Leaf]]:
        """The leaves that take a change, of each tree of which none has a group for it, by the index of the tree."""
        if self._leaves is None:
            self._leaves = _Leaves(self._rules)
        by_tree: dict[int, list[_Leaf]] = {}
        for leaf in self._leaves.taking(change):
            by_tree.setdefault(leaf.tree.index, []).append(leaf)
        return {
            tree: leaves
            for tree, leaves in by_tree.items()
            if not any(leaf.has_group(change[1]) for leaf in leaves)
        }


class _Leaf(NamedTuple):
    """A leaf of primitive events, with its operator and tree; ``number`` says where it is in the rules."""

    number: int
    tree: EventTree
    operator: OperatorNode
    node: LeafNode

    def has_group(self, path: PathType) -> bool:
        """Whether a change that it takes at such a path belongs to a group of its operator (P10, H2)."""
        return self.tree.flat or length_to_group(self.operator, self.node.child_index, path) is not None


class _Leaves:
    """The leaves of primitive events of rules by what they can take."""

    def __init__(self, rules: Rules) -> None:
        self._by_last: dict[Step, list[_Leaf]] = {}
        self._anywhere: list[_Leaf] = []
        number = 0
        for tree in rules.graph.trees:
            for operator in tree.operators:
                for node in operator.leaves():
                    if isinstance(node.type, PrimitiveType):
                        is_of_node = node.type.scope is Scope.NODE
                        known = self._by_last.setdefault(node.path.last, []) if is_of_node else self._anywhere
                        known.append(_Leaf(number, tree, operator, node))
                        number += 1

    def taking(self, change: ChangeType) -> list[_Leaf]:
        """The leaves that take such a change."""
        of_name = self._by_last.get(change[1].last, ())
        return [leaf for leaf in (*of_name, *self._anywhere) if leaf.node.type.accepts(*change)]
