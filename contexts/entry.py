"""An event as an operand stores it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, TypeAlias

# (start, end, at, event, silent), and where windows or variables are about, also (first, last, bindings):
#   start, end   what "before" compares: its interval (E5) or, in detection order, its detection time twice;
#                an empty interval is (inf, -inf), which makes it in order with everything
#   at           the time point at which it was stored
#   event        the event itself, which no context looks into
#   silent       whether it is a silent empty composite (M5)
#   first, last  the moments of its earliest and latest primitive event; None when it is empty
#   bindings     its variables: a value, or a tuple of values (V5)
# A plain tuple, because one is made for every stored event.
Entry: TypeAlias = tuple[Any, ...]
START, END, AT, EVENT, SILENT, FIRST, LAST, BINDINGS = range(8)

Combination: TypeAlias = tuple[Any, ...]
"""One choice of stored events: of each operand one, or None where an operand takes no part (S1); or, in cumulative
context, all that take part, in order of operand, then of arrival."""

EMPTY_START, EMPTY_END = float("inf"), float("-inf")


class Moment(NamedTuple):
    """Where a time point lies by each measure of a window (W2): its number, the time, the transaction."""

    ts: int
    time: int
    transaction: int


def primitive(at: int, event: object) -> Entry:
    """The entry of an event that happens at one time point."""
    return (at, at, at, event, False)


def composite(
    start: float | None, end: float | None, at: int, event: object, *, silent: bool = False
) -> Entry:
    """The entry of an event with an interval; start and end are None when the interval is empty."""
    if start is None or end is None:
        return (EMPTY_START, EMPTY_END, at, event, silent)
    return (start, end, at, event, silent)


def all_silent(combination: Iterable[Entry | None]) -> bool:
    """Whether nothing but silent empty composites is in it; such a combination does not count (M5)."""
    for entry in combination:  # noqa: SIM110 - it is asked of every combination, and a generator costs more
        if entry is not None and not entry[SILENT]:
            return False
    return True
