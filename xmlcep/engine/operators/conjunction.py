"""Conjunction at run time: all operands have occurred (Q1)."""

from __future__ import annotations

from contexts.constraints import Difference
from contexts.search import Constrained

from .around import AroundState
from .combining import CombiningState, window_constraints
from .pair_states import pair_state
from .state import Blueprint, OperatorState


class ConjunctionState(CombiningState):
    """All operands have occurred, in any order."""

    def __init__(self, of: Blueprint) -> None:
        super().__init__(of)
        constraints = window_constraints(of.node)
        if self.shared:
            constraints.append(Difference())
        self.exists = Constrained(
            constraints, ordered=False, admit=self.values.admitter(), tries=self.setting.tries, binders=self.binders(),
            optional=of.node.optional,
        )  # fmt: skip


def new_state(of: Blueprint) -> OperatorState:
    """The running state of a conjunction."""
    if of.node.definition.aside:
        return AroundState(of)
    pair = pair_state(of, ordered=False)
    return pair or ConjunctionState(of)
