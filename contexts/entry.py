"""An event as an operand stores it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, TypeAlias

# (start, end, at, event), and where windows or variables are about, also (first, last, bindings):
#   start, end   what "before" compares: its interval (E5) or, in detection order, its detection time twice;
#                an empty interval is (inf, -inf), which makes it in order with everything
#   at           the time point at which it was stored
#   event        the event itself, which no context looks into
#   first, last  the moments of its earliest and latest primitive event; None when it is empty
#   bindings     its variables: a value, or a tuple of values (V5)
# A plain tuple, because one is made for every stored event.
Entry: TypeAlias = tuple[Any, ...]
START, END, AT, EVENT, FIRST, LAST, BINDINGS = range(7)

Combination: TypeAlias = tuple[Any, ...]
"""One choice of stored events: of each operand one, None where an operand takes no part (S1, M5), or
`Several`; in cumulative context all that take part, in order of operand, then of arrival."""


class Several(tuple[Entry, ...]):
    """What a combination has of an operand of which all is taken along (A6)."""

    __slots__ = ()


def parts(combination: Iterable[Any]) -> Iterator[tuple[int, Entry]]:
    """The events of a combination, each with its operand."""
    for k, entry in enumerate(combination):
        if type(entry) is Several:
            for one in entry:
                yield k, one
        elif entry is not None:
            yield k, entry


EMPTY_START, EMPTY_END = float("inf"), float("-inf")


class Moment(NamedTuple):
    """Where a time point lies by each measure of a window (W2): its number, the time, the transaction."""

    ts: int
    time: int
    transaction: int


def primitive(at: int, event: object) -> Entry:
    """The entry of an event that happens at one time point."""
    return (at, at, at, event)


def composite(start: float | None, end: float | None, at: int, event: object) -> Entry:
    """The entry of an event with an interval; start and end are None when the interval is empty."""
    if start is None or end is None:
        return (EMPTY_START, EMPTY_END, at, event)
    return (start, end, at, event)
