"""Recent context: the newest event of every operand; what can start a later combination stays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from .combinations import Combinations
from .context import Context
from .entry import Combination, Entry, parts
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
    """Each operand keeps its newest event only; a newer one replaces it without consuming it (Q1, H7)."""

    name = "recent"
    preference = "only the newest event of each operand is kept"
    replaces = True
    pairing: Pairing | None = _NewestOfEach()

    def store(self, group: Group, exists: Combinations, child: int, arrivals: Iterable[Entry]) -> None:
        group.store(child, arrivals)
        stored = group.stored[child]
        newest = stored[-1]
        stored.clear()
        stored.append(newest)

    def windows(self, opened: Sequence[Entry]) -> list[list[Entry]]:
        """The newest."""
        return [[entry] for entry in opened[-1:]]

    def on_arrival(
        self, group: Group, exists: Combinations, child: int, arrivals: Sequence[Entry]
    ) -> list[Combination]:
        return self._chosen(group, exists, [(child, entry) for entry in arrivals])

    def on_release(self, group: Group, exists: Combinations) -> list[Combination]:
        return self._chosen(group, exists, group.still_fresh())

    def is_possible(self, group: Group, exists: Combinations) -> bool:
        return _newest(group, exists, group.still_fresh()) is not None

    def _chosen(
        self, group: Group, exists: Combinations, new: Sequence[tuple[int, Entry]]
    ) -> list[Combination]:
        chosen = _newest(group, exists, new)
        return [] if chosen is None else [self._taken(group, exists, chosen)]

    def _taken(self, group: Group, exists: Combinations, chosen: Combination) -> Combination:
        """Where operands are in order, the first one's event can start a later combination, the others cannot."""
        if exists.ordered:
            group.consume(enumerate(chosen[exists.first + 1 :], exists.first + 1))
        return chosen


def _newest(group: Group, exists: Combinations, new: Sequence[tuple[int, Entry]]) -> Combination | None:
    """The newest event of every operand, if they are a combination with something new in it."""
    arrivals = {(k, id(entry)) for k, entry in new}
    for each in exists.newest_of_each(group):
        chosen = exists.filled(group, each)
        if any((k, id(entry)) in arrivals for k, entry in parts(chosen)):
            return chosen
    return None
