"""Recent context: the newest event of every operand; what can start a later combination stays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .combinations import Combinations
from .context import Context, Stays, Takes
from .entry import Combination, Entry, parts
from .group import Group


class Recent(Context):
    """Each operand keeps its newest event only; a newer one replaces it without consuming it (Q1, H7)."""

    name = "recent"
    preference = "only the newest event of each operand is kept"
    takes = Takes.NEWEST
    stays = Stays.BEGINNING

    def store(self, group: Group, exists: Combinations, child: int, arrivals: Iterable[Entry]) -> None:
        group.store(child, arrivals)
        stored = group.stored[child]
        newest = stored[-1]
        stored.clear()
        stored.append(newest)

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
        if chosen is None:
            return []
        group.consume(self.consumed(exists, enumerate(chosen), len(group.stored) - 1))
        return [chosen]


def _newest(group: Group, exists: Combinations, new: Sequence[tuple[int, Entry]]) -> Combination | None:
    """The newest event of every operand, if they are a combination with something new in it."""
    arrivals = {(k, id(entry)) for k, entry in new}
    for each in exists.newest_of_each(group):
        chosen = exists.filled(group, each)
        if any((k, id(entry)) in arrivals for k, entry in parts(chosen)):
            return chosen
    return None
