"""Multiplicity x[l,u] that waits for its termination: what has accumulated is released in batches (D5, X8)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf

from contexts import Entry
from contexts.entry import EVENT
from contexts.grouping import Key
from path_types import PathType

from ...algebra import Promise, Termination
from ...events import Cause, CompositeEvent, PrimitiveEvent
from ...rules.trees import EventTree, OperatorNode
from ..composer import instance_at, interval, nearest_common_ancestor, span_of
from ..setting import Setting
from .accumulation import Accumulation, Integrated
from .deferrable import DeferrableState
from .integrating import MultiplicityState

_new_tuple = tuple.__new__


class WaitingMultiplicityState(MultiplicityState, DeferrableState):
    """Raises a composite of each full batch of u, and of the rest if there is at least l of it, at a release.

    Where it waits for a condition alone it is a `MultiplicityState` whenever that holds (X4).
    """

    def __init__(
        self, node: OperatorNode, tree: EventTree, report: list[CompositeEvent] | None, setting: Setting,
        operand: Promise,
    ) -> None:  # fmt: skip
        super().__init__(node, tree, report, setting, operand)
        self._full: float = inf if self.upper is None else self.upper
        self._enough = max(self.lower, 1)
        self._awaits_release = node.termination is not Termination.EARLIEST
        # Whether all that it does besides is to raise what has accumulated until a release.
        self._is_plain = self._is_short and not node.takes_back

    @property
    def one_by_one(self) -> bool:
        return True

    # ---- what waits (X1, X8) -----------------------------------------------------------------------------

    def hold(self, child: int, key: Key, arrivals: Sequence[Entry], cause: Cause) -> None:
        for entry in arrivals:
            accumulation = self._accumulation(key)
            self._accumulates(key, accumulation, entry)
            self._drop_if_idle(key, accumulation)

    def _batches(self, entries: list[Entry]) -> tuple[list[list[Entry]], list[Entry]]:
        """Full batches of u, then the rest if there is at least l of it; and what stays."""
        batches = []
        while self.upper is not None and len(entries) >= self.upper:
            if self.slides:
                entries = entries[-self.upper :]
            batches.append(entries[: self.upper])
            entries = entries[self.upper :]
        if entries and len(entries) >= self.lower:
            batches.append(entries)
            entries = []
        return batches, entries

    def hold_creation(self, key: Key, path: PathType, ids: tuple[int, ...]) -> None:
        self._accumulation(key).created = (path, ids)

    def keeper(self, child: int) -> Callable[[Key, PrimitiveEvent], bool] | None:
        if not self._is_plain:
            return None
        accumulations, clock, lower = self.accumulations, self.clock, self.lower

        def keep(key: Key, event: PrimitiveEvent) -> bool:
            if type(event) is not PrimitiveEvent:
                event = _new_tuple(PrimitiveEvent, event)
            ts = event[0]
            entry = (ts, ts, clock.point, event)
            accumulation = accumulations.get(key)
            if accumulation is None:
                accumulation = accumulations[key] = Accumulation()
            # Primitive events come in the order of their numbers.
            accumulation.end = ts
            entries = accumulation.entries
            if entries:
                entries.append(entry)
                return len(entries) >= lower
            accumulation.start = ts
            accumulation.entries = [entry]
            return lower <= 1

        return keep

    def _created(self, accumulation: Accumulation) -> tuple[PathType, tuple[int, ...]] | None:
        """The node for which an empty composite is due, unless it is gone (M4)."""
        created = accumulation.created
        if created is not None and (self.tree_index, created[1][-1]) in self.setting.gone:
            return None
        return created

    def is_possible(self, key: Key) -> bool:
        accumulation = self.accumulations.get(key)
        if accumulation is None:
            return False
        count = len(accumulation.entries) - accumulation.begin
        enough = count >= self.lower and count > 0
        if self._awaits_release:  # which asks what it finds, and drops what fails
            return enough or self._created(accumulation) is not None
        if not count:
            return self._created(accumulation) is not None and self._admits(())
        is_fresh = accumulation.told < len(accumulation.entries) or accumulation.created is not None
        return is_fresh and self._has_whole(accumulation, count)

    def _has_whole(self, accumulation: Accumulation, count: int) -> bool:
        """Whether anything that has accumulated would be raised, by itself."""
        if count > self._full:
            return any(map(self._admits, self._wholes(accumulation, accumulation.live())))
        if count < self.lower:
            return False
        values = self.values
        return values.having is None or values.holds(
            values.seen_of(accumulation.arrivals(), accumulation.values(values.asked_lists))
        )

    def _admits(self, entries: Sequence[Entry]) -> bool:
        return self.values.having is None or self.values.admits(entries)

    def give_up(self, key: Key) -> None:
        """At u it starts over all the same (V6): what fails then waits for nothing."""
        accumulation = self.accumulations.get(key)
        if accumulation is None or self.values.having is None:
            return
        count = accumulation.count()
        if self.upper is not None and count >= self.upper and not self.slides:
            live, full = accumulation.live(), count - count % self.upper
            self.consumed_by(0, live[:full])
            accumulation.start_over(live[full:])
        self._drop_if_idle(key, accumulation)

    def _wholes(self, accumulation: Accumulation, live: list[Entry]) -> list[list[Entry]]:
        of_nothing: list[list[Entry]] = [[]] if self._created(accumulation) is not None and not live else []
        return self._batches(live)[0] or of_nothing

    # ---- a condition that holds (X4) ----------------------------------------------------------------------

    def integrate(self, key: Key, accumulation: Accumulation, cause: Cause) -> None:
        accumulation.created = None  # something has accumulated (D5)
        super().integrate(key, accumulation, cause)

    def evaluate_held(self, child: int, key: Key, arrivals: Sequence[Entry], cause: Cause) -> None:
        self.integrate(key, self.accumulations[key], cause)

    def evaluate_newest(self, key: Key, cause: Cause) -> None:
        self.integrate(key, self.accumulations[key], cause)

    # ---- released (D5) ------------------------------------------------------------------------------------

    def release_alone(self, key: Key, cause: Cause) -> None:
        accumulation, parent = self.accumulations.get(key), self.parent
        if (
            accumulation is None
            or parent is None
            or not (self._is_plain and self._enough <= len(accumulation.entries) < self._full)
        ):
            super().release_alone(key, cause)
            return
        whole = self._release_whole(key, accumulation, cause)
        above = key if self.same_groups else parent.groupings[self.child_index].key_of(whole)
        if above is not None:
            parent.taker.store(self.child_index, above, whole, cause)

    def _release_whole(self, key: Key, accumulation: Accumulation, cause: Cause) -> Entry:
        """The composite of all that has accumulated, which starts over: a batch that is not full; where nothing is
        asked."""
        whole = self._whole(accumulation, cause)
        if self._owners is not None:
            self.consumed_by(0, accumulation.entries)
        del self.accumulations[key]
        return whole

    def release(self, key: Key, cause: Cause) -> None:
        """Full batches of u, then the rest if there is at least l of it (D5)."""
        accumulation = self.accumulations[key]
        if self._is_plain and self._enough <= len(accumulation.entries) < self._full:
            self._send(self._release_whole(key, accumulation, cause))
            return
        had = accumulation.count()
        batches, rest = self._batches(accumulation.live())
        for batch in batches:
            if not self._raise_batch(key, accumulation, batch, cause):  # used up all the same (V6)
                accumulation.current = None
            self.consumed_by(0, batch)
        created = self._created(accumulation)
        if created is not None and not had:
            self._raise_nothing(*created, cause)
        accumulation.created = None
        integrated = accumulation.integrates()
        accumulation.replace(rest, sum(id(entry[EVENT]) in integrated for entry in rest))
        self._watch_over(key, accumulation)
        self._drop_if_idle(key, accumulation)

    def _take_place(self, accumulation: Accumulation) -> None:
        """What is raised now takes the place of the composite that is still integrating (M1, X8)."""
        if accumulation.current is not None:
            self._withdraw(accumulation.current)
            accumulation.current = None

    def _raise_batch(self, key: Key, accumulation: Accumulation, entries: list[Entry], cause: Cause) -> bool:
        """Raises a batch of its own; says whether it did."""
        values = self.values
        if values.having is not None and not values.admits(entries):
            return False
        constituents = Integrated(entries, 0, len(entries))
        path, ids = (
            nearest_common_ancestor(constituents)
            if self.flat
            else instance_at(entries[0][EVENT], self.node_of(key))
        )
        composite = self.composer.composite(
            path, ids, constituents, *interval(constituents), cause,
            span_of(entries) if self.composer.extended else None, values.of(entries),
        )  # fmt: skip
        if not self._is_allowed(composite):
            return False
        self._take_place(accumulation)
        self._raise(composite)
        return True
