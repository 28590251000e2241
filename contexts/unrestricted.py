"""Unrestricted context: every combination; nothing is consumed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from .combinations import Combinations
from .context import Context
from .entry import Combination, Entry, parts
from .group import Group
from .pairing import Ending, Pair, Pairing, Stored, Waiting


class _EveryPair(Pairing):
    """Each arrival with every event of the other operand; all of them stay."""

    def any_order(self, stored: tuple[Stored, Stored], child: int, arrivals: Sequence[Any]) -> list[Pair]:
        stored[child].extend(arrivals)
        firsts, seconds = (stored[0], arrivals) if child else (arrivals, stored[1])
        return [(first, second) for first in firsts for second in seconds]

    def in_order(self, firsts: Stored, endings: Sequence[Ending]) -> list[Pair]:
        return [(first, ending.event) for ending in endings for first in firsts[: ending.before]]

    def ended(self, firsts: Stored, before: int, event: Any) -> list[Pair]:
        return [(first, event) for first in firsts[:before]]

    def released(self, waiting: Waiting) -> list[Pair]:
        (firsts, seconds), (told, told_second) = waiting.stored, waiting.told
        return [
            (first, second)
            for place, first in enumerate(firsts)
            for second in (seconds if place >= told else seconds[told_second:])
        ]


class Unrestricted(Context):
    """Every combination that has a new arrival in it (Q1); released: since the last release (D5)."""

    name = "unrestricted"
    preference = "every combination is raised, nothing is consumed"
    keeps = True
    pairing: Pairing | None = _EveryPair()

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
