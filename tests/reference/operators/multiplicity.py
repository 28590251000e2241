"""Multiplicity ``x[l,u] a`` (M1 to M6), with windows (W3), `slide` (S4), `having` and guard (V6, D4)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from path_types import PathType
from xmlcep.algebra import Multiplicity, Termination

from .. import paths
from ..clock import in_time
from ..events import Composite, Entry, Event, Group, interval, span
from ..values import Variables
from .operator import OperatorState


class MultiplicityState(OperatorState):
    """Counts arrivals, group by group. ``arrived`` keeps them all, for a sequence in which it is negated (A1)."""

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

    # Arrivals

    def store(self, event: Event, child: int, group: Group, values: Variables) -> Entry | None:
        entry = self.entry(event, child, values)
        self.arrived.append((group, entry))
        if self._too_old_above(group, entry):
            self._forget_integrated(group)
        group.accumulated.append(entry)
        if self.within is not None:
            self._drop_out(group, entry)
        if entry not in group.accumulated:
            return None
        group.empty = None  # something has accumulated (M4)
        return entry

    def _drop_out(self, group: Group, arrival: Entry) -> None:
        """W3: what is more than the window before the newest drops out first; an arrival that would is not taken."""
        lost = self._lost(group.accumulated)
        if arrival in lost:
            lost = [arrival]
        group.accumulated = [entry for entry in group.accumulated if entry not in lost]

    def _lost(self, entries: list[Entry]) -> list[Entry]:
        """Those more than the window before the latest end of all (W3)."""
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

    def _too_old_above(self, group: Group, arrival: Entry) -> bool:
        """Q4: with a window of its own, whether what it is integrating is too old for that of the operator above."""
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
        """Whether it is negated, so that it raises nothing (A1)."""
        above = self.parent
        return above is not None and any(above.children[index] is self for index in above.absent)

    def evaluate(self, group: Group) -> None:
        """M1, M2, S4, M4: full batches are final; what is left is raised, and integrated by what comes."""
        if self._is_empty(group):
            self._raise_empty(group)
            return
        rest = self._raise_full(group)
        if len(rest) >= self.enough and self._may_be_raised(group, rest):
            self._withdraw_current(group)
            group.current = self._raise(group, rest)

    def release(self, group: Group) -> None:
        """D5: at a release what is left is final, too, if it is enough; then accumulation starts over."""
        if self.end is Termination.EARLIEST:
            self.evaluate(group)
            return
        if self._is_empty(group):
            self._raise_empty(group)
            return
        rest = self._raise_full(group)
        if len(rest) >= self.enough:
            self._raise_batch(group, rest)
            group.accumulated = []

    def _raise_full(self, group: Group) -> list[Entry]:
        """Raises the full batches of u; what is left has accumulated."""
        *full, group.accumulated = self._wholes(group)
        for batch in full:
            self._raise_batch(group, batch)
        return group.accumulated

    def _raise_batch(self, group: Group, batch: list[Entry]) -> None:
        """It takes the place of what it integrates; raised or not, it is used up (V6)."""
        if self._may_be_raised(group, batch):
            self._withdraw_current(group)
            self._raise(group, batch)
        self._use_up(batch)
        group.current = None

    def potential(self, group: Group) -> bool:
        """Whether there is enough, with something new; what it asks it is asked then."""
        if self.only_counts:
            return False
        if self._is_empty(group):
            return True
        return len(group.accumulated) >= self.enough and any(entry.fresh for entry in group.accumulated)

    def _is_empty(self, group: Group) -> bool:
        """Whether an empty composite is to be raised, for a node that was created (M4)."""
        return group.empty is not None

    def _raise_empty(self, group: Group) -> None:
        instance, group.empty = group.empty, None
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
        """M3: when the composite that is still integrating is consumed, accumulation starts over.

        Arrivals that wait for a release were not integrated and stay (M3)."""
        for group in self.groups.values():
            if group.current is composite:
                self._forget_integrated(group)

    def start_over(self, group: Group, is_gone: Callable[[Entry], bool]) -> None:
        """What an absence behind it has made impossible counts no more; a composite of it stays where it is (Q4)."""
        kept = [entry for entry in group.accumulated if not is_gone(entry)]
        if len(kept) < len(group.accumulated):
            group.accumulated = kept
            group.current = None

    def _forget_integrated(self, group: Group) -> None:
        former, group.current = group.current, None
        assert former is not None
        group.accumulated = [entry for entry in group.accumulated if not is_inside(entry, former)]

    # As a negated operand (A1)

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
