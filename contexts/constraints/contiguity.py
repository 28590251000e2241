"""Strict contiguity: between neighbours nothing happened in the group (S3)."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable

from ..entry import FIRST, LAST, Entry
from ..group import Group
from ..grouping import Key
from .constraint import REFUSED, Constraint, Objection, State


class Contiguity(Constraint):
    """Between two neighbouring events there is no time point at which anything happened at the group's place.

    ``place_of`` gives the place of a group; ``happened`` tells it what has happened there.
    """

    reason = "not-contiguous"

    def __init__(self, place_of: Callable[[Key], int]) -> None:
        self._place_of = place_of
        self._times: dict[int, list[int]] = {}

    def happened(self, place: int, ts: int) -> None:
        """A primitive event, of whatever type, projects on the place."""
        self._times.setdefault(place, []).append(ts)

    def begin(self, group: Group) -> State:
        return None

    def step(self, group: Group, state: State, operand: int, entry: Entry) -> State:
        if entry[FIRST] is None:
            return state
        if state is not None:
            times = self._times.get(self._place_of(group.key), [])
            if bisect_right(times, state) < bisect_left(times, entry[FIRST][0]):
                return REFUSED
        return entry[LAST][0]

    def objection(self, group: Group, state: State, operand: int, entry: Entry) -> Objection:
        times = self._times.get(self._place_of(group.key), [])
        between = times[bisect_right(times, state) : bisect_left(times, entry[FIRST][0])]
        return Objection(self.reason, (entry,), times=tuple(between))

    def forget(self, place: int, before: float = float("inf")) -> None:
        """Frees what happened at the place before a time point."""
        times = self._times.get(place)
        if times is None:
            return
        del times[: bisect_left(times, before)]
        if not times:
            del self._times[place]

    def clear(self) -> None:
        """Frees everything."""
        self._times.clear()

    def size(self) -> int:
        """How many time points are kept."""
        return sum(map(len, self._times.values()))
