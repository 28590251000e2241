"""What events of one type mean to one event tree: the state updates of its operators, known from the rules alone."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from path_types import PathType, equals_or_ends
from path_types.relations import leading, offsets

from ..events import CompositeType, PrimitiveType
from ..rules.alignment import length_to_group, path_above
from ..rules.trees import EventTree, LeafNode, OperatorNode

# Where a leaf's event goes: operator (postorder index), operand, and which of the event's ids is the group
# key (None: flat).
Delivery: TypeAlias = tuple[int, int, int | None]
# The same of what can be dealt with by itself: operator, operand (None: a creation of its node, M4), index of its key.
Part: TypeAlias = tuple[int, int | None, int]


@dataclass(frozen=True, slots=True)
class TreeDispatch:
    """The state updates of one event type in one tree.

    ``deliveries`` in postorder of the operators and order of operands; ``creations`` the multiplicities with l = 0 for
    which the event creates a node (M4); ``operators`` all of these, by postorder index; ``presences`` the operators
    that look at whatever happens in their groups (S3, W10), with the index of the group's node. ``alone`` is
    all that there is to do, if that is one thing, which can go straight up the tree.

    Of operators with a condition, by postorder index: ``rechecks`` says which of the ids can be the node of a group
    that the event is at or below, so that a condition that waits is asked again (D4), ``touches`` for which of these
    the event can change what the condition reads (U2).
    """

    deliveries: tuple[Delivery, ...]
    creations: frozenset[int]
    rechecks: Mapping[int, tuple[int, ...]]
    touches: Mapping[int, tuple[int, ...]]
    operators: tuple[int, ...]
    presences: tuple[tuple[int, int | None], ...]
    alone: Part | None


def primitive_dispatch(tree: EventTree, operation: str, path: PathType) -> TreeDispatch | None:
    """What primitive events of this type mean to a tree; None if they change nothing in it by themselves."""
    deliveries: list[Delivery] = []
    creations: set[int] = set()
    rechecks: dict[int, tuple[int, ...]] = {}
    touches: dict[int, tuple[int, ...]] = {}
    presences: list[tuple[int, int | None]] = []
    for node in tree.operators:
        for leaf in node.leaves():
            if isinstance(leaf.type, PrimitiveType) and leaf.type.accepts(operation, path):
                deliveries += _delivery(tree, node, leaf, path)
        creates = operation == "ins" and node.definition.creates_empty and not tree.flat
        if creates and equals_or_ends(node.path, path):
            creations.add(node.index)
        if node.condition is not None and (nodes := _at_or_above(node, path)):
            rechecks[node.index] = nodes
            reads = node.condition.truth_reads
            touches[node.index] = tuple(
                [index for index in nodes if reads.touched_by(path.steps[index + 1 :])]
            )
        if node.watches_group:
            groups = (None,) if tree.flat else _at_or_above(node, path)
            presences += [(node.index, index) for index in groups]
    if not (deliveries or creations or rechecks or presences):
        return None
    touched = {operator for operator, _, _ in deliveries} | creations
    alone = None if presences else _alone(tree, deliveries, creations, path)
    return TreeDispatch(
        tuple(deliveries),
        frozenset(creations),
        rechecks,
        touches,
        tuple(sorted(touched)),
        tuple(presences),
        alone,
    )


def _alone(
    tree: EventTree, deliveries: Sequence[Delivery], creations: Collection[int], path: PathType
) -> Part | None:
    """See `TreeDispatch`. What is created below the root goes nowhere (M5): it is only to be reported."""
    root = tree.root
    if root.index not in creations:
        operator, operand, index = deliveries[0] if len(deliveries) == 1 else (0, None, None)
        return None if index is None else (operator, operand, index)
    if deliveries or tree.extended or any(node.deferred for node in tree.operators):
        return None
    return root.index, None, len(path) - 1


def composite_deliveries(tree: EventTree, name: str, path: PathType) -> tuple[Delivery, ...]:
    """Where a tree stores the composites of this name and absolute path type (T5)."""
    return tuple(
        delivery
        for node in tree.operators
        for leaf in node.leaves()
        if isinstance(leaf.type, CompositeType) and leaf.type.accepts(name, path)
        for delivery in _delivery(tree, node, leaf, path)
    )


def _delivery(tree: EventTree, node: OperatorNode, leaf: LeafNode, path: PathType) -> list[Delivery]:
    if tree.flat:
        return [(node.index, leaf.child_index, None)]
    length = length_to_group(node, leaf.child_index, path)
    return [] if length is None else [(node.index, leaf.child_index, length - 1)]


def _at_or_above(node: OperatorNode, path: PathType) -> tuple[int, ...]:
    """Which of the ids of such an event can be nodes of the operator's groups (D4: at or below the node)."""
    return tuple([start + len(node.path) - 1 for start in offsets(node.path, path)])


def raised_at(tree: EventTree, dispatch: TreeDispatch, path: PathType) -> set[PathType]:
    """The path types of all that the root of a tree may raise at once at such an event (T4)."""
    groups = [
        (operator, leading(path, index + 1))
        for operator, _, index in dispatch.deliveries
        if index is not None
    ]
    groups += [(operator, path) for operator in dispatch.creations]
    found = (path_above(tree, tree.operators[operator], place) for operator, place in groups)
    return {place for place in found if place is not None}
