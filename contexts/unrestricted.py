"""Unrestricted context: every combination; nothing is consumed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from .context import Context
from .group import Combination, Entry, Group, all_silent
from .order import all_chains


class Unrestricted(Context):
    """Every combination that has a new arrival in it (H4, H5); released: since the last release (D5, X7)."""

    name = "unrestricted"

    def conjunction(self, group: Group, child: int, arrivals: Sequence[Entry]) -> list[Combination]:
        stored = group.stored
        found: list[Combination] = []
        for arrival in arrivals:
            pools = [(arrival,) if k == child else entries for k, entries in enumerate(stored)]
            found += product(*pools)
        return found

    def release_conjunction(self, group: Group) -> list[Combination]:
        fresh = _identities(group)
        return [chosen for chosen in product(*group.stored) if _touches(chosen, fresh)]

    def sequence(self, group: Group, child: int, arrivals: Sequence[Entry]) -> list[Combination]:
        stores = [arrivals if k == child else entries for k, entries in enumerate(group.stored)]
        return [
            chain
            for terminator in stores[-1]
            for chain in all_chains(stores[:-1], terminator)
            if not all_silent(chain)
        ]

    def release_sequence(self, group: Group) -> list[Combination]:
        return list(self._fresh_chains(group))

    def sequence_is_possible(self, group: Group) -> bool:
        return next(self._fresh_chains(group), None) is not None

    def _fresh_chains(self, group: Group) -> Iterator[Combination]:
        fresh = _identities(group)
        for terminator in group.stored[-1]:
            for chain in all_chains(group.stored[:-1], terminator):
                if _touches(chain, fresh):
                    yield chain


def _identities(group: Group) -> set[int]:
    return {id(entry) for _, entry in group.still_fresh()}


def _touches(combination: Combination, fresh: set[int]) -> bool:
    return any(id(entry) in fresh for entry in combination)
