"""What can be said beforehand about the composites a tree's nodes raise, so that less has to be kept (G4).

*Solid*: never empty (E5). *Prompt*: solid, and its interval ends at the time point at which it is raised. A
sequence knows that nothing prompt can come any more before an event that has arrived.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..definitions import Conjunction, Multiplicity, Sequence
from ..events import CompositeType
from ..rules.trees import LeafNode, OperatorNode


@dataclass(frozen=True, slots=True)
class Promise:
    """What is promised of what a node or a tree raises."""

    solid: bool
    prompt: bool

    def __and__(self, other: Promise) -> Promise:
        return Promise(self.solid and other.solid, self.prompt and other.prompt)


ALL = Promise(solid=True, prompt=True)


def promise(node: OperatorNode | LeafNode, reused: Promise) -> Promise:
    """What is promised of ``node``; ``reused`` is what is promised of the trees that this tree reuses."""
    if isinstance(node, LeafNode):
        return reused if isinstance(node.type, CompositeType) else ALL
    operands = [promise(child, reused) for child in node.children]
    definition = node.definition
    if isinstance(definition, Multiplicity) and definition.lower == 0:
        solid = False
    elif isinstance(definition, (Conjunction, Sequence)):
        solid = any(operand.solid for operand in operands)
    else:
        solid = all(operand.solid for operand in operands)
    return Promise(solid, solid and not node.deferred and all(operand.prompt for operand in operands))
