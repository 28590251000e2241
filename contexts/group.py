"""What an operator has stored for one group, and how consumption is told (rules H1, H7)."""

from __future__ import annotations

from collections.abc import Iterable, MutableSequence
from typing import Any, Protocol, TypeAlias

# An event as an operand stores it: (start, end, at, event, silent).
#   start, end   what "before" compares: its interval (E5) or, in detection order, its detection time twice;
#                an empty interval is (inf, -inf), which makes it in order with everything
#   at           the time point at which it was stored
#   event        the event itself, which no context looks into
#   silent       whether it is a silent empty composite (M5)
# A plain tuple, because one is made for every stored event.
Entry: TypeAlias = tuple[float, float, int, Any, bool]
START, END, AT, EVENT, SILENT = range(5)

# One choice of stored events, in order of operand, then of arrival.
Combination: TypeAlias = tuple[Entry, ...]

EMPTY_START, EMPTY_END = float("inf"), float("-inf")


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


class Owner(Protocol):
    """Whoever raised the events that an operand stores, as far as it wants to know what becomes of them."""

    def consumed(self, entry: Entry) -> None:
        """An event of it was consumed (H7, M3)."""

    def successor(self, entry: Entry, stored: Iterable[Entry], at: int) -> Entry | None:
        """The silent empty composite available once ``entry`` is gone from ``stored`` (M5), if any."""

    def available(self, silent: Entry) -> None:
        """A silent empty composite of it was stored."""


class Group:
    """The stored events of one group: ``stored[k]`` are operand k's, oldest first.

    ``fresh`` are, for a deferred operator, the arrivals since the last release (X1), with their operand;
    None if there are none. ``owners[k]`` is told of the consumption of operand k's events; ``owners`` is
    None when nobody is.
    """

    __slots__ = ("fresh", "now", "owners", "stored")

    def __init__(
        self, stored: list[MutableSequence[Entry]], owners: tuple[Owner | None, ...] | None = None
    ) -> None:
        self.stored = stored
        self.owners = owners
        self.fresh: list[tuple[int, Entry]] | None = None
        self.now = 0

    def hold(self, child: int, arrivals: Iterable[Entry]) -> None:
        """Notes that these arrivals, stored in operand ``child``, have not been evaluated (X1)."""
        if self.fresh is None:
            self.fresh = []
        self.fresh += [(child, entry) for entry in arrivals]

    def is_empty(self) -> bool:
        """Whether nothing is stored."""
        return not any(self.stored)

    def still_fresh(self) -> list[tuple[int, Entry]]:
        """The fresh arrivals that are still stored, in the order in which they came."""
        if self.fresh is None:
            return []
        stored = [set(map(id, entries)) for entries in self.stored]  # this very entry, not an equal one
        return [(k, entry) for k, entry in self.fresh if id(entry) in stored[k]]

    def consume(self, taken: Iterable[tuple[int, Entry]]) -> None:
        """Takes these events out of their operands' stores, then tells their owners (H7)."""
        taken = list(taken)
        for k, entry in taken:
            discard(self.stored[k], entry)
        if self.owners is not None:
            self._tell(taken)

    def consume_all(self) -> None:
        """Consumes everything that is stored."""
        if self.owners is None:
            for stored in self.stored:
                stored.clear()
        else:
            self.consume([(k, entry) for k, stored in enumerate(self.stored) for entry in stored])

    def successor(self, k: int, entry: Entry, remaining: Iterable[Entry]) -> Entry | None:
        """The silent empty composite that would take the place of operand k's ``entry`` (M5, C5)."""
        owner = self.owners[k] if self.owners is not None else None
        return owner.successor(entry, remaining, self.now) if owner is not None else None

    def _tell(self, taken: list[tuple[int, Entry]]) -> None:
        assert self.owners is not None
        for k, entry in taken:
            owner = self.owners[k]
            if owner is not None:
                owner.consumed(entry)
        for k, entry in taken:
            silent = self.successor(k, entry, self.stored[k])
            owner = self.owners[k]
            if silent is not None and owner is not None:
                self.stored[k].append(silent)
                owner.available(silent)


def discard(stored: MutableSequence[Entry], entry: Entry) -> bool:
    """Takes this very entry (not an equal one) out of the store, if it is there; says whether it was."""
    if stored and stored[-1] is entry:  # continuous context takes the newest, the others mostly the oldest
        stored.pop()
        return True
    for index, other in enumerate(stored):
        if other is entry:
            del stored[index]
            return True
    return False


def all_silent(combination: Iterable[Entry]) -> bool:
    """Whether nothing but silent empty composites is in it; such a combination does not count (M5)."""
    return all(entry[SILENT] for entry in combination)
