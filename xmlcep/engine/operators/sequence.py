"""Sequence at run time: which of its states fits (Q1, A1 to A4)."""

from __future__ import annotations

from collections.abc import Sequence

from contexts import CONTEXTS

from ...algebra import Promise
from ...algebra import Sequence as SequenceDefinition
from ...events import CompositeEvent
from ...rules.trees import EventTree, OperatorNode
from ..setting import Setting
from .chain import SequenceState
from .chronicle_pairs import ChroniclePairSequence
from .pairs import PairSequence, is_plain_pair
from .state import OperatorState
from .trailing import TrailingSequenceState
from .waiting_pairs import WaitingPairSequence
from .windowed_pairs import WindowedPairSequence, is_windowed_pair


def new_state(
    node: OperatorNode, tree: EventTree, report: list[CompositeEvent] | None, setting: Setting,
    operands: Sequence[Promise],
) -> OperatorState:  # fmt: skip
    """The running state of a sequence; ``operands`` is what its operands promise."""
    definition = node.definition
    assert isinstance(definition, SequenceDefinition)
    if definition.trailing:
        return TrailingSequenceState(node, tree, report, setting, operands)
    is_plain = is_plain_pair(node, tree, setting) and all(operand.prompt for operand in operands)
    if is_plain and not definition.aside:
        if node.deferred:
            return WaitingPairSequence(node, tree, report, setting)
        chronicle = CONTEXTS[node.context.value].takes_oldest
        return (ChroniclePairSequence if chronicle else PairSequence)(node, tree, report, setting)
    if not definition.aside and is_windowed_pair(node, tree, setting):
        return WindowedPairSequence(node, tree, report, setting)
    return SequenceState(node, tree, report, setting, operands)
