"""What an operator has stored for one group, and how consumption is told (rules H1, H7)."""

from __future__ import annotations

from bisect import insort_right
from collections.abc import (
    Callable,
    Collection,
    Hashable,
    Iterable,
    Iterator,
    Mapping,
    MutableSequence,
    Sequence,
)
from itertools import takewhile
from operator import itemgetter
from types import MappingProxyType
from typing import Protocol

from .entry import END, EVENT, Entry, Several
from .runs import Runs


class Owner(Protocol):
    """Whoever raised the events that an operand stores, as far as it wants to know what becomes of them."""

    def consumed(self, entry: Entry) -> None:
        """An event of it was consumed (H7, M3)."""


class Store(Protocol):
    """What an operand of which all is taken along has, by group."""

    def of(self, key: Hashable) -> list[Entry]:
        """What there is for a group."""

    def take_out(self, key: Hashable, events: Iterable[object]) -> list[Entry]:
        """Takes the entries of these very events out; returns those that were there."""


NO_STORES: Mapping[int, Store] = MappingProxyType({})


class Group:
    """The stored events of one group: ``stored[k]`` are operand k's, oldest first; of an operand in ``collected`` they
    are there (A6). Places in ``collected`` behind these are of what is taken along at the end (A7).

    ``key`` is the group's (H1). ``fresh`` are, for a deferred operator, the arrivals since the last release (D2), with
    their operand; None if there are none. ``owners[k]`` is told of the consumption of operand k's events; ``owners``
    is None when nobody is. ``runs`` are those of context next (S2). ``shared`` says that one event may be in two
    operands and, consumed in one, is consumed in all (Q1). ``end`` says when an event ends, by which they are ordered;
    ``in_order`` that they come in that order. ``expiry`` is when the oldest event will be too old (G4), if somebody
    looks after that; ``aging`` are the operands whose events begin in the order in which they are stored.
    """

    __slots__ = (
        "aging",
        "collected",
        "end",
        "expiry",
        "fresh",
        "in_order",
        "key",
        "now",
        "owners",
        "runs",
        "shared",
        "stored",
    )

    def __init__(
        self,
        stored: list[MutableSequence[Entry]],
        owners: tuple[Owner | None, ...] | None = None,
        key: Hashable = 0,
        shared: bool = False,
        aging: Collection[int] = (),
        end: Callable[[Entry], float] = itemgetter(END),
        in_order: bool = True,
        collected: Mapping[int, Store] = NO_STORES,
    ) -> None:
        self.stored = stored
        self.aging = aging
        self.owners = owners
        self.key = key
        self.shared = shared
        self.end = end
        self.in_order = in_order
        self.collected = collected
        self.fresh: list[tuple[int, Entry]] | None = None
        self.runs: Runs | None = None
        self.expiry: int | None = None
        self.now = 0

    def store(self, child: int, arrivals: Iterable[Entry]) -> None:
        """Stores arrivals of operand ``child``, each behind what ends no later (Q1)."""
        if self.in_order:
            self.stored[child].extend(arrivals)
        else:
            for entry in arrivals:
                insort_right(self.stored[child], entry, key=self.end)

    def hold(self, child: int, arrivals: Iterable[Entry]) -> None:
        """Notes that these arrivals, stored in operand ``child``, have not been evaluated (D2)."""
        if self.fresh is None:
            self.fresh = []
        self.fresh += [(child, entry) for entry in arrivals]

    def is_empty(self) -> bool:
        """Whether nothing is stored."""
        return not any(self.stored)

    def oldest(self, k: int, is_old: Callable[[Entry], bool]) -> list[Entry]:
        """The events of operand k that are too old: where they age in their order, the first ones."""
        chosen = takewhile if k in self.aging else filter
        return list(chosen(is_old, self.stored[k]))

    def still_fresh(self) -> list[tuple[int, Entry]]:
        """The fresh arrivals that are still stored, in the order in which they came."""
        if self.fresh is None:
            return []
        stored = [set(map(id, entries)) for entries in self.all_stored()]  # this very entry, not an equal one
        return [(k, entry) for k, entry in self.fresh if id(entry) in stored[k]]

    def all_stored(self) -> Iterator[Sequence[Entry]]:
        """What is stored, by operand, with what is taken along."""
        for k, stored in enumerate(self.stored):
            yield self.collected[k].of(self.key) if k in self.collected else stored

    def consume(self, taken: Iterable[tuple[int, Entry | None]]) -> None:
        """Takes these events out of their operands' stores, then tells their owners (H7)."""
        stores, owners, collected, consumed = self.stored, self.owners, self.collected, []
        along: dict[int, list[Entry]] = {}
        for k, entry in self._in_all_operands(taken) if self.shared else taken:
            if entry is None:
                continue
            if collected and k in collected:
                along.setdefault(k, []).extend(entry if type(entry) is Several else (entry,))
                continue
            stored = stores[k]
            if stored and stored[0] is entry:  # as in most contexts
                del stored[0]
            else:
                discard(stored, entry)
            if owners is not None and owners[k] is not None:
                consumed.append((k, entry))
        if along:
            consumed += self._take_out(along)
        if consumed:
            self.tell(consumed)

    def consume_along(self, taken: Iterable[tuple[int, Entry]]) -> None:
        """Takes these events out of what is taken along only, then tells the owners of that (H7)."""
        along: dict[int, list[Entry]] = {}
        for k, entry in self._in_all_operands(taken) if self.shared else taken:
            if k in self.collected:
                along.setdefault(k, []).append(entry)
        self.tell(self._take_out(along))

    def _take_out(self, along: Mapping[int, Sequence[Entry]]) -> list[tuple[int, Entry]]:
        return [
            (k, entry)
            for k, entries in along.items()
            for entry in self.collected[k].take_out(self.key, [each[EVENT] for each in entries])
        ]

    def _in_all_operands(self, taken: Iterable[tuple[int, Entry | None]]) -> list[tuple[int, Entry]]:
        """S1: an event consumed in one operand is consumed in all."""
        chosen = [
            (k, one)
            for k, entry in taken
            if entry is not None
            for one in (entry if type(entry) is Several else (entry,))
        ]
        events = {id(entry[EVENT]) for _, entry in chosen}
        beyond = [(k, along.of(self.key)) for k, along in self.collected.items() if k >= len(self.stored)]
        others = [
            (k, entry)
            for k, stored in (*enumerate(self.all_stored()), *beyond)
            for entry in stored
            if id(entry[EVENT]) in events and not any(entry is one for j, one in chosen if j == k)
        ]
        return chosen + others

    def tell(self, taken: Iterable[tuple[int, Entry]]) -> None:
        """Tells the owners that these are consumed (H7)."""
        owners = self.owners
        if owners is not None:
            for k, entry in taken:
                owner = owners[k]
                if owner is not None:
                    owner.consumed(entry)


def discard(stored: MutableSequence[Entry], entry: Entry) -> bool:
    """Takes this very entry (not an equal one) out of the store, if it is there; says whether it was."""
    if stored and stored[-1] is entry:  # continuous context takes the newest
        stored.pop()
        return True
    for index, other in enumerate(stored):
        if other is entry:
            del stored[index]
            return True
    return False
