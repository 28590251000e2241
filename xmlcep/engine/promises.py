"""What is promised of what the nodes of a tree raise (G4)."""

from __future__ import annotations

from ..algebra import ALL, Promise
from ..events import CompositeType
from ..rules.trees import LeafNode, OperatorNode


def promise(node: OperatorNode | LeafNode, reused: Promise) -> Promise:
    """What is promised of ``node``; ``reused`` is what is promised of the trees that this tree reuses."""
    if isinstance(node, LeafNode):
        return reused if isinstance(node.type, CompositeType) else ALL
    if node.parent is None and node.definition.creates_empty:
        return Promise(solid=False, prompt=False)
    given = [promise(child, reused) for child in node.children]
    promised = node.definition.promise(given)
    solid = all(each.solid for each in given) if node.optional else promised.solid
    return Promise(solid, solid and promised.prompt and not node.deferred)
