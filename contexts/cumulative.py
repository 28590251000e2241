"""Cumulative context: everything there is, at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain

from .combinations import Combinations
from .context import Context, Stays, Takes
from .entry import FIRST, LAST, Combination, Entry
from .group import Group, discard


class Cumulative(Context):
    """One composite of all events that are part of some combination; all of them are consumed (Q1)."""

    name = "cumulative"
    preference = "everything that has come together is one finding"
    takes = Takes.ALL
    stays = Stays.NOTHING

    def on_arrival(
        self, group: Group, exists: Combinations, child: int, arrivals: Sequence[Entry]
    ) -> list[Combination]:
        return self.on_release(group, exists)

    def on_release(self, group: Group, exists: Combinations) -> list[Combination]:
        members = exists.members(group)
        if members is None:
            return []
        chosen = tuple(chain.from_iterable(members))
        if not exists.admits(chosen):
            return []
        taken = [(k, entry) for k, entries in enumerate(members) for entry in entries]
        group.consume(self.consumed(exists, taken, len(members) - 1))
        return [chosen]

    def is_possible(self, group: Group, exists: Combinations) -> bool:
        """What is asked of the whole has to be true of that (Q1)."""
        if not exists.asks_whole:
            return super().is_possible(group, exists)
        arrivals = group.still_fresh()
        members = exists.members(group) if arrivals else None
        return (
            members is not None
            and any(any(entry is one for one in members[k]) for k, entry in arrivals)
            and exists.admits(tuple(chain.from_iterable(members)))
        )

    def expire(self, group: Group, exists: Combinations, is_old: Callable[[Entry], bool]) -> None:
        old = [(k, entry) for k in range(len(group.stored)) for entry in group.oldest(k, is_old)]
        waits = exists.members(group) if group.fresh is not None and old else None
        for k, entry in old:
            # What waits for a release is all that has come together.
            if waits is None or not any(entry is one for one in waits[k]):
                discard(group.stored[k], entry)

    def overtaken(
        self, group: Group, exists: Combinations, new: Sequence[tuple[int, Entry]]
    ) -> list[tuple[int, Entry]]:
        """What is too old now that these have arrived, with its operand: it lies further back than the window from the
        latest event, and is in no combination with any of them (Q1)."""
        if exists.window is None:
            return []
        amount, unit = exists.window
        ends = (entry[LAST][unit] for entry in chain(*group.stored) if entry[LAST] is not None)
        begin = max(ends, default=0) - amount
        return [
            (k, entry)
            for k, stored in enumerate(group.stored)
            for entry in stored
            if entry[FIRST] is not None
            and entry[FIRST][unit] < begin
            and not any(exists.any_with_both(group, (k, entry), one) for one in new)
        ]
