"""Multiplicity ``x[l,u] a`` (M1 to M6), with windows (W3), `slide` (S4), `having` and guard (V6, U5, Z9)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from path_types import PathInstance, PathType
from xmlcep.algebra import Multiplicity, Termination

from .. import paths
from ..clock import in_time
from ..events import Composite, Entry, Event, Group, interval, span
from ..values import Variables
from .operator import OperatorState


class MultiplicityState(OperatorState):
    """Counts arrivals, group by group. ``arrived`` keeps them all, for a sequence in which it is negated (Z5)."""

    raises_at_once = False

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.arrived: list[tuple[Group, Entry]] = []

    @property
    def lower(self) -> int:
        """The l of x[l,u]."""
        assert isinstance(self.expression, Multiplicity)
        return self.expression.lower

    @property
    def upper(self) -> int | None:
        """The u of x[l,u]; None: no bound."""
        assert isinstance(self.expression, Multiplicity)
        return self.expression.upper

    @property
    def enough(self) -> int:
        """How many make up a composite that is not empty."""
        return max(self.lower, 1)

    @property
    def slides(self) -> bool:
        """S4."""
        return self.expression.options.slide

    @property
    def gathers(self) -> bool:
        return True

    def one_by_one(self) -> bool:
        return True

    # Arrivals

    def store(
        self, event: Event, child: int, group: Group, values: Variables, *, waits: bool
    ) -> Entry | None:
        entry = self.entry(event, child, values)
        self.arrived.append((group, entry))
        if self._too_old_above(group, entry):
            self._forget_integrated(group)
        group.accumulated.append(entry)
        if self.within is not None:
            self._drop_out(group, entry)
        return entry if entry in group.accumulated else None

    def _drop_out(self, group: Group, arrival: Entry) -> None:
        """W3: what is more than the window before the newest drops out first; an arrival that would is not taken."""
        lost = self._lost(group.accumulated)
        if arrival in lost:
            lost = [arrival]
        group.accumulated = [entry for entry in group.accumulated if entry not in lost]

    def _lost(self, entries: list[Entry]) -> list[Entry]:
        """Those more than the window before the latest end of all (Z8)."""
        whole = span(entries)
        if self.within is None or whole is None:
            return []
        clock = self.around.clock
        return [
            entry
            for entry in entries
            if (own := span([entry])) is not None and not clock.fits(self.within, own[0], whole[1])
        ]

    def _parts(self, entries: list[Entry]) -> list[list[Entry]]:
        """Full batches of u, and at last what is left (D5)."""
        full = []
        while self.upper is not None and len(entries) >= self.upper:
            full.append(entries[: self.upper])
            entries = entries[self.upper :]
        return [*full, entries]

    def _wholes(self, group: Group) -> list[list[Entry]]:
        """What has accumulated, as a release raises it: full batches and what is left (D5), or the last u (S4)."""
        if self.slides:
            return [group.accumulated[-(self.upper or 0) :]]
        return self._parts(group.accumulated)

    def give_up(self, group: Group) -> None:
        """At u accumulation starts over all the same (V6), also where the condition is false."""
        if self.upper is not None and len(group.accumulated) >= self.upper and not self.slides:
            *full, group.accumulated = self._parts(group.accumulated)
            for batch in full:
                self._use_up(batch)
            group.current = None

    def _too_old_above(self, group: Group, arrival: Entry) -> bool:
        """Z4: with a window of its own, whether what it is integrating is too old for that of the operator above."""
        above = self.parent.within if self.parent is not None else None
        if group.current is None or above is None or self.expression.options.within is None:
            return False
        own, new = interval(group.current), interval(arrival.event)
        if own is None or new is None:
            return False
        return not self.around.clock.fits(above, own[0], max(own[1], new[1], key=in_time))

    # Raising

    @property
    def only_counts(self) -> bool:
        """Whether it is negated, so that it raises nothing (Z5)."""
        above = self.parent
        return above is not None and any(above.children[index] is self for index in above.absent)

    def evaluate_arrivals(self, group: Group, child: int, arrivals: list[Entry]) -> None:
        """M1, M2, S4: the arrival is counted."""
        group.empty = None  # something has accumulated (D5)
        if self.only_counts:
            return
        counted = group.accumulated
        if self.slides and self.upper is not None and len(counted) > self.upper:
            counted = group.accumulated = counted[-self.upper :]
        if len(counted) < self.lower:
            return
        if self._may_be_raised(group, counted):
            self._withdraw_current(group)
            group.current = self._raise(group, counted)
        if len(counted) == self.upper and not self.slides:
            self._use_up(counted)  # raised or not (V6)
            group.current = None
            group.accumulated = []

    def release(self, group: Group) -> None:
        """D5, X8: full batches, then the rest if it has at least l; accumulation starts over."""
        instance, group.empty = group.empty, None
        if not group.accumulated:
            if instance is not None:
                self._create(group, instance)
            return
        *full, rest = self._wholes(group)
        if len(rest) >= self.enough:
            full, rest = [*full, rest], []
        group.accumulated = rest
        for batch in full:
            if self._may_be_raised(group, batch):
                self._withdraw_current(group)
                self._raise(group, batch)
            else:  # a former one that was raised stays (M2), and this is used up all the same (V6)
                group.current = None
                self._use_up(batch)

    def potential(self, group: Group) -> bool:
        """Where it waits for a release that asks what it finds; a no uses up (V6). Otherwise what `having` refuses is
        none (X11)."""
        if not group.accumulated:
            return group.empty is not None and self._might_be(group, [])
        possible = any(
            len(part) >= self.enough and self._might_be(group, part) for part in self._wholes(group)
        )
        return possible and (group.empty is not None or any(entry.fresh for entry in group.accumulated))

    def _might_be(self, group: Group, entries: list[Entry]) -> bool:
        return self.end is not Termination.EARLIEST or self.has(group, entries)

    def create(self, group: Group, instance: PathInstance) -> None:
        """M4: an empty composite for a node that was created."""
        if not self.only_counts:
            self._create(group, instance)

    def _create(self, group: Group, instance: PathInstance) -> None:
        if self.around.exists(group.key) and self._may_be_raised(group, []):
            self.raise_(group, [], instance)

    def _may_be_raised(self, group: Group, entries: list[Entry]) -> bool:
        return self.has(group, entries) and self.lets_pass(group, entries)

    def _raise(self, group: Group, entries: list[Entry]) -> Composite:
        composite = self.raise_(group, entries)
        self._use_up(entries)
        return composite

    def _use_up(self, entries: list[Entry]) -> None:
        for entry in entries:
            self.tell_consumed(entry)

    def _withdraw_current(self, group: Group) -> None:
        """M1: the former composite, if not consumed, is withdrawn from the parent."""
        former, group.current = group.current, None
        if former is not None:
            former.withdrawn = True
            if self.parent is not None:
                self.parent.take_back(former)

    # Starting over

    def consumed(self, composite: Composite) -> None:
        """M3, C7: when the composite that is still integrating is consumed, accumulation starts over.

        Arrivals that wait for a release were not integrated and stay (C13)."""
        self.start_over(composite)

    def is_integrating(self, event: Event) -> bool:
        """Whether it is the composite that one of its groups is integrating."""
        return any(group.current is event for group in self.groups.values())

    def start_over(self, composite: Event) -> None:
        """Counting starts at zero; the composite stays where it is (Z3, Z4)."""
        for group in self.groups.values():
            if group.current is composite:
                self._forget_integrated(group)

    def _forget_integrated(self, group: Group) -> None:
        former, group.current = group.current, None
        assert former is not None
        group.accumulated = [entry for entry in group.accumulated if not is_inside(entry, former)]

    # As a negated operand (A1, Z5)

    def arrived_in(self, path: PathType) -> Iterator[tuple[int | None, dict[str, str], list[Entry]]]:
        """Group by group: the place on another operator's path, the values, the arrivals."""
        for group in self.groups.values():
            found = [arrival for arrival in self.arrivals_in(path) if arrival[2][0] is group]
            if found:
                yield found[0][0], found[0][1], [entry for _, _, (_, entry) in found]

    def arrivals_in(self, path: PathType) -> Iterator[tuple[int | None, dict[str, str], tuple[Group, Entry]]]:
        """All arrivals, each with its place on another operator's path, and the values of its group."""
        for group, entry in self.arrived:
            key = None
            if not self.flat:
                instance = paths.composite_instance(group.key, [entry.event.instance])
                key = paths.node_of(path, self.path, instance)
            if self.flat or key is not None:
                yield key, dict(group.values), (group, entry)

    def would_raise(self, entries: list[Entry]) -> bool:
        """Whether counting these from zero would raise something that is not empty."""
        counted: list[Entry] = []
        group = Group(None)
        for entry in entries:
            counted.append(entry)
            lost = self._lost(counted)
            counted = [other for other in counted if other not in lost]
            if len(counted) >= self.enough and entry in counted and self.has(group, counted):
                return True
            if len(counted) == self.upper:
                counted = []
        return False


def is_inside(entry: Entry, composite: Composite) -> bool:
    """Whether the entry's event is one of the composite's constituents."""
    return any(entry.event is inside for inside in composite.constituents)


STATE = MultiplicityState
