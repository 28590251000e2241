"""Negated multiplicities: arrivals that lie where none must are counted there, from zero (A1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..entry import FIRST, LAST, Entry
from ..grouping import Key
from .absence import Violations


class CountedViolations(Violations):
    """The arrivals of ``not x[lower,upper] b``: they forbid where counting them would raise something not empty.

    ``group_of`` is the multiplicity's own grouping; ``within`` its window, amount and unit (as for `Within`), None if
    it has none; ``admit`` its ``having``.
    """

    def __init__(
        self,
        lower: int,
        upper: int | None,
        group_of: Callable[[Entry], Key],
        within: tuple[int, int] | None,
        admit: Callable[[Sequence[Entry]], bool] | None,
    ) -> None:
        super().__init__(one_is_enough=False)
        self._lower = max(lower, 1)
        self._upper = upper
        self._group_of = group_of
        self._within = within
        self._admit = admit

    def forbid(self, events: list[Entry]) -> bool:
        groups: dict[Key, list[Entry]] = {}
        for entry in events:
            groups.setdefault(self._group_of(entry), []).append(entry)
        return any(map(self._would_raise, groups.values()))

    def _would_raise(self, arrivals: list[Entry]) -> bool:
        counted: list[Entry] = []
        for arrival in arrivals:
            counted = young([*counted, arrival], self._within)
            if not any(entry is arrival for entry in counted):
                continue  # too old by itself, or too wide
            if len(counted) >= self._lower and (self._admit is None or self._admit(counted)):
                return True
            if len(counted) == self._upper:
                counted = []
        return False


def young(entries: list[Entry], within: tuple[int, int] | None) -> list[Entry]:
    """Those that start at most so long before the latest end of all; an empty one has no age (W3)."""
    if within is None:
        return entries
    amount, unit = within
    latest = max((entry[LAST][unit] for entry in entries if entry[LAST] is not None), default=None)
    if latest is None:
        return entries
    return [entry for entry in entries if entry[FIRST] is None or entry[FIRST][unit] >= latest - amount]
