"""Order of events in a sequence: which stored events have a place in some chain (rules E5, Q1).

An event is before another if it ends before the other starts. An empty interval (start +inf, end -inf) is before and
after everything and is skipped, so chains are followed with the end of the nearest non-empty event before, or the
start of the nearest non-empty one behind.
"""

from __future__ import annotations

from .combinations import Stores
from .entry import Combination, Entry

_NEVER, _ALWAYS = float("inf"), float("-inf")


def in_chains(stores: Stores) -> list[list[Entry]]:
    """For each store the events that are part of some chain of one event of each, each before the next; none if there
    is no chain."""
    before, behind = _openings(stores), _deadlines(stores)
    if before is None or behind is None:
        return [[] for _ in stores]
    return [
        [e for e in store if e[0] > opening and e[1] < deadline and opening < deadline]
        for store, opening, deadline in zip(stores, before, behind, strict=True)
    ]


def oldest_chain(stores: Stores) -> Combination | None:
    """From the first store on the oldest event that can be extended to a chain."""
    bounds = _deadlines(stores)
    if bounds is None:
        return None
    chain, ended = [], _ALWAYS
    for store, deadline in zip(stores, bounds, strict=True):
        found = next((e for e in store if ended < e[0] and e[1] < deadline), None)
        if found is None:
            return None
        chain.append(found)
        ended = max(ended, found[1])
    return tuple(chain)


def newest_chain(stores: Stores) -> Combination | None:
    """From the last store on the newest event that can be extended to a chain."""
    bounds = _openings(stores)
    if bounds is None:
        return None
    chain, begun = [], _NEVER
    for store, opening in zip(reversed(stores), reversed(bounds), strict=True):
        found = next((e for e in reversed(store) if opening < e[0] and e[1] < begun), None)
        if found is None:
            return None
        chain.append(found)
        begun = min(begun, found[0])
    return tuple(reversed(chain))


def _deadlines(stores: Stores) -> list[float] | None:
    """For each store the time before which an event must end to be extensible to the last store.

    None when no chain through all the stores but the first can be extended.
    """
    bounds = [_NEVER] * len(stores)
    for k in range(len(stores) - 1, 0, -1):
        best = max((min(e[0], bounds[k]) for e in stores[k] if e[1] < bounds[k]), default=None)
        if best is None:
            return None
        bounds[k - 1] = best
    return bounds


def _openings(stores: Stores) -> list[float] | None:
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
