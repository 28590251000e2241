"""Sequence at run time: which of its states fits (Q1, A1 to A4)."""

from __future__ import annotations

from collections.abc import Sequence

from ...algebra import Promise
from ...algebra import Sequence as SequenceDefinition
from ...events import CompositeEvent
from ...rules.trees import EventTree, OperatorNode
from ..setting import Setting
from .chain import SequenceState
from .pair_states import pair_state
from .state import OperatorState
from .trailing import TrailingSequenceState


def new_state(
    node: OperatorNode, tree: EventTree, report: list[CompositeEvent] | None, setting: Setting,
    operands: Sequence[Promise],
) -> OperatorState:  # fmt: skip
    """The running state of a sequence; ``operands`` is what its operands promise."""
    definition = node.definition
    assert isinstance(definition, SequenceDefinition)
    if definition.trailing:
        return TrailingSequenceState(node, tree, report, setting, operands)
    pair = pair_state(node, tree, report, setting, operands, ordered=True)
    return pair or SequenceState(node, tree, report, setting, operands)
