"""Unrestricted context: every combination; nothing is consumed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .combinations import Combinations
from .context import Context
from .entry import Combination, Entry
from .group import Group


class Unrestricted(Context):
    """Every combination that has a new arrival in it (H4, H5); released: since the last release (D5, X7)."""

    name = "unrestricted"
    preference = "every combination is raised, nothing is used up"

    def on_arrival(
        self, group: Group, exists: Combinations, child: int, arrivals: Sequence[Entry]
    ) -> list[Combination]:
        return list(exists.every(group, child, arrivals))

    def on_release(self, group: Group, exists: Combinations) -> list[Combination]:
        return list(_with_fresh(group, exists))

    def is_possible(self, group: Group, exists: Combinations) -> bool:
        return exists.enough(group) and next(_with_fresh(group, exists), None) is not None


def _with_fresh(group: Group, exists: Combinations) -> Iterator[Combination]:
    fresh = {id(entry) for _, entry in group.still_fresh()}
    for chosen in exists.all_of(group):
        if any(id(entry) in fresh for entry in chosen):
            yield chosen
