"""What leaves leave out because names stand inside themselves: no group is clearly meant there (P3, H1)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from path_types import PathType, offset

from ..events import PrimitiveType
from ..language import print_expression, print_path
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
        shown = ", ".join(self.places[:_MOST_PLACES])
        left = len(self.places) - _MOST_PLACES
        more = f" and {left:,} more" if left > 0 else ""
        return f"{self.event}: {self.leaf} leaves out {shown}{more}: names stand inside themselves there (P3)"


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
    left_out: dict[tuple[str, str], dict[PathType, None]] = {}
    for type_ in repeating:
        taken = [_takes(tree, node, leaf, type_) for tree, node, leaf in _leaves(rules)]
        if True in taken:
            continue
        for (tree, _, leaf), takes in zip(_leaves(rules), taken, strict=True):
            if takes is False:
                shown = print_expression(leaf.leaf, rules.namespaces)
                left_out.setdefault((tree.name, shown), {})[type_[1]] = None
    for (event, shown), places in left_out.items():
        yield Nested(event, shown, tuple(print_path(path, rules.namespaces) for path in places))


def _leaves(rules: Rules) -> Iterator[tuple[EventTree, OperatorNode, LeafNode]]:
    for tree in rules.graph.trees:
        for node in tree.operators:
            for leaf in node.leaves():
                yield tree, node, leaf


def _takes(tree: EventTree, node: OperatorNode, leaf: LeafNode, change: ChangeType) -> bool | None:
    """Whether the operator takes such a change, which is one of the leaf's type; None if it is not."""
    if not isinstance(leaf.type, PrimitiveType) or not leaf.type.accepts(*change):
        return None
    return tree.flat or offset(node.path, change[1]) is not None  # H2, H1
