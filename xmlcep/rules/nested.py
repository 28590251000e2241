"""What leaves leave out because names stand inside themselves: no group is clearly meant there (P3, H1)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from path_types import PathType, Step, offset

from ..events import ANY, PrimitiveType, Scope
from ..language import print_expression, print_path
from ..suggestions import listed
from .occurred import ChangeType
from .ruleset import Rules
from .trees import EventTree, LeafNode, OperatorNode

_MOST_PLACES = 2  # that a message names
_MOST_TYPES = 1_000  # of changes that are looked at, each with every leaf


class Nested(NamedTuple):
    """A leaf, and ``places`` at which changes of its type belong to no group of its operator."""

    event: str
    leaf: str
    places: tuple[str, ...]

    def __str__(self) -> str:
        shown = listed(self.places, _MOST_PLACES)
        return f"{self.event}: {self.leaf} leaves out {shown}: names stand inside themselves there (P3)"


def repeats(path: PathType) -> bool:
    """Whether a name stands inside itself.

    >>> repeats(PathType.parse("/list/item/list")), repeats(PathType.parse("/list/item"))
    (True, False)
    """
    return len(set(path.steps)) < len(path.steps)


def nested(rules: Rules, happened: Iterable[ChangeType]) -> Iterator[Nested]:
    """The leaves whose type changes have that nothing takes, neither they nor any other leaf; in order of the rules."""
    repeating = sorted({each for each in happened if repeats(each[1])}, key=str)[:_MOST_TYPES]
    if not repeating:
        return
    leaves = _Leaves(rules)
    left_out: dict[int, dict[PathType, None]] = {}
    for change in repeating:
        meant = leaves.meaning(change)
        if not any(leaf.takes(change) for leaf in meant):
            for leaf in meant:
                left_out.setdefault(leaf.number, {})[change[1]] = None
    found: dict[tuple[str, str], dict[PathType, None]] = {}  # a leaf may stand in a tree twice
    for number, places in sorted(left_out.items()):
        leaf = leaves.all[number]
        shown = print_expression(leaf.node.leaf, rules.namespaces)
        found.setdefault((leaf.tree.name, shown), {}).update(places)
    for (event, shown), places in found.items():
        yield Nested(event, shown, tuple(print_path(path, rules.namespaces) for path in places))


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
