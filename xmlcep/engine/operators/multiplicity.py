"""Multiplicity x[l,u] (M1 to M6, W3, S4): which running state it has."""

from __future__ import annotations

from collections.abc import Sequence

from ...algebra import Order, Promise
from ...events import CompositeEvent, PrimitiveType
from ...rules.trees import EventTree, LeafNode, OperatorNode
from ..setting import Setting
from .integrating import MultiplicityState
from .negation import NegatedMultiplicityState
from .record_arrivals import RecordState
from .state import OperatorState
from .waiting_multiplicity import WaitingMultiplicityState


def new_state(
    node: OperatorNode, tree: EventTree, report: list[CompositeEvent] | None, setting: Setting,
    operands: Sequence[Promise],
) -> OperatorState:  # fmt: skip
    """The running state of a multiplicity."""
    if node.counts:
        return NegatedMultiplicityState(node, tree, report, setting)
    if takes_records(node, tree, setting):
        return RecordState(node, tree, report, setting, operands[0])
    if node.deferred:
        return WaitingMultiplicityState(node, tree, report, setting, operands[0])
    return MultiplicityState(node, tree, report, setting, operands[0])


def takes_records(node: OperatorNode, tree: EventTree, setting: Setting) -> bool:
    """Whether a multiplicity can be one of these: its arrivals are primitive events with moments or variables that
    follow from them, and it neither waits nor slides beside its window."""
    program, (operand,) = setting.programs[tree.index][node.index], node.children
    (leaf,) = program.leaves
    return (
        tree.extended
        and not setting.general
        and node.outer_window is None
        and not (tree.flat or node.deferred or node.definition.options.slide)
        and tree.order is Order.INTERVAL
        and isinstance(operand, LeafNode)
        and isinstance(operand.type, PrimitiveType)
        and (leaf is None or leaf.is_of_events_alone)
    )
