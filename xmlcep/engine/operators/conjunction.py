"""Conjunction at run time: all operands have occurred (Q1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from contexts import AnyOrder
from contexts.constraints import Difference
from contexts.grouping import Key
from contexts.search import Constrained

from ...algebra import Promise
from ...events import CompositeEvent
from ...rules.trees import EventTree, OperatorNode
from ..setting import Setting
from .around import AroundState
from .combining import CombiningState, window_constraints
from .pair_states import pair_state
from .state import OperatorState


class ConjunctionState(CombiningState):
    """All operands have occurred, in any order."""

    def __init__(
        self, node: OperatorNode, tree: EventTree, report: list[CompositeEvent] | None, setting: Setting,
        operands: Sequence[Promise],
    ) -> None:  # fmt: skip
        super().__init__(node, tree, report, setting, operands)
        constraints = window_constraints(node)
        if self.shared:
            constraints.append(Difference())
        if constraints or self.values.having is not None or setting.general:
            self.exists = Constrained(
                constraints, ordered=False, admit=self.values.admitter(), tries=setting.tries,
                binders=self.binders(), optional=node.optional,
            )  # fmt: skip
        else:
            self.exists = AnyOrder(node.optional)

    def by_group(self) -> tuple[dict[Key, Any], ...] | None:
        return None if self.by_value else (self.groups,)


def new_state(
    node: OperatorNode, tree: EventTree, report: list[CompositeEvent] | None, setting: Setting,
    operands: Sequence[Promise],
) -> OperatorState:  # fmt: skip
    """The running state of a conjunction; ``operands`` is what its operands promise."""
    if node.definition.aside:
        return AroundState(node, tree, report, setting, operands)
    pair = pair_state(node, tree, report, setting, operands, ordered=False)
    return pair or ConjunctionState(node, tree, report, setting, operands)
