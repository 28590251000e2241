"""Any m of n operands at run time (S1)."""

from __future__ import annotations

from contexts.choice import Choice

from ...algebra import AnyOf
from .combining import CombiningState, window_constraints
from .state import Blueprint


class AnyState(CombiningState):
    """Different events of so many operands have occurred, in any order."""

    def __init__(self, of: Blueprint) -> None:
        super().__init__(of)
        definition = of.node.definition
        assert isinstance(definition, AnyOf)
        self.exists = Choice(
            definition.count, window_constraints(of.node), admit=self.values.admitter(), tries=self.setting.tries,
            binders=self.binders(),
        )  # fmt: skip


new_state = AnyState
