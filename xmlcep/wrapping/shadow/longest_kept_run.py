"""The longest run of children that kept its order: what stays in a rearranged child list (E6: the rest is moved)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import TypeVar

Item = TypeVar("Item")


def longest_unchanged_run(before: Sequence[Item], after: Sequence[Item]) -> set[Item]:
    """The most items of ``before`` that are in ``after`` in the same order.

    >>> sorted(longest_unchanged_run("abcd", "bcxa"))
    ['b', 'c']
    """
    if list(before) == list(after):
        return set(after)
    old = {item: index for index, item in enumerate(before)}
    tails: list[int] = []  # tails[k]: least old index that ends an increasing run of k + 1
    ends: list[int] = []  # the index in `after` of that item
    previous: dict[int, int] = {}
    for index, item in enumerate(after):
        rank = old.get(item)
        if rank is None:
            continue
        length = bisect_left(tails, rank)
        if length:
            previous[index] = ends[length - 1]
        if length == len(tails):
            tails.append(rank)
            ends.append(index)
        else:
            tails[length] = rank
            ends[length] = index
    kept: set[Item] = set()
    at: int | None = ends[-1] if ends else None
    while at is not None:
        kept.add(after[at])
        at = previous.get(at)
    return kept
