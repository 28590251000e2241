"""Multiplicity x[l,u] (M1 to M6, W3, S4): which running state it has."""

from __future__ import annotations

from ...algebra import Order
from ...events import PrimitiveType
from ...rules.trees import LeafNode
from .integrating import MultiplicityState
from .negation import NegatedMultiplicityState
from .record_arrivals import RecordState
from .state import Blueprint, OperatorState
from .waiting_multiplicity import WaitingMultiplicityState


def new_state(of: Blueprint) -> OperatorState:
    """The running state of a multiplicity."""
    if of.node.counts:
        return NegatedMultiplicityState(of)
    if takes_records(of):
        return RecordState(of)
    if of.node.deferred:
        return WaitingMultiplicityState(of)
    return MultiplicityState(of)


def takes_records(of: Blueprint) -> bool:
    """Whether a multiplicity can be one of these: its arrivals are primitive events with moments or variables that
    follow from them, and it neither waits nor slides beside its window."""
    node, tree = of.node, of.tree
    program, (operand,) = of.setting.programs[tree.index][node.index], node.children
    (leaf,) = program.leaves
    return (
        tree.extended
        and not of.setting.general
        and node.outer_window is None
        and not (tree.flat or node.deferred or node.definition.options.slide)
        and tree.order is Order.INTERVAL
        and isinstance(operand, LeafNode)
        and isinstance(operand.type, PrimitiveType)
        and (leaf is None or leaf.is_of_events_alone)
    )
