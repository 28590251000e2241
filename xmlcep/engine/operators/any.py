"""Any m of n operands at run time (S1)."""

from __future__ import annotations

from collections.abc import Sequence

from contexts.choice import Choice

from ...algebra import AnyOf, Promise
from ...events import CompositeEvent
from ...rules.trees import EventTree, OperatorNode
from ..setting import Setting
from .combining import CombiningState, window_constraints


class AnyState(CombiningState):
    """Different events of so many operands have occurred, in any order."""

    def __init__(
        self, node: OperatorNode, tree: EventTree, report: list[CompositeEvent] | None, setting: Setting,
        operands: Sequence[Promise],
    ) -> None:  # fmt: skip
        super().__init__(node, tree, report, setting, operands)
        definition = node.definition
        assert isinstance(definition, AnyOf)
        self.exists = Choice(
            definition.count, window_constraints(node), admit=self.values.admitter(), tries=setting.tries,
            binders=self.binders(),
        )  # fmt: skip


def new_state(
    node: OperatorNode, tree: EventTree, report: list[CompositeEvent] | None, setting: Setting,
    operands: Sequence[Promise],
) -> AnyState:  # fmt: skip
    """The running state of ``any[m]``."""
    return AnyState(node, tree, report, setting, operands)
