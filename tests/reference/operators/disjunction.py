"""Disjunction ``a | b | …`` (H6)."""

from __future__ import annotations

from xmlcep.algebra import ContextName

from ..events import Entry, Group
from .operator import OperatorState


class DisjunctionState(OperatorState):
    """Raises one composite per arrival; deferred, it keeps them until then."""

    raises_at_once = False
    joins = False

    def hands_on(self, binding: list[bool]) -> bool:
        return all(binding)

    def one_by_one(self) -> bool:
        return False

    def evaluate_arrivals(self, group: Group, child: int, arrivals: list[Entry]) -> None:
        for arrival in arrivals:
            self.raise_and_consume(group, [arrival], [arrival])

    def release(self, group: Group) -> None:
        """D5: cumulative, one composite of all pending (in order of operand); else one per arrival."""
        pending = list(group.stored)
        if self.context is ContextName.CUMULATIVE:
            pending.sort(key=lambda entry: (entry.child, entry.number))
            self.raise_and_consume(group, pending, pending)
        else:
            for entry in pending:
                self.raise_and_consume(group, [entry], [entry])

    def potential(self, group: Group) -> bool:
        return bool(group.stored)


STATE = DisjunctionState
