"""Order of events in a sequence: which stored events form a chain (rules E5, Q1).

``before``: an event is before another if it ends before the other starts. An empty interval (start +inf, end
-inf) is before and after everything and is skipped, so chains are followed with the end of the nearest
non-empty event before, or the start of the nearest non-empty one behind.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Sequence as SequenceOf

from .combinations import Combinations, Stores
from .constraints.constraint import Objection
from .entry import EMPTY_START, END, START, Combination, Entry
from .group import Group

_NEVER, _ALWAYS = float("inf"), float("-inf")


def in_order(combination: Iterable[Entry]) -> bool:
    """Whether each event is before the next (empty intervals skipped)."""
    latest = _ALWAYS
    for entry in combination:
        if entry[0] <= latest:
            return False
        latest = max(latest, entry[1])
    return True


def deadlines(stores: Stores, start: float) -> list[float] | None:
    """For each store the time before which an event must end to be extensible to something at ``start``.

    None when no chain through all the stores but the first can be extended.
    """
    bounds = [start] * len(stores)
    for k in range(len(stores) - 1, 0, -1):
        best = max((min(e[0], bounds[k]) for e in stores[k] if e[1] < bounds[k]), default=None)
        if best is None:
            return None
        bounds[k - 1] = best
    return bounds


def openings(stores: Stores) -> list[float] | None:
    """For each store the time after which an event must start to have a chain from the first store before it.

    None when no chain through all the stores but the last exists.
    """
    bounds = [_ALWAYS] * len(stores)
    for k in range(len(stores) - 1):
        best = min((max(e[1], bounds[k]) for e in stores[k] if e[0] > bounds[k]), default=None)
        if best is None:
            return None
        bounds[k + 1] = best
    return bounds


def oldest_chain(stores: Stores, terminator: Entry) -> Combination | None:
    """One event per store, then ``terminator``: from the first store on the oldest that can be extended."""
    if len(stores) == 1:  # no events in between: the oldest that ends before the terminator
        for entry in stores[0]:
            if entry[1] < terminator[0]:
                return (entry, terminator)
        return None
    bounds = deadlines(stores, terminator[0])
    if bounds is None:
        return None
    chain = []
    latest = _ALWAYS
    for store, deadline in zip(stores, bounds, strict=True):
        found = next((e for e in store if e[1] < deadline and e[0] > latest), None)
        if found is None:
            return None
        chain.append(found)
        latest = max(latest, found[1])
    return (*chain, terminator)


def newest_chain(stores: Stores, terminator: Entry) -> Combination | None:
    """One event per store, then ``terminator``: from the last store on the newest that can be extended."""
    bounds = openings(stores)
    if bounds is None:
        return None
    chain = [terminator]
    earliest = terminator[0]
    for store, opening in zip(reversed(stores), reversed(bounds), strict=True):
        found = next((e for e in reversed(store) if e[1] < earliest and e[0] > opening), None)
        if found is None:
            return None
        chain.append(found)
        earliest = min(earliest, found[0])
    return tuple(reversed(chain))


def all_chains(stores: Stores, terminator: Entry) -> Iterator[Combination]:
    """Every choice of one event per store that is in order and ends before ``terminator``."""
    bounds = deadlines(stores, terminator[0])
    if bounds is not None:
        yield from _extend(stores, bounds, 0, _ALWAYS, terminator)


def _extend(
    stores: Stores, bounds: list[float], k: int, latest: float, terminator: Entry
) -> Iterator[Combination]:
    if k == len(stores):
        yield (terminator,)
        return
    for entry in stores[k]:
        if entry[1] < bounds[k] and entry[0] > latest:
            for rest in _extend(stores, bounds, k + 1, max(latest, entry[1]), terminator):
                yield (entry, *rest)


def members(stores: Stores) -> list[list[Entry]] | None:
    """For each store the events that are part of some chain through all stores; None if there is no chain."""
    before, behind = openings(stores), deadlines(stores, _NEVER)
    if before is None or behind is None:
        return None
    found = [
        [e for e in store if e[0] > opening and e[1] < deadline and opening < deadline]
        for store, opening, deadline in zip(stores, before, behind, strict=True)
    ]
    return found if all(found) else None


class Chains(Combinations):
    """A sequence without further constraints: chains of one event of each operand, each before the next (Q1)."""

    ordered = True

    def oldest(self, group: Group) -> Combination | None:
        stores = group.stored
        *before, last = stores
        if not all(stores):
            return None
        if len(before) == 1:
            latest = max([entry[0] for entry in last])
            for entry in before[0]:
                if entry[1] < latest:
                    end = entry[1]
                    return (entry, next(other for other in last if other[0] > end))
            return None
        bounds = deadlines(stores, _NEVER)
        if bounds is None:
            return None
        chain = []
        ended = _ALWAYS
        for store, deadline in zip(stores, bounds, strict=True):
            found = next((e for e in store if e[1] < deadline and e[0] > ended), None)
            if found is None:
                return None
            chain.append(found)
            ended = max(ended, found[1])
        return tuple(chain)

    def newest(self, group: Group, pools: Stores, child: int, terminator: Entry | None) -> Combination | None:
        assert terminator is not None
        return newest_chain(pools[:-1], terminator)

    def newest_of_each(self, group: Group) -> Iterator[Combination]:
        if all(group.stored):
            chosen = tuple([entries[-1] for entries in group.stored])
            if in_order(chosen):
                yield chosen

    def every(self, group: Group, child: int, arrivals: SequenceOf[Entry]) -> Iterator[Combination]:
        return _every([arrivals if k == child else entries for k, entries in enumerate(group.stored)])

    def all_of(self, group: Group) -> Iterator[Combination]:
        return _every(group.stored)

    def members(self, group: Group) -> list[list[Entry]] | None:
        if not all(group.stored):
            return None
        return members(group.stored)

    def any_with(self, group: Group, child: int, entry: Entry) -> bool:
        pools = [[entry] if k == child else entries for k, entries in enumerate(group.stored)]
        return any(oldest_chain(pools[:-1], terminator) is not None for terminator in pools[-1])

    def objection(self, group: Group) -> Objection | None:
        """The first two of the newest events that are not in order, if there is no chain."""
        if not all(group.stored) or members(group.stored) is not None:
            return None
        latest: Entry | None = None
        for entry in [entries[-1] for entries in group.stored if entries[-1][START] != EMPTY_START]:
            if latest is not None and entry[START] <= latest[END]:
                return Objection("wrong-order", (latest, entry))
            latest = entry
        return Objection("wrong-order", (() if latest is None else (latest,)))

    def goes_on(self, group: Group, chosen: SequenceOf[Entry | None]) -> bool:
        latest = _ALWAYS
        for entry in chosen:
            if entry is not None:
                if entry[0] <= latest:
                    return False
                if entry[1] > latest:
                    latest = entry[1]
        return True


def _every(stores: Stores) -> Iterator[Combination]:
    for terminator in stores[-1]:
        yield from all_chains(stores[:-1], terminator)
