"""Path types of operators (T2, F5, W7), nodes of groups (P10, H1) and path instances of composites (T4)."""

from __future__ import annotations

from collections.abc import Sequence

from path_types import PathInstance, PathType
from xmlcep.algebra import Becomes, Expression, Leaf, Multiplicity, Plus
from xmlcep.events import Scope

from .relations import align, equals_or_ends, left_bound_intersection


def path_of(expression: Expression) -> PathType | None:
    """The path type of a leaf or operator: as given, else derived bottom-up (T2); None if there is none."""
    if isinstance(expression, Leaf):
        return expression.type.path
    if expression.options.path is not None:
        return expression.options.path
    if isinstance(expression, Becomes):
        return expression.subject.type.path
    if isinstance(expression, Plus):  # W7
        return path_of(expression.operands[0])
    if isinstance(expression, Multiplicity):
        inner = path_of(expression.operand)
        if isinstance(expression.operand, Leaf) and expression.operand.type.scope is not Scope.NODE:
            return inner  # F5
        return (
            None if inner is None or len(inner.steps) == 1 else PathType.of(inner.absolute, inner.steps[:-1])
        )
    paths = [path_of(operand) for operand in expression.operands]
    common = paths[0]
    for path in paths[1:]:
        common = left_bound_intersection(common, path)
    return common


def node_of(path: PathType, operand: Leaf | PathType, instance: PathInstance | None) -> int | None:
    """The node of the group to which an operator with this path type takes an event of an operand, a leaf or an
    operator with a path type (P10, H1); None: to no group (H1)."""
    if instance is None:
        return None
    if isinstance(operand, Leaf):
        part = align(path, operand.type.path, instance, operand.type.scope)
    else:
        part = align(path, operand, instance)
    return None if part is None else part.ids[-1]


def composite_instance(node: int | None, members: Sequence[PathInstance | None]) -> PathInstance | None:
    """The path instance of a composite of these members in the group of a node, which is at or above all of them (T4);
    without a node, flat: T4."""
    if node is None:
        return nearest_common_ancestor(members)
    places = [_prefix(e, e.ids.index(node) + 1) for e in members if e is not None]
    assert all(place == places[0] for place in places), "the members agree (T4)"
    return places[0]


def nearest_common_ancestor(members: Sequence[PathInstance | None]) -> PathInstance | None:
    """The longest path instance that all members begin with; None if there is none (T4)."""
    common = members[0]
    for member in members:
        if common is None or member is None:
            return None
        pairs = zip(common.ids, member.ids, strict=False)
        length = 0
        for a, b in pairs:
            if a != b:
                break
            length += 1
        common = _prefix(common, length) if length else None
    return common


def creates_node_of(path: PathType, created: PathType) -> bool:
    """Whether creating a node of path type ``created`` creates a node of the operator's path type (M4)."""
    return equals_or_ends(path, created)


def _prefix(instance: PathInstance, length: int) -> PathInstance:
    return PathInstance(PathType.of(True, instance.path.steps[:length]), instance.ids[:length])
