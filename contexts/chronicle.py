"""Chronicle context: the oldest events first, each used once."""

from __future__ import annotations

from collections.abc import Sequence

from .context import Context
from .group import Combination, Entry, Group, all_silent
from .order import oldest_chain


class Chronicle(Context):
    """The oldest event of every operand; all of them are consumed (H4, H5)."""

    name = "chronicle"

    def conjunction(self, group: Group, child: int, arrivals: Sequence[Entry]) -> list[Combination]:
        stored = group.stored
        found: list[Combination] = []
        while all(stored):
            chosen = tuple([entries[0] for entries in stored])
            if group.owners is not None and all_silent(chosen):
                break
            found.append(chosen)
            group.consume(enumerate(chosen))
        return found

    def release_conjunction(self, group: Group) -> list[Combination]:
        return self.conjunction(group, 0, ())

    def sequence(self, group: Group, child: int, arrivals: Sequence[Entry]) -> list[Combination]:
        *before, last = group.stored
        found: list[Combination] = []
        position = 0
        while position < len(last):
            chain = oldest_chain(before, last[position])
            if chain is None or (group.owners is not None and all_silent(chain)):
                position += 1
                continue
            group.consume(enumerate(chain))
            found.append(chain)
        return found

    def release_sequence(self, group: Group) -> list[Combination]:
        return self.sequence(group, 0, ())
