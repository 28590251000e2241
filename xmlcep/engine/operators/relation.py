"""Interval relations at run time: both have occurred, and their intervals lie so (R1)."""

from __future__ import annotations

from contexts import Entry
from contexts.constraints import Difference, IntervalRelation
from contexts.search import Constrained

from ...algebra import Order, Relation
from ..composer import event_of, interval
from .combining import CombiningState, window_constraints
from .state import Blueprint


class RelationState(CombiningState):
    """A conjunction of two, whose combinations stand in the relation."""

    def __init__(self, of: Blueprint) -> None:
        super().__init__(of)
        definition = of.node.definition
        assert isinstance(definition, Relation)
        # Intervals they are in detection order, too, which is about sequences (H2).
        by_detection = of.tree.order is Order.DETECTION
        relation = (
            IntervalRelation(definition.word, _interval_of)
            if by_detection
            else IntervalRelation(definition.word)
        )
        constraints = [relation, *window_constraints(of.node), *([Difference()] if self.shared else [])]
        self.exists = Constrained(
            constraints, ordered=False, admit=self.values.admitter(), tries=self.setting.tries,
            binders=self.binders(),
        )  # fmt: skip


def _interval_of(entry: Entry) -> tuple[float, float]:
    """The interval of an entry's event."""
    return interval((event_of(entry),))


new_state = RelationState
