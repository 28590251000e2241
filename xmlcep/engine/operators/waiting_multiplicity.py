"""Multiplicity x[l,u] that waits for its termination: what has accumulated is released in batches (D5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf

from contexts import Entry
from contexts.grouping import Key
from path_types import PathType

from ...algebra import Termination
from ...events import Cause, PrimitiveEvent
from .accumulation import Accumulation
from .deferrable import DeferrableState
from .integrating import MultiplicityState
from .state import Arrivals, Blueprint

_new_tuple = tuple.__new__


class WaitingMultiplicityState(MultiplicityState, DeferrableState):
    """Raises a composite of each full batch of u, and of the rest if there is at least l of it, at a release.

    Where it waits for a condition alone it is a `MultiplicityState` whenever that holds (D4).
    """

    def __init__(self, of: Blueprint) -> None:
        super().__init__(of)
        self._full: float = inf if self.upper is None else self.upper
        self._enough = max(self.lower, 1)
        self._awaits_release = of.node.termination is not Termination.EARLIEST
        # Whether all that it does besides is to raise what has accumulated until a release.
        self._is_plain = self._is_short and not of.node.takes_back

    # ---- what waits (D2, D5) -----------------------------------------------------------------------------

    def hold(self, key: Key, arrivals: Sequence[Arrivals], cause: Cause) -> None:
        accumulation = self._accumulation(key)
        for _, entries in arrivals:
            for entry in entries:
                if self._accumulates(key, accumulation, entry):
                    accumulation.created = None  # something has accumulated (M4)
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
            accumulation.created = None  # something has accumulated (M4)
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
        if count >= self._enough:
            return accumulation.evaluated < len(accumulation.entries)
        return self._created(accumulation) is not None

    def _wholes(self, accumulation: Accumulation, live: list[Entry]) -> list[list[Entry]]:
        of_nothing: list[list[Entry]] = [[]] if self._created(accumulation) is not None and not live else []
        return self._batches(live)[0] or of_nothing

    # ---- released (D5) ------------------------------------------------------------------------------------

    def _release_whole(self, key: Key, accumulation: Accumulation, cause: Cause) -> Entry:
        """The composite of all that has accumulated, which starts over: a batch that is not full; where nothing is
        asked."""
        whole = self._whole(accumulation, cause)
        if self._owners is not None:
            self.consumed_by(0, accumulation.entries)
        del self.accumulations[key]
        return whole

    def release(self, key: Key, cause: Cause) -> None:
        """Full batches of u, then the rest if there is at least l of it (D5), which without a termination is integrated
        by what comes (M1)."""
        accumulation = self.accumulations[key]
        if self._is_plain and self._enough <= len(accumulation.entries) < self._full:
            if self._awaits_release:
                self._send(self._release_whole(key, accumulation, cause))
            else:
                self.integrate(key, accumulation, cause)
                accumulation.evaluated = len(accumulation.entries)
            return
        created = self._created(accumulation)
        if created is not None:
            accumulation.created = None
            self._raise_nothing(*created, cause)
        if not self._awaits_release:
            self.evaluate(key, accumulation, cause)
        else:
            batches, rest = self._batches(accumulation.live())
            for batch in batches:
                self.raise_batch(key, accumulation, batch, cause)
            if batches:
                accumulation.start_over(rest)
        accumulation.evaluated = len(accumulation.entries)
        self._watch_over(key, accumulation)
        self._drop_if_idle(key, accumulation)
