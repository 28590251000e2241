"""Which combinations of stored events there are: what a context chooses among (rules H4, H5, Q1).

A context asks these questions and knows no operator; what joins operands (nothing, their order, constraints)
answers them and knows no context.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from itertools import product
from operator import itemgetter
from typing import TypeAlias

from .constraints.constraint import Objection
from .entry import SILENT, Combination, Entry, all_silent
from .group import Group

Stores: TypeAlias = Sequence[Sequence[Entry]]
Pools: TypeAlias = Stores
_FIRST = itemgetter(0)


class Combinations(ABC):
    """The combinations that the stored events of a group make: one event of each operand, or of enough of them.

    A combination of nothing but silent empties is none (M5). ``ordered`` says that only an event of the last operand
    ends a combination (H5); otherwise any arrival does (H4). ``constrained`` says that not every choice is one (Z1).
    """

    ordered = False
    constrained = True
    asks_whole = False
    """Whether `admits` may say no."""
    window: tuple[int, int] | None = None
    """How far apart the events of a combination may be, if that is limited, and by which measure (W3)."""

    def enough(self, group: Group) -> bool:
        """Whether so many operands have events that there can be a combination."""
        return all(group.stored)

    @abstractmethod
    def oldest(self, group: Group, terminator: Entry | None = None) -> Combination | None:
        """Operand by operand the oldest event that can be extended to a combination; one that ends with
        ``terminator`` if that is given."""

    @abstractmethod
    def newest(
        self, group: Group, pools: Pools, child: int, terminator: Entry, *, repeated: bool = False
    ) -> Combination | None:
        """``terminator`` as operand ``child``'s; from the last operand to the first the newest event in ``pools``
        that can be extended to a combination; ``repeated``: to one with a partner that is not silent (C5)."""

    @abstractmethod
    def newest_of_each(self, group: Group, child: int, arrival: Entry | None) -> Combination | None:
        """The newest event of every operand, if these are a combination (recent)."""

    @abstractmethod
    def every(self, group: Group, child: int, arrivals: Sequence[Entry]) -> Iterator[Combination]:
        """All combinations in which operand ``child``'s event is one of ``arrivals`` (C1: terminators oldest first;
        for each the combinations in lexicographic order of the operands' stored order)."""

    @abstractmethod
    def all_of(self, group: Group) -> Iterator[Combination]:
        """All combinations, in the order of `every`."""

    @abstractmethod
    def members(self, group: Group) -> list[list[Entry]] | None:
        """For each operand the events that are part of some combination; None if there is none."""

    def any_with_both(self, group: Group, one: tuple[int, Entry], other: tuple[int, Entry]) -> bool:
        """Whether two events, each with its operand, are part of one combination, whatever is asked of the whole."""
        return any(
            all(combination[k] is entry for k, entry in (one, other)) for combination in self.all_of(group)
        )

    @abstractmethod
    def any_with(self, group: Group, child: int, entry: Entry) -> bool:
        """Whether operand ``child``'s event is part of some combination."""

    def width(self, group: Group) -> int:
        """How many events a combination has."""
        return len(group.stored)

    @abstractmethod
    def goes_on(self, group: Group, chosen: Sequence[Entry | None]) -> bool:
        """Whether a run may have these, by operand (S2): a combination, or what satisfies the constraints as far as
        they can be asked (Z21)."""

    def against_run(self, group: Group, chosen: Sequence[Entry | None]) -> Objection | None:
        """Why a run may not have these, if something is to be said against them beside their number."""
        return None

    def admits(self, combination: Sequence[Entry | None]) -> bool:
        """What is asked of a combination as a whole (V6), or of all events of a cumulative composite."""
        return True

    def objection(self, group: Group) -> Objection | None:
        """Why the stored events are no combination although there are `enough`; None if they are, or nothing but
        their number speaks against it."""
        return None


class AnyOrder(Combinations):
    """Conjunction without constraints: every choice of one event of each operand (H4)."""

    constrained = False

    def oldest(self, group: Group, terminator: Entry | None = None) -> Combination | None:
        stored = group.stored
        return _counted(group, tuple(map(_FIRST, stored))) if all(stored) else None

    def newest(
        self, group: Group, pools: Pools, child: int, terminator: Entry, *, repeated: bool = False
    ) -> Combination | None:
        """The very newest: where these are silent a repetition ends (C1)."""
        chosen: list[Entry] = []
        for k, entries in enumerate(pools):
            if k == child:
                chosen.append(terminator)
            elif entries:
                chosen.append(entries[-1])
            else:
                return None
        if repeated and all_silent(partners(chosen, child)):
            return None
        return _counted(group, tuple(chosen))

    def newest_of_each(self, group: Group, child: int, arrival: Entry | None) -> Combination | None:
        if not all(group.stored):
            return None
        return _counted(group, tuple([entries[-1] for entries in group.stored]))

    def every(self, group: Group, child: int, arrivals: Sequence[Entry]) -> Iterator[Combination]:
        for arrival in arrivals:
            pools = [(arrival,) if k == child else entries for k, entries in enumerate(group.stored)]
            yield from _counting(group, pools)

    def all_of(self, group: Group) -> Iterator[Combination]:
        return _counting(group, group.stored)

    def members(self, group: Group) -> list[list[Entry]] | None:
        if not all(group.stored):
            return None
        found = [list(entries) for entries in group.stored]
        return None if all(map(all_silent, found)) else found

    def any_with(self, group: Group, child: int, entry: Entry) -> bool:
        pools = [[entry] if k == child else entries for k, entries in enumerate(group.stored)]
        return all(pools) and not all(map(all_silent, pools))

    def goes_on(self, group: Group, chosen: Sequence[Entry | None]) -> bool:
        return None in chosen or not all_silent(chosen)


def partners(combination: Sequence[Entry | None], child: int) -> list[Entry | None]:
    """All of it but operand ``child``'s."""
    return [entry for k, entry in enumerate(combination) if k != child]


def with_something(pools: Pools) -> Iterator[list[Sequence[Entry]]]:
    """The pools with one of them, each in turn, without what is silent. What is in one of these is not silent only, and
    whatever is not is in one of these: so it can be found without going through all that is."""
    for k, pool in enumerate(pools):
        left = [entry for entry in pool if not entry[SILENT]]
        if left:
            yield [*pools[:k], left, *pools[k + 1 :]]


def places(pools: Pools, combination: Sequence[Entry]) -> list[int]:
    """Where in their pools its entries stand."""
    return [
        next(place for place, one in enumerate(pool) if one is entry)
        for pool, entry in zip(pools, combination, strict=True)
    ]


def _counted(group: Group, combination: Combination) -> Combination | None:
    """The combination, unless it does not count (M5); only what owners raised can be silent."""
    return None if group.owners is not None and all_silent(combination) else combination


def _counting(group: Group, pools: Stores) -> Iterator[Combination]:
    for combination in product(*pools):
        if group.owners is None or not all_silent(combination):
            yield combination
