"""Which grouping an operator has: by place, by place and values, or none (rules P10, H1, H2, V2, V3)."""

from __future__ import annotations

from functools import partial

from contexts import Flat, Grouping, Hierarchical
from contexts.grouping import ByValue

from ..rules.alignment import length_to_group
from ..rules.programs import OperatorProgram
from ..rules.trees import OperatorNode
from ..xpath.values import text_of


def grouping_of(
    node: OperatorNode, program: OperatorProgram, operand: int | None = None, *, flat: bool
) -> Grouping:
    """How the operator divides the events of an operand into groups (None: its own composites). An operand may bind
    fewer variables than it groups by (V4)."""
    names = program.grouping.names
    if names and operand is not None:
        names = program.grouping.bound[operand]
    place = Flat() if flat else Hierarchical(partial(length_to_group, node, operand))
    return ByValue(place, names, _text) if names else place


def _text(value: object) -> str:
    """A value as it joins (V2)."""
    assert value is None or isinstance(value, (str, float, bool, int))
    return text_of(value)
