"""To which nodes the operators of a tree align what they take, known from path types alone (rules P10, H1)."""

from __future__ import annotations

from path_types import PathType
from path_types.relations import aligned, leading

from ..events import Scope
from .trees import EventTree, LeafNode, OperatorNode


def length_to_group(node: OperatorNode, operand: int | None, path: PathType) -> int | None:
    """How many leading steps of the absolute path type of an operand's event (None: of a composite of the operator's
    own) lead to the node of its group; None if it is of none."""
    if operand is None:
        return aligned(node.path, node.path, path)
    child = node.children[operand]
    if isinstance(child, LeafNode):
        return aligned(node.path, child.path, path, below=child.type.scope is Scope.BELOW)
    if child.counts:  # what it counts is handed up as it is, to where its composite would be (A1)
        length = length_to_group(child, 0, path)
        return None if length is None else aligned(node.path, child.path, leading(path, length))
    return aligned(node.path, child.path, path)


def path_above(
    tree: EventTree, node: OperatorNode, path: PathType, above: OperatorNode | None = None
) -> PathType | None:
    """Given the absolute path type of the node of an operator's group, that of the group of an operator above it (by
    default the root) to which its composites go; None: to none."""
    while node.parent is not None and node is not above:
        parent = tree.operators[node.parent]
        length = aligned(parent.path, node.path, path)
        if length is None:
            return None
        node, path = parent, leading(path, length)
    return path
