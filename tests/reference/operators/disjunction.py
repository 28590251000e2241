"""Disjunction ``a | b | …`` (H6)."""

from __future__ import annotations

from xmlcep.algebra import ContextName

from ..events import Entry, Event, Group
from ..values import Variables
from .operator import OperatorState


class DisjunctionState(OperatorState):
    """Raises one composite per arrival; deferred, it keeps them until then."""

    raises_at_once = False
    joins = False

    def store(self, event: Event, child: int, group: Group, values: Variables) -> Entry | None:
        """An event that several operands take is that of the first."""
        if any(entry.event is event for entry in group.stored):
            return None
        return super().store(event, child, group, values)

    def evaluate(self, group: Group) -> None:
        """One composite per arrival; in cumulative context one of all that is new, in order of operand (H6)."""
        pending = list(group.stored)
        if self.context is ContextName.CUMULATIVE and pending:
            pending.sort(key=lambda entry: (entry.child, entry.rank))
            self.raise_and_consume(group, pending, pending)
        else:
            for entry in pending:
                self.raise_and_consume(group, [entry], [entry])

    def potential(self, group: Group) -> bool:
        return bool(group.stored)


STATE = DisjunctionState
