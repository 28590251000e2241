"""What an event means to one event tree, decided once per operation and path type.

Which leaves, which group and which other operators an event concerns depends only on the event's type
(T5, H1), so it is answered once per type and kept; at run time an event costs its state updates only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from contexts import FLAT_KEY
from path_types import PathType, equals_or_ends, offset

from ..algebra import Multiplicity
from ..events import CompositeType, PrimitiveType
from ..rules.trees import EventTree, LeafNode, OperatorNode

# Where a leaf's event goes: operator (postorder index), operand, and which of the event's ids is the group
# key (None: flat).
Delivery: TypeAlias = tuple[int, int, int | None]


@dataclass(frozen=True, slots=True)
class Plan:
    """The state updates of one event type in one tree.

    ``deliveries`` in postorder of the operators and order of operands; ``creations`` the multiplicities with
    l = 0 for which the event creates a node (M4); ``rechecks`` for the operators whose condition may have
    changed (D4) which of the ids can be a group's node, both by postorder index; ``visit`` the postorder
    indexes, ascending, of the operators touched and all their ancestors; ``direct`` says that there is
    nothing to do but one delivery.
    """

    deliveries: tuple[Delivery, ...]
    creations: frozenset[int]
    rechecks: dict[int, tuple[int, ...]]
    visit: tuple[int, ...]
    direct: bool


def key_of(index: int | None, ids: tuple[int, ...]) -> int:
    """The group key in the ids of an event, given which of them it is."""
    return FLAT_KEY if index is None else ids[index]


def primitive_plan(tree: EventTree, operation: str, path: PathType) -> Plan | None:
    """The plan for primitive events of this type; None if they change nothing in the tree by themselves."""
    deliveries = tuple(
        delivery
        for node in tree.operators
        for leaf in node.leaves()
        if isinstance(leaf.type, PrimitiveType) and leaf.type.accepts(operation, path)
        for delivery in _delivery(tree, node, leaf, path)
    )
    creations = frozenset(
        node.index
        for node in tree.operators
        if operation == "ins" and isinstance(node.definition, Multiplicity) and node.definition.lower == 0
        if equals_or_ends(node.path, path) and (tree.flat or _index(node, path) is not None)
    )
    rechecks = {
        node.index: nodes
        for node in tree.operators
        if node.condition is not None and (nodes := _at_or_above(node, path))
    }
    if not (deliveries or creations or rechecks):
        return None
    touched = {operator for operator, _, _ in deliveries} | creations | rechecks.keys()
    direct = len(deliveries) == 1 and not creations and not rechecks
    visit = tuple(sorted(with_ancestors(touched, tree.operators)))
    return Plan(deliveries, creations, rechecks, visit, direct)


def composite_plan(tree: EventTree, name: str, path: PathType) -> tuple[Delivery, ...]:
    """Where a tree stores the composites of this name and absolute path type (T5)."""
    return tuple(
        delivery
        for node in tree.operators
        for leaf in node.leaves()
        if isinstance(leaf.type, CompositeType) and leaf.type.accepts(name, path)
        for delivery in _delivery(tree, node, leaf, path)
    )


def with_ancestors(indexes: set[int], operators: Sequence[OperatorNode]) -> frozenset[int]:
    """These operators and all above them, to which what they raise goes."""
    found: set[int] = set()
    for index in indexes:
        current: int | None = index
        while current is not None and current not in found:
            found.add(current)
            current = operators[current].parent
    return frozenset(found)


def _delivery(tree: EventTree, node: OperatorNode, leaf: LeafNode, path: PathType) -> list[Delivery]:
    index = None if tree.flat else _index(node, path)
    return [] if index is None and not tree.flat else [(node.index, leaf.child_index, index)]


def _at_or_above(node: OperatorNode, path: PathType) -> tuple[int, ...]:
    """Which of the ids of such an event can be nodes of the operator's groups (D4: at or below the node)."""
    above = [PathType.of(True, path.steps[: length + 1]) for length in range(len(path))]
    return tuple(index for index, place in enumerate(above) if _index(node, place) == index)


def _index(node: OperatorNode, path: PathType) -> int | None:
    """Which of the ids of such an event is the group key in hierarchical context (K1), if it projects."""
    start = offset(node.path, path)
    return None if start is None else start + len(node.path) - 1
