"""Cumulative context: everything there is, at once."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from .combinations import Combinations
from .context import Context
from .entry import Combination, Entry
from .group import Group


class Cumulative(Context):
    """One composite of all events that are part of some combination; all of them are consumed (H4, H5, Q1)."""

    name = "cumulative"
    preference = "everything that has come together is one finding"
    batches = True

    def windows(self, opened: Sequence[Entry]) -> list[list[Entry]]:
        """All together."""
        return [list(opened)] if opened else []

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
        group.consume([(k, entry) for k, entries in enumerate(members) for entry in entries])
        return [chosen]
