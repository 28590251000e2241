"""Unrestricted context: every combination; nothing is consumed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .combinations import Combinations
from .context import Context, Stays, Takes
from .entry import Combination, Entry, parts
from .group import Group


class Unrestricted(Context):
    """Every combination that has a new arrival in it (Q1); released: since the last release (D5)."""

    name = "unrestricted"
    preference = "every combination is raised, nothing is consumed"
    takes = Takes.EVERY
    stays = Stays.EVERYTHING

    def on_arrival(
        self, group: Group, exists: Combinations, child: int, arrivals: Sequence[Entry]
    ) -> list[Combination]:
        return [exists.filled(group, chosen) for chosen in exists.every(group, child, arrivals)]

    def on_release(self, group: Group, exists: Combinations) -> list[Combination]:
        return list(_with_fresh(group, exists))

    def is_possible(self, group: Group, exists: Combinations) -> bool:
        return exists.enough(group) and next(_with_fresh(group, exists), None) is not None


def _with_fresh(group: Group, exists: Combinations) -> Iterator[Combination]:
    fresh = {(k, id(entry)) for k, entry in group.still_fresh()}
    for each in exists.all_of(group):
        chosen = exists.filled(group, each)
        if any((k, id(entry)) in fresh for k, entry in parts(chosen)):
            yield chosen
