"""Continuous context: every terminator is combined with all that is open, newest first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, zip_longest
from typing import Any

from .combinations import Combinations
from .context import Context
from .entry import AT, EVENT, SILENT, Combination, Entry
from .group import Group, discard
from .pairing import Ending, Pair, Pairing, Stored, Waiting, oriented


class _NewestFirst(Pairing):
    """An arrival with all events of the other operand, newest first."""

    def any_order(self, stored: tuple[Stored, Stored], child: int, arrivals: Sequence[Any]) -> list[Pair]:
        others = stored[1 - child]
        found = [oriented(child, arrival, other) for other in reversed(others) for arrival in arrivals]
        others.clear()
        stored[child].extend(arrivals)
        return found

    def in_order(self, firsts: Stored, endings: Sequence[Ending]) -> list[Pair]:
        used = 0
        found: list[Pair] = []
        for _, together in groupby(endings, key=lambda ending: ending.at):
            until = used
            for ending in together:
                found += [(first, ending.event) for first in reversed(firsts[used : ending.before])]
                until = max(until, ending.before)
            used = until
        del firsts[:used]
        return found

    def ended(self, firsts: Stored, before: int, event: Any) -> list[Pair]:
        taken = firsts[:before]
        del firsts[:before]
        return [(first, event) for first in reversed(taken)]

    def released(self, waiting: Waiting) -> list[Pair]:
        child = waiting.newest
        others = waiting.stored[1 - child]
        found = [oriented(child, waiting.stored[child][-1], other) for other in reversed(others)]
        others.clear()
        return found


class Continuous(Context):
    """A terminator with the newest events that make a combination with it, again and again (H4, H5, Q1, Q2).

    Terminators of one time point share their partners, which are consumed after the last of them.
    """

    name = "continuous"
    preference = "the newest events before the one that ends it are taken, each once"
    pairing: Pairing | None = _NewestFirst()

    def on_arrival(
        self, group: Group, exists: Combinations, child: int, arrivals: Sequence[Entry]
    ) -> list[Combination]:
        if exists.ordered:
            return self.on_release(group, exists)
        return _with_arrivals(group, exists, child, arrivals)

    def on_release(self, group: Group, exists: Combinations) -> list[Combination]:
        if exists.ordered:
            return _of_terminators(group, exists)
        for child, arrival in reversed(
            group.still_fresh()
        ):  # the newest pending one that is in a combination
            found = _with_arrivals(group, exists, child, (arrival,))
            if found:
                return found
        return []


def _with_arrivals(
    group: Group, exists: Combinations, child: int, arrivals: Sequence[Entry]
) -> list[Combination]:
    """Arrivals of a conjunction, which stay."""
    # Round by round, in each round the arrivals in order (C1).
    if not exists.constrained:
        return _in_rounds(group, exists, child, arrivals)
    rounds = zip_longest(*(_repetitions(group, exists, child, arrival) for arrival in arrivals))
    found = [chosen for each in list(rounds) for chosen in each if chosen is not None]
    used = {
        (k, id(entry)): (k, entry)  # one entry may stand in several operands
        for chosen in found
        for k, entry in enumerate(chosen)
        if k != child
    }
    group.consume(used.values())
    return found


def _in_rounds(
    group: Group, exists: Combinations, child: int, arrivals: Sequence[Entry]
) -> list[Combination]:
    """Without constraints all arrivals have the same partners, which are consumed after the last of them (H4)."""
    found: list[Combination] = []
    first, *others = arrivals
    while (chosen := exists.newest(group, group.stored, child, first, repeated=bool(found))) is not None:
        found.append(chosen)
        found += [(*chosen[:child], other, *chosen[child + 1 :]) for other in others]
        group.consume((k, entry) for k, entry in enumerate(chosen) if k != child)
    return found


def _of_terminators(group: Group, exists: Combinations) -> list[Combination]:
    """Terminators oldest first, those of one time point together; they are consumed, too."""
    found: list[Combination] = []
    last = len(group.stored) - 1
    for batch in _batches(group, last):
        used: dict[tuple[int, int], tuple[int, Entry | None]] = {}
        for terminator in batch:
            for chain in _repetitions(group, exists, last, terminator):
                found.append(chain)
                used.update(((k, id(entry)), (k, entry)) for k, entry in enumerate(chain))
        group.consume(used.values())
    return found


def _batches(group: Group, last: int) -> Iterator[Sequence[Entry]]:
    """The terminators of each time point; a silent one that takes the place of one consumed meanwhile, too (C5)."""
    owner = None if group.owners is None else group.owners[last]
    if owner is None or not owner.refills:
        for _, batch in groupby(list(group.stored[last]), key=lambda entry: entry[AT]):
            yield list(batch)
        return
    seen: dict[int, Entry] = {}
    while waiting := [entry for entry in group.stored[last] if id(entry) not in seen]:
        together = [entry for entry in waiting if entry[AT] == waiting[0][AT]]
        seen.update((id(entry), entry) for entry in together)
        yield together


def _repetitions(group: Group, exists: Combinations, child: int, terminator: Entry) -> Iterator[Combination]:
    """The combinations of one terminator, each against what the former ones have left over."""
    leave = _left_until_the_last if exists.constrained else _left_with_what_follows
    pools = [list(entries) for entries in group.stored]
    repeated = False
    while (chosen := exists.newest(group, pools, child, terminator, repeated=repeated)) is not None:
        yield chosen
        repeated = True
        partners = [(k, entry) for k, entry in enumerate(chosen) if k != child and entry is not None]
        pools = leave(group, pools, partners)


def _left_until_the_last(
    group: Group, pools: list[list[Entry]], partners: Sequence[tuple[int, Entry]]
) -> list[list[Entry]]:
    """What a combination leaves over where there are constraints: what takes the place of what is consumed is not there
    before the last terminator of the time point is through (C4, Z2); a silent partner does for several (C5)."""
    for k, entry in partners:
        if entry[SILENT]:
            continue
        if group.shared:  # S1: in all operands
            pools = [[one for one in pool if one[EVENT] is not entry[EVENT]] for pool in pools]
        else:
            discard(pools[k], entry)
    return pools


def _left_with_what_follows(
    group: Group, pools: list[list[Entry]], partners: Sequence[tuple[int, Entry]]
) -> list[list[Entry]]:
    """The same where there are none: what takes the place of what is consumed is there at once (M5)."""
    for k, entry in partners:
        discard(pools[k], entry)
    for k, entry in partners:
        silent = group.successor(k, entry, pools[k])
        if silent is not None:
            pools[k].append(silent)
    return pools
