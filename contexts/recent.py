"""Recent context: the newest event of every operand; what can start a later combination stays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .context import Context
from .group import Combination, Entry, Group, all_silent
from .order import in_order


class Recent(Context):
    """Each operand keeps its newest event only; a newer one replaces it without consuming it (H4, H5, H7)."""

    name = "recent"
    one_by_one = True

    def store(self, group: Group, child: int, arrivals: Iterable[Entry]) -> None:
        stored = group.stored[child]
        for entry in arrivals:
            stored.clear()
            stored.append(entry)

    def conjunction(self, group: Group, child: int, arrivals: Sequence[Entry]) -> list[Combination]:
        if not all(group.stored):
            return []
        chosen = _newest(group)
        return [] if all_silent(chosen) else [chosen]

    def release_conjunction(self, group: Group) -> list[Combination]:
        return self.conjunction(group, 0, ())

    def sequence(self, group: Group, child: int, arrivals: Sequence[Entry]) -> list[Combination]:
        if not all(group.stored):
            return []
        chosen = _newest(group)
        if all_silent(chosen) or not in_order(chosen):
            return []
        # The first operand's event can start a later combination, the others cannot (H5).
        group.consume([(k, entry) for k, entry in enumerate(chosen) if k])
        return [chosen]

    def release_sequence(self, group: Group) -> list[Combination]:
        return self.sequence(group, 0, ())

    def sequence_is_possible(self, group: Group) -> bool:
        return all(group.stored) and bool(group.still_fresh()) and in_order(_newest(group))


def _newest(group: Group) -> Combination:
    return tuple([entries[-1] for entries in group.stored])
