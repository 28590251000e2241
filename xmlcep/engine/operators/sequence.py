"""Sequence at run time: which of its states fits (Q1, A1 to A4)."""

from __future__ import annotations

from ...algebra import Sequence as SequenceDefinition
from .chain import SequenceState
from .pair_states import pair_state
from .state import Blueprint, OperatorState
from .trailing import TrailingSequenceState


def new_state(of: Blueprint) -> OperatorState:
    """The running state of a sequence."""
    definition = of.node.definition
    assert isinstance(definition, SequenceDefinition)
    if definition.trailing:
        return TrailingSequenceState(of)
    pair = pair_state(of, ordered=True)
    return pair or SequenceState(of)
