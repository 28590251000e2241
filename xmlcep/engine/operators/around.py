"""Conjunctions some of whose operands stand aside, until an end, in any order (A7)."""

from __future__ import annotations

from collections.abc import Sequence

from contexts import Entry
from contexts.constraints import Difference
from contexts.entry import EVENT, FIRST, LAST
from contexts.grouping import Key
from contexts.search import Constrained

from ...algebra import Window
from ...events import Cause
from ..timers import MEASURE, Due
from .choosing import reach
from .combining import window_constraints
from .state import Blueprint
from .trailing import Candidate, TrailingState


class AroundState(TrailingState):
    """What stands aside counts from a window before the end of a candidate, or the flush before it came to be."""

    looks_back = True
    flushes_before = 0
    """How many it has seen with a clock that it had before, more than its clock has (G7)."""

    def __init__(self, of: Blueprint) -> None:
        super().__init__(of)
        constraints = window_constraints(of.node)
        if self.shared:
            constraints.append(Difference())
        self.exists = Constrained(
            constraints, ordered=False, admit=self.admitter(), tries=self.setting.tries, binders=self.binders(),
            optional=frozenset(self.places[operand] for operand in of.node.optional),
        )  # fmt: skip

    @property
    def flushes(self) -> int:
        """How many flushes there have been, as it counts them."""
        return self.clock.flushes + self.flushes_before

    def have_seen(self, flushes: int) -> None:
        self.flushes_before += flushes

    def _counted(self, k: int, key: Key, candidate: Candidate) -> list[Entry]:
        own = {id(entry[EVENT]) for entry in candidate.entries()}
        return [entry for entry in super()._counted(k, key, candidate) if id(entry[EVENT]) not in own]

    def lies_around(self, candidate: Candidate, entry: Entry) -> bool:
        if self._until is None:
            return bool(entry[-1] >= candidate.since)
        amount, unit = self._until
        end = _end_of(candidate, unit)
        return end is None or bool(entry[FIRST][unit] >= end - amount)

    def _noted(self, entry: Entry) -> Entry:
        return (*entry, self.flushes) if self._until is None else super()._noted(entry)

    def set_aside(self, child: int, key: Key, arrivals: Sequence[Entry]) -> None:
        if self._until is None:
            self._forget_former()
        super().set_aside(child, key, arrivals)
        if self._until is not None:
            self._watch_over_violations(key, arrivals)

    # ---- freeing (G4) ---------------------------------------------------------------------------------

    def _forget_former(self) -> None:
        """Frees what came before the last flush and counts for no candidate."""
        if self._cleared == self.flushes:
            return
        self._cleared = self.flushes
        for k in self.trailing:
            violations = self.violations[k]
            kept = {violations.project(key) for waiting in (self.candidates, self.ready) for key in waiting}
            for key in [key for key in violations.stored if key not in kept]:
                left = [entry for entry in violations.stored[key] if entry[-1] == self.flushes]
                if left:
                    violations.stored[key] = left
                else:
                    violations.forget(key)

    _cleared = -1
    """At which flush it looked last for what it can free."""

    def fire(self, due: Due, cause: Cause) -> None:
        super().fire(due, cause)
        self._free(due.key)

    def _free(self, key: Key) -> None:
        window = self.node.window
        if window is not None and self.prompt:
            before = self.clock.reading(window.unit, self.clock.ts) - 1
            for k in self.trailing:
                if self.violations[k].stored:
                    self._free_violations(window, k, self.violations[k].project(key), before)

    def _free_violations(self, window: Window, child: int, key: Key, now: int) -> None:
        """Frees what was last in time for something at ``now``, which has passed, or for a candidate."""
        violations, unit, most = self.violations[child], MEASURE[window.unit], reach(window)
        for waiting in (self.candidates, self.ready):
            for group in self.matching(child, key):
                ends = [_end_of(candidate, unit) for candidate in waiting.get(group, ())]
                now = min([now, *(end - 1 for end in ends if end is not None)])
        left = [e for e in violations.stored.get(key, ()) if e[FIRST][unit] + most > now]
        if left:
            violations.stored[key] = left
        else:
            violations.forget(key)


def _end_of(candidate: Candidate, unit: int) -> int | None:
    """When the last of its events was, by this measure; None if all are empty."""
    ends = (entry[LAST][unit] for _, entry in candidate.members if entry[LAST] is not None)
    return max(ends, default=None)
