"""What is promised of what the nodes of a tree raise (G4)."""

from __future__ import annotations

from ..algebra import ALL, Promise
from ..events import CompositeType
from ..rules.trees import LeafNode, OperatorNode


def promise(node: OperatorNode | LeafNode, reused: Promise) -> Promise:
    """What is promised of ``node``; ``reused`` is what is promised of the trees that this tree reuses."""
    if isinstance(node, LeafNode):
        return reused if isinstance(node.type, CompositeType) else ALL
    promised = node.definition.promise([promise(child, reused) for child in node.children])
    return Promise(promised.solid, promised.prompt and not node.deferred)
