"""Aperiodic ``aperiodic[a, c] b``: each b in a window (W8)."""

from __future__ import annotations

from ..events import Entry, Group
from .openings import OpeningState


class AperiodicState(OpeningState):
    """Operands: a, b, c."""

    @property
    def constituents(self) -> tuple[int, ...]:
        return (0, 1)

    def between(self, group: Group, entry: Entry) -> None:
        """Raised with the windows it lies in; used up in any case."""
        for windows in self.together(self.chosen(group, entry)):
            self.raise_and_consume(group, [*windows, entry], [])
        self.tell_consumed(entry)


STATE = AperiodicState
