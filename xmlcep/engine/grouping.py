"""Which grouping an operator has: by place, by place and values, or none (rules H1, H2, V2, V3)."""

from __future__ import annotations

from contexts import Flat, Grouping, Hierarchical
from contexts.grouping import ByValue

from ..rules.programs import OperatorProgram
from ..rules.trees import OperatorNode
from ..xpath.values import text_of


def grouping_of(node: OperatorNode, program: OperatorProgram, *, flat: bool) -> Grouping:
    """How the operator divides events into groups."""
    return _grouping(node, program.grouping.names, flat=flat)


def operand_grouping_of(
    node: OperatorNode, program: OperatorProgram, operand: int, *, flat: bool
) -> Grouping:
    """How the operator divides the events of an operand that may bind fewer of the variables it groups by (V4)."""
    return _grouping(node, program.grouping.bound[operand], flat=flat)


def _grouping(node: OperatorNode, names: tuple[str, ...], *, flat: bool) -> Grouping:
    place = Flat() if flat else Hierarchical(node.path)
    return ByValue(place, names, _text) if names else place


def _text(value: object) -> str:
    """A value as it joins (V2)."""
    assert value is None or isinstance(value, (str, float, bool, int))
    return text_of(value)
