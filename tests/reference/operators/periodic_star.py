"""Periodic, once: ``periodic*[a, w, c]``, how often it beat in a window when it is closed (W10)."""

from __future__ import annotations

from ..clock import Due
from ..events import Entry, Group
from ..values import Value
from .periodic import PeriodicState


class PeriodicStarState(PeriodicState):
    """Operands: a, c. The variable `times` of a composite counts from its oldest a."""

    extra = ("times",)

    @property
    def constituents(self) -> tuple[int, ...]:
        return (0, 1)

    def extra_values(self, entries: list[Entry]) -> dict[str, Value]:
        first = next(entry for entry in entries if entry.child == self.opens)
        return {"times": float(self._beats_before_now(first))}

    def _beats_before_now(self, first: Entry) -> int:
        assert self.around.now is not None
        time = self.begin_of(first) + self.beat
        count = 0
        while time < self.around.now:
            count += 1
            time += self.beat
        return count

    def opened(self, group: Group) -> None:
        """It raises when it is closed, not before."""

    def dues(self) -> list[Due]:
        return []

    def fire(self, due: Due) -> None:
        """What is due is something else's."""

    def close(self, group: Group, closing: Entry) -> None:
        closed = self.chosen(group, closing)
        for windows in self.together(closed):
            if self._beats_before_now(windows[0]):
                self.raise_and_consume(group, [*windows, closing], [])
        self.consume(group, closed)


STATE = PeriodicStarState
