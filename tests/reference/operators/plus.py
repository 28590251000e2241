"""Plus ``plus[a, w]``: later (W7)."""

from __future__ import annotations

from xmlcep.algebra import Plus, Unit

from ..clock import Due
from ..events import Entry, Event, Group
from ..values import Variables
from .operator import OperatorState


class PlusState(OperatorState):
    """Keeps what arrives until it is due, w after it was detected."""

    def arrive(self, event: Event, child: int, group: Group, values: Variables) -> None:
        group.stored.append(self.entry(event, child, values))

    def _due(self, entry: Entry) -> Due:
        """When it is raised."""
        assert isinstance(self.expression, Plus) and entry.stored_at.now is not None
        return Due(Unit.TIME, entry.stored_at.now + self.expression.delay.amount)

    def dues(self) -> list[Due]:
        return [self._due(entry) for group in self.groups.values() for entry in group.stored]

    def fire(self, due: Due) -> None:
        for group in sorted(self.groups.values(), key=lambda group: group.order):
            for entry in [entry for entry in group.stored if self._due(entry) == due]:
                self.raise_and_consume(group, [entry], [entry])


STATE = PlusState
