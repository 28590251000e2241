"""Interval relations at run time: both have occurred, and their intervals lie so (R1)."""

from __future__ import annotations

from collections.abc import Sequence

from contexts import Entry
from contexts.constraints import Difference, IntervalRelation
from contexts.search import Constrained

from ...algebra import Order, Promise, Relation
from ...events import CompositeEvent
from ...rules.trees import EventTree, OperatorNode
from ..composer import event_of, interval
from ..setting import Setting
from .combining import CombiningState, window_constraints


class RelationState(CombiningState):
    """A conjunction of two, whose combinations stand in the relation."""

    def __init__(
        self, node: OperatorNode, tree: EventTree, report: list[CompositeEvent] | None, setting: Setting,
        operands: Sequence[Promise],
    ) -> None:  # fmt: skip
        super().__init__(node, tree, report, setting, operands)
        definition = node.definition
        assert isinstance(definition, Relation)
        # Intervals they are in detection order, too, which is about sequences (H2).
        by_detection = tree.order is Order.DETECTION
        relation = (
            IntervalRelation(definition.word, _interval_of)
            if by_detection
            else IntervalRelation(definition.word)
        )
        constraints = [relation, *window_constraints(node), *([Difference()] if self.shared else [])]
        self.exists = Constrained(
            constraints, ordered=False, admit=self.values.admitter(), tries=setting.tries,
            binders=self.binders(),
        )  # fmt: skip


def _interval_of(entry: Entry) -> tuple[float, float]:
    """The interval of an entry's event."""
    return interval((event_of(entry),))


def new_state(
    node: OperatorNode, tree: EventTree, report: list[CompositeEvent] | None, setting: Setting,
    operands: Sequence[Promise],
) -> RelationState:  # fmt: skip
    """The running state of an interval relation."""
    return RelationState(node, tree, report, setting, operands)
