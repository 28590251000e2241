"""Which grouping an operator has: by place, by place and values, or none (rules H1, H2, V2, V3)."""

from __future__ import annotations

from contexts import Flat, Grouping, Hierarchical

from ..rules.trees import OperatorNode


def grouping_of(node: OperatorNode, *, flat: bool) -> Grouping:
    """How the operator divides events into groups."""
    return Flat() if flat else Hierarchical(node.path)
