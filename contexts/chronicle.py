"""Chronicle context: the oldest events first, each used once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .combinations import Combinations
from .context import Context
from .entry import Combination, Entry
from .group import Group
from .pairing import Ending, Pair, Pairing, Stored, Waiting


class _OldestPairs(Pairing):
    """Each arrival with the oldest event of the other operand."""

    def any_order(self, stored: tuple[Stored, Stored], child: int, arrivals: Sequence[Any]) -> list[Pair]:
        stored[child].extend(arrivals)
        return _zipped(*stored)

    def in_order(self, firsts: Stored, endings: Sequence[Ending]) -> list[Pair]:
        used = 0
        found: list[Pair] = []
        for ending in endings:
            if used < ending.before:
                found.append((firsts[used], ending.event))
                used += 1
        del firsts[:used]
        return found

    def ended(self, firsts: Stored, before: int, event: Any) -> list[Pair]:
        return [(firsts.pop(0), event)]

    def released(self, waiting: Waiting) -> list[Pair]:
        return _zipped(*waiting.stored)


def _zipped(firsts: Stored, seconds: Stored) -> list[Pair]:
    found = list(zip(firsts, seconds, strict=False))
    del firsts[: len(found)], seconds[: len(found)]
    return found


class Chronicle(Context):
    """The oldest event of every operand that can be extended to a combination; all of them are consumed."""

    name = "chronicle"
    preference = "the oldest events are taken first, each once"
    takes_oldest = True
    pairing: Pairing | None = _OldestPairs()

    def windows(self, opened: Sequence[Entry]) -> list[list[Entry]]:
        """The oldest."""
        return [[entry] for entry in opened[:1]]

    def on_arrival(
        self, group: Group, exists: Combinations, child: int, arrivals: Sequence[Entry]
    ) -> list[Combination]:
        found: list[Combination] = []
        if not (exists.constrained or exists.optional or group.shared):
            while (oldest := group.consume_oldest()) is not None:
                found.append(oldest)
            return found
        while (oldest := exists.oldest(group)) is not None:
            chosen = exists.filled(group, oldest)
            group.consume(enumerate(chosen))
            found.append(chosen)
        return found

    def on_release(self, group: Group, exists: Combinations) -> list[Combination]:
        return self.on_arrival(group, exists, 0, ())
