"""Periodic ``periodic[a, w, c]``: again and again in a window (W10)."""

from __future__ import annotations

from xmlcep.algebra import ContextName, Periodic, Unit

from ..clock import Due
from ..events import Entry, Event, Group, interval
from ..values import Variables
from .openings import OpeningState


class PeriodicState(OpeningState):
    """Operands: a, c."""

    @property
    def constituents(self) -> tuple[int, ...]:
        return (0,)

    @property
    def beat(self) -> int:
        """In microseconds."""
        assert isinstance(self.expression, Periodic)
        return self.expression.beat.amount

    def begin_of(self, entry: Entry) -> int:
        """T(a.end); of nothing, when it was detected."""
        span = interval(entry.event)
        if span is not None:
            return self.around.clock.time(span[1])
        assert entry.stored_at.now is not None
        return entry.stored_at.now

    def beating(self, group: Group) -> list[Entry]:
        """The windows that beat by themselves: all; the oldest (cumulative: for all)."""
        windows = group.child(self.opens)
        alone = self.context in (ContextName.CHRONICLE, ContextName.NEXT, ContextName.CUMULATIVE)
        return windows[:1] if alone else windows

    def next_beats(self, group: Group) -> list[tuple[Due, Entry]]:
        """For each its next beat: the first not before the present in which it began to beat (W10)."""
        known = group.beats
        group.beats = {entry: known.get(entry) or self._first(entry) for entry in self.beating(group)}
        return [(Due(Unit.TIME, time), entry) for entry, time in group.beats.items()]

    def _first(self, entry: Entry) -> int:
        assert self.around.now is not None
        time = self.begin_of(entry) + self.beat
        while time < self.around.now:
            time += self.beat
        return time

    def arrive(self, event: Event, child: int, group: Group, values: Variables) -> None:
        """At a node that is gone a window is closed already."""
        super().arrive(event, child, group, values)
        if child == self.opens and not self.around.exists(group.key):
            self.close_all(group)

    def opened(self, group: Group) -> None:
        self.next_beats(group)

    def close(self, group: Group, closing: Entry) -> None:
        super().close(group, closing)
        self.next_beats(group)

    def dues(self) -> list[Due]:
        return [due for group in self.groups.values() for due, _ in self.next_beats(group)]

    def fire(self, due: Due) -> None:
        for group in sorted(self.groups.values(), key=lambda group: group.order):
            for when, entry in self.next_beats(group):
                if when == due:
                    group.beats[entry] += self.beat
                    everything = self.context is ContextName.CUMULATIVE
                    self.raise_and_consume(group, group.child(self.opens) if everything else [entry], [])

    def node_deleted(self, node: int) -> None:
        """The windows of its groups are closed."""
        for group in self.groups.values():
            if group.key == node:
                self.close_all(group)

    def close_all(self, group: Group) -> None:
        """W10: the node is gone."""
        self.consume(group, group.child(self.opens))


STATE = PeriodicState
