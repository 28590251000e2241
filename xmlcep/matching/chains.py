"""What stays where it is in a list: its beginning and its end, and the heaviest chain of pairs that keeps the order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Pair(NamedTuple):
    """A place on the old side, one on the new side, and what it is worth to keep them together."""

    old: int
    new: int
    weight: float


def heaviest_chain(pairs: Sequence[Pair]) -> list[Pair]:
    """The pairs that ascend strictly on both sides and weigh most together, in ascending order.

    n log n in the number of pairs.

    >>> chain = heaviest_chain([Pair(0, 1, 5), Pair(1, 0, 2), Pair(2, 2, 1), Pair(3, 0, 3)])
    >>> [(old, new) for old, new, _ in chain]
    [(0, 1), (2, 2)]
    """
    if _ascends(pairs):
        return list(pairs)
    # By old place; of one old place the greatest new place first, so that it is not followed by itself.
    ordered = sorted(pairs, key=lambda pair: (pair[0], -pair[1]))
    ranks = {new: rank for rank, new in enumerate(sorted({pair[1] for pair in ordered}), 1)}
    size = len(ranks)
    best = [0.0] * (size + 1)  # a Fenwick tree: the greatest weight of a chain that ends at or before a rank
    ends = [-1] * (size + 1)  # and the pair that chain ends with
    before = [-1] * len(ordered)
    total, last = 0.0, -1
    for index, (_, new, weight) in enumerate(ordered):
        rank = ranks[new]
        reached, end = 0.0, -1
        at = rank - 1
        while at > 0:
            if best[at] > reached:
                reached, end = best[at], ends[at]
            at &= at - 1
        before[index] = end
        reached += weight
        if reached > total:
            total, last = reached, index
        at = rank
        while at <= size:
            if best[at] < reached:
                best[at], ends[at] = reached, index
            at += at & -at
    chain = []
    while last >= 0:
        chain.append(ordered[last])
        last = before[last]
    chain.reverse()
    return chain


def _ascends(pairs: Sequence[Pair]) -> bool:
    """Whether all pairs are a chain as they are, the frequent case."""
    old = new = -1
    for pair in pairs:
        if pair[0] <= old or pair[1] <= new:
            return False
        old, new = pair[0], pair[1]
    return True


def differing(old: Sequence[object], new: Sequence[object]) -> tuple[int, int, int]:
    """Where two lists differ: from which index on, and up to which (not included) in each.

    >>> differing("abcd", "axyd"), differing("abc", "ac"), differing("ab", "ab")
    ((1, 3, 3), (1, 2, 1), (2, 2, 2))
    """
    shorter = min(len(old), len(new))
    first = 0
    while first < shorter and old[first] == new[first]:
        first += 1
    equal = 0
    while equal < shorter - first and old[-1 - equal] == new[-1 - equal]:
        equal += 1
    return first, len(old) - equal, len(new) - equal
