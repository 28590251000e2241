"""Conjunction at run time: all operands have occurred (Q1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from contexts import CONTEXTS, AnyOrder
from contexts.constraints import Difference
from contexts.grouping import Key
from contexts.search import Constrained

from ...algebra import Promise
from ...events import CompositeEvent
from ...rules.trees import EventTree, OperatorNode
from ..setting import Setting
from .around import AroundState
from .chronicle_pairs import ChroniclePairConjunction
from .combining import CombiningState, window_constraints
from .pairs import PairConjunction, is_plain_pair
from .state import OperatorState
from .waiting_pairs import WaitingPairConjunction
from .windowed_pairs import WindowedPairConjunction, is_windowed_pair


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
    pairing = CONTEXTS[node.context.value].pairing
    is_plain = is_plain_pair(node, tree, setting) and all(operand.prompt for operand in operands)
    if is_plain and pairing is not None and (pairing.waits or not node.deferred):
        if node.deferred:
            return WaitingPairConjunction(node, tree, report, setting)
        chronicle = CONTEXTS[node.context.value].takes_oldest
        return (ChroniclePairConjunction if chronicle else PairConjunction)(node, tree, report, setting)
    if is_windowed_pair(node, tree, setting):
        return WindowedPairConjunction(node, tree, report, setting)
    return ConjunctionState(node, tree, report, setting, operands)
