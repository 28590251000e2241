"""Continuous context: every terminator is combined with all that is open, newest first."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import groupby

from .combinations import Combinations
from .context import Context, Stays, Takes
from .entry import AT, EVENT, Combination, Entry
from .group import Group, discard


class Continuous(Context):
    """A terminator with the newest events that make a combination with it, again and again (Q1).

    Terminators of one time point share their partners, which are consumed after the last of them. At a release each
    arrival that has waited is one, with what was there when it came.
    """

    name = "continuous"
    preference = "the newest events before the one that ends it are taken, each once"
    takes = Takes.NEWEST_FIRST
    stays = Stays.ARRIVAL

    def on_arrival(
        self, group: Group, exists: Combinations, child: int, arrivals: Sequence[Entry]
    ) -> list[Combination]:
        if exists.ordered:
            return self._of_terminators(group, exists)
        return self._with(group, exists, child, arrivals)

    def on_release(self, group: Group, exists: Combinations) -> list[Combination]:
        if exists.ordered:
            return self._of_terminators(group, exists)
        waiting = group.still_fresh()
        later = {(k, id(entry)) for k, entry in waiting}
        found: list[Combination] = []
        for (child, _), together in groupby(waiting, key=lambda one: (one[0], one[1][AT])):
            arrivals = [entry for _, entry in together]
            later.difference_update((child, id(entry)) for entry in arrivals)
            found += self._with(group, exists, child, arrivals, later)
        return found

    def _of_terminators(self, group: Group, exists: Combinations) -> list[Combination]:
        """Terminators oldest first, those that end together at once, at last nothing where that may be (M5)."""
        last = len(group.stored) - 1
        batches: list[list[Entry | None]] = [
            list(together) for _, together in groupby(group.stored[last], key=group.end)
        ]
        if last in exists.optional:
            batches.append([None])
        return [chosen for batch in batches for chosen in self._with(group, exists, last, batch)]

    def _with(
        self,
        group: Group,
        exists: Combinations,
        child: int,
        terminators: Sequence[Entry | None],
        later: Collection[tuple[int, int]] = (),
    ) -> list[Combination]:
        """The combinations of these, which share their partners, those ``later`` left aside; what is consumed is
        consumed after the last."""
        found: list[Combination] = []
        used: dict[tuple[int, int], tuple[int, Entry]] = {}
        for terminator in terminators:
            for each in _repetitions(group, exists, child, terminator, later):
                chosen = exists.filled(group, each)
                found.append(chosen)
                for k, entry in self.consumed(exists, enumerate(chosen), child):
                    if entry is not None:
                        used[k, id(entry)] = (k, entry)  # one entry may stand in several operands
        group.consume(used.values())
        return found


def _repetitions(
    group: Group,
    exists: Combinations,
    child: int,
    terminator: Entry | None,
    later: Collection[tuple[int, int]],
) -> Iterator[Combination]:
    """The combinations of one terminator, each of what the former ones have left over."""
    pools = [list(entries) for entries in group.stored]
    if later:
        pools = [[one for one in pool if (k, id(one)) not in later] for k, pool in enumerate(pools)]
    repeated = False
    while (chosen := exists.newest(group, pools, child, terminator)) is not None:
        partners = [(k, entry) for k, entry in enumerate(chosen) if k != child and entry is not None]
        if partners or not repeated:
            yield chosen
        if not partners:
            return
        repeated = True
        for k, entry in partners:
            if group.shared:  # S1: in all operands
                pools = [[one for one in pool if one[EVENT] is not entry[EVENT]] for pool in pools]
            else:
                discard(pools[k], entry)
