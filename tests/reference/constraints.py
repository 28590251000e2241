"""Constraints, each a question about one combination (Q1): order, relation, window, gap, contiguity, absence, having.

A combination is a list of entries in order of their operands. A run (S2) is one that is not complete yet: what cannot
be known of it is not asked (S2).
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import TYPE_CHECKING

from xmlcep.algebra import Order, Window

from .clock import Clock
from .events import Entry, interval, span

if TYPE_CHECKING:
    from .operators.operator import OperatorState

Combination = list[Entry]


def filled(combination: Combination) -> Combination:
    """Its members whose interval is not empty (E5)."""
    return [entry for entry in combination if not entry.empty]


def before(order: Order, first: Entry, second: Entry) -> bool:
    """Whether one lies before the other (E5, H2); with an empty interval it does (E5)."""
    one, other = interval(first.event), interval(second.event)
    if one is None or other is None:
        return True
    return first.time < second.time if order is Order.DETECTION else one[1] < other[0]


def in_order(order: Order, combination: Combination) -> bool:
    """Whether each member is before the next; members with an empty interval are skipped (Q1, E5)."""
    return all(before(order, a, b) for a, b in pairwise(filled(combination)))


def related(word: str, combination: Combination) -> bool:
    """R1, E5: the relation between the intervals of the two members."""
    one, other = (interval(entry.event) for entry in combination)
    if one is None or other is None:
        return word in ("before", "after")
    if word in INVERSES:
        word, one, other = INVERSES[word], other, one
    return RELATIONS[word](*one, *other)


RELATIONS = {
    "before": lambda a_start, a_end, b_start, b_end: a_end < b_start,
    "meets": lambda a_start, a_end, b_start, b_end: a_end == b_start,
    "overlaps": lambda a_start, a_end, b_start, b_end: a_start < b_start < a_end < b_end,
    "starts": lambda a_start, a_end, b_start, b_end: a_start == b_start and a_end < b_end,
    "during": lambda a_start, a_end, b_start, b_end: b_start < a_start and a_end < b_end,
    "finishes": lambda a_start, a_end, b_start, b_end: a_end == b_end and a_start > b_start,
    "equals": lambda a_start, a_end, b_start, b_end: a_start == b_start and a_end == b_end,
    "par": lambda a_start, a_end, b_start, b_end: a_start <= b_end and b_start <= a_end,
}
INVERSES = {
    "after": "before", "met-by": "meets", "overlapped-by": "overlaps", "started-by": "starts",
    "contains": "during", "finished-by": "finishes",
}  # fmt: skip


def within(clock: Clock, window: Window, entries: Iterable[Entry]) -> bool:
    """W3: between the first and the last primitive event no more than the window."""
    whole = span(entries)
    return whole is None or clock.fits(window, *whole)


def gaps(clock: Clock, window: Window, combination: Combination) -> bool:
    """W4: each member starts at most so much after the end of the one before it; empty ones are passed over (W3)."""
    spans = [found for entry in combination if (found := interval(entry.event)) is not None]
    return all(clock.fits(window, a[1], b[0]) for a, b in pairwise(spans))


def contiguous(operator: OperatorState, key: int | None, combination: Combination) -> bool:
    """S3: between two neighbours no primitive event happened at the place; flat: in the document."""
    spans = [found for entry in combination if (found := interval(entry.event)) is not None]
    return not any(
        a[1] < event.ts < b[0] and (operator.flat or key in event.ids)
        for a, b in pairwise(spans)
        for event in operator.around.history
    )
