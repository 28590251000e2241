"""Cumulative context: everything there is, at once."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from .context import Context
from .group import Combination, Entry, Group, all_silent
from .order import members


class Cumulative(Context):
    """One composite of all events that can take part; all of them are consumed (H4, H5)."""

    name = "cumulative"

    def conjunction(self, group: Group, child: int, arrivals: Sequence[Entry]) -> list[Combination]:
        return self.release_conjunction(group)

    def release_conjunction(self, group: Group) -> list[Combination]:
        if not all(group.stored):
            return []
        chosen = tuple(chain.from_iterable(group.stored))
        if all_silent(chosen):
            return []
        group.consume_all()
        return [chosen]

    def sequence(self, group: Group, child: int, arrivals: Sequence[Entry]) -> list[Combination]:
        return self.release_sequence(group)

    def release_sequence(self, group: Group) -> list[Combination]:
        if not all(group.stored):
            return []
        taking_part = members(group.stored)
        if taking_part is None:
            return []
        chosen = tuple(chain.from_iterable(taking_part))
        if all_silent(chosen):
            return []
        group.consume([(k, entry) for k, entries in enumerate(taking_part) for entry in entries])
        return [chosen]
