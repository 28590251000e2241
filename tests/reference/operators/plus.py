"""Plus ``plus[a, w]``: later (W7, Z17)."""

from __future__ import annotations

from xmlcep.algebra import ContextName, Plus, Unit

from ..clock import Due
from ..events import Entry, Event, Group
from ..values import Variables
from .operator import OperatorState


class PlusState(OperatorState):
    """Keeps what arrives until it is due, w after it was detected."""

    def arrive(self, event: Event, child: int, group: Group, values: Variables) -> None:
        if self.context is ContextName.RECENT:
            group.stored = []
        group.stored.append(self.entry(event, child, values))

    def _due(self, group: Group) -> list[tuple[Due, list[Entry]]]:
        """What is raised together, and when."""
        assert isinstance(self.expression, Plus)
        delay = self.expression.delay.amount
        dues = []
        for entry in group.stored:
            assert entry.stored_at.now is not None
            dues.append((Due(Unit.TIME, entry.stored_at.now + delay), [entry]))
        if self.context is ContextName.CUMULATIVE and dues:
            return [(dues[0][0], list(group.stored))]
        return dues

    def dues(self) -> list[Due]:
        return [due for group in self.groups.values() for due, _ in self._due(group)]

    def fire(self, due: Due) -> None:
        for group in sorted(self.groups.values(), key=lambda group: group.order):
            for when, entries in self._due(group):
                if when == due:
                    self.raise_and_consume(group, entries, entries)


STATE = PlusState
