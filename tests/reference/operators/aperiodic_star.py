"""Aperiodic, once: ``aperiodic*[a, c] b``, all b in a window when it is closed (W9, W8)."""

from __future__ import annotations

from xmlcep.algebra import Order

from .. import constraints
from ..events import Entry, Group
from .openings import OpeningState


class AperiodicStarState(OpeningState):
    """Operands: a, b, c."""

    @property
    def constituents(self) -> tuple[int, ...]:
        return (0, 1, 2)

    @property
    def gathers(self) -> bool:
        return True

    def opened(self, group: Group) -> None:
        self._leave_out(group)

    def between(self, group: Group, entry: Entry) -> None:
        """Kept if it lies in an open window."""
        if self._is_in_one(entry, group.child(self.opens)):
            group.stored.append(entry)
        else:
            self.tell_consumed(entry)

    def close(self, group: Group, closing: Entry) -> None:
        closed = self.chosen(group, closing)
        used: list[Entry] = []
        for windows in self.together(closed):
            inside = [entry for entry in group.child(1) if self._is_in_one(entry, windows)]
            if inside:
                self.raise_and_consume(group, [*windows, *inside, closing], [])
                used += [entry for entry in inside if entry not in used]
        self.consume(group, [*closed, *used])
        self._leave_out(group)

    def _leave_out(self, group: Group) -> None:
        """What is in no open window any more counts as used up: not yet while what opened it has been withdrawn, since
        what integrates that opens it again (M1)."""
        windows = group.child(self.opens)
        self.consume(group, [entry for entry in group.child(1) if not self._is_in_one(entry, windows)])

    def _is_in_one(self, entry: Entry, windows: list[Entry]) -> bool:
        return any(constraints.before(Order.INTERVAL, window, entry) for window in windows)


STATE = AperiodicStarState
