"""Continuous context: every terminator is combined with all that is open, newest first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from .context import Context
from .group import AT, SILENT, Combination, Entry, Group, all_silent, discard
from .order import newest_chain


class Continuous(Context):
    """A terminator with the newest event of each other operand, again and again (H4, H5).

    Terminators of one time point share their partners, which are consumed after the last of them.
    """

    name = "continuous"

    def conjunction(self, group: Group, child: int, arrivals: Sequence[Entry]) -> list[Combination]:
        stored = group.stored
        others = [k for k in range(len(stored)) if k != child]
        found: list[Combination] = []
        while all(stored[k] for k in others):
            partners = [(k, stored[k][-1]) for k in others]
            if found and all(entry[SILENT] for _, entry in partners):
                break  # a repetition needs a partner that can run out (C5)
            for arrival in arrivals:
                found.append(tuple([arrival if k == child else s[-1] for k, s in enumerate(stored)]))
            group.consume(partners)
        return found

    def release_conjunction(self, group: Group) -> list[Combination]:
        pending = group.still_fresh()
        if not pending:
            return []
        child, terminator = pending[-1]
        return self.conjunction(group, child, [terminator])

    def sequence(self, group: Group, child: int, arrivals: Sequence[Entry]) -> list[Combination]:
        return self.release_sequence(group)

    def release_sequence(self, group: Group) -> list[Combination]:
        *before, last = group.stored
        if not all(before):
            return []
        found: list[Combination] = []
        for _, batch in groupby(list(last), key=lambda entry: entry[AT]):
            used: dict[int, tuple[int, Entry]] = {}
            for terminator in batch:
                for chain in _chains(group, terminator):
                    found.append(chain)
                    used.update((id(entry), (k, entry)) for k, entry in enumerate(chain))
            group.consume(used.values())
        return found


def _chains(group: Group, terminator: Entry) -> Iterator[Combination]:
    """The chains of one terminator, each against what the former ones have left over."""
    pools = [list(entries) for entries in group.stored[:-1]]
    repeated = False
    while (chain := newest_chain(pools, terminator)) is not None:
        partners = chain[:-1]
        if all_silent(chain) or (repeated and all_silent(partners)):
            return
        yield chain
        repeated = True
        for k, entry in enumerate(partners):
            discard(pools[k], entry)
        for k, entry in enumerate(partners):
            silent = group.successor(k, entry, pools[k])
            if silent is not None:
                pools[k].append(silent)
