"""Recent context: the newest event of every operand; what can start a later combination stays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from .combinations import Combinations
from .context import Context
from .entry import Combination, Entry
from .group import Group
from .pairing import Ending, Pair, Pairing, Stored, Waiting


class _NewestOfEach(Pairing):
    """There is but one event of each operand; arrivals come one by one."""

    def any_order(self, stored: tuple[Stored, Stored], child: int, arrivals: Sequence[Any]) -> list[Pair]:
        own = stored[child]
        own.clear()
        own.append(arrivals[-1])
        firsts, seconds = stored
        return [(firsts[0], seconds[0])] if firsts and seconds else []

    def in_order(self, firsts: Stored, endings: Sequence[Ending]) -> list[Pair]:
        return [(firsts[0], ending.event) for ending in endings[-1:] if ending.before]

    def ended(self, firsts: Stored, before: int, event: Any) -> list[Pair]:
        return [(firsts[0], event)]

    def released(self, waiting: Waiting) -> list[Pair]:
        firsts, seconds = waiting.stored
        return [(firsts[0], seconds[0])]


class Recent(Context):
    """Each operand keeps its newest event only; a newer one replaces it without consuming it (H4, H5, H7)."""

    name = "recent"
    preference = "only the newest event of each operand is kept"
    one_by_one = True
    replaces = True
    pairing: Pairing | None = _NewestOfEach()

    def store(self, group: Group, exists: Combinations, child: int, arrivals: Iterable[Entry]) -> None:
        stored = group.stored[child]
        for entry in arrivals:
            stored.clear()
            stored.append(entry)

    def windows(self, opened: Sequence[Entry]) -> list[list[Entry]]:
        """The newest."""
        return [[entry] for entry in opened[-1:]]

    def on_arrival(
        self, group: Group, exists: Combinations, child: int, arrivals: Sequence[Entry]
    ) -> list[Combination]:
        chosen = exists.newest_of_each(group, child, arrivals[-1])
        return [] if chosen is None else [self._taken(group, exists, chosen)]

    def on_release(self, group: Group, exists: Combinations) -> list[Combination]:
        fresh = group.still_fresh()
        child, arrival = fresh[-1] if fresh else (0, None)
        chosen = exists.newest_of_each(group, child, arrival)
        return [] if chosen is None else [self._taken(group, exists, chosen)]

    def is_possible(self, group: Group, exists: Combinations) -> bool:
        fresh = group.still_fresh()
        return bool(fresh) and exists.newest_of_each(group, *fresh[-1]) is not None

    def _taken(self, group: Group, exists: Combinations, chosen: Combination) -> Combination:
        """Where operands are in order, the first one's event can start a later combination, the others cannot."""
        if exists.ordered:
            group.consume(enumerate(chosen[1:], 1))
        return chosen
