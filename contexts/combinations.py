"""Which combinations of stored events there are: what a context chooses among (rules Q1).

A context asks these questions and knows no operator; what joins operands (nothing, their order, constraints)
answers them and knows no context.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Sequence
from itertools import product
from typing import TypeAlias

from .constraints.constraint import Objection
from .entry import Combination, Entry
from .group import Group

Stores: TypeAlias = Sequence[Sequence[Entry]]
Pools: TypeAlias = Sequence[Sequence[Entry | None]]
"""What there is to choose from, by operand; None stands for nothing of an operand that may be left out (M5)."""
_NOTHING: tuple[None] = (None,)


class Combinations(ABC):
    """The combinations that the stored events of a group make: one event of each operand, or of enough of them.

    ``ordered`` says that only an event of the last operand ends a combination (Q1); otherwise any arrival does (Q1).
    ``optional`` are the operands that may be left out where nothing of them fits (M5); a combination has None there.
    """

    ordered = False
    optional: Collection[int] = ()
    first = 0
    """The first operand of which an event is chosen."""
    asks_whole = False
    """Whether `admits` may say no."""
    window: tuple[int, int] | None = None
    """How far apart the events of a combination may be, if that is limited, and by which measure (W3)."""

    def enough(self, group: Group) -> bool:
        """Whether so many operands have events that there can be a combination."""
        if not self.optional:
            return all(group.stored)
        return any(group.stored) and all(
            stored or k in self.optional for k, stored in enumerate(group.stored)
        )

    def is_whole(self, chosen: Sequence[Entry | None]) -> bool:
        """Whether these, by operand, lack nothing that has to be there."""
        if not self.optional:
            return None not in chosen
        return all(entry is not None or k in self.optional for k, entry in enumerate(chosen))

    @abstractmethod
    def oldest(self, group: Group) -> Combination | None:
        """Operand by operand the oldest event that can be extended to a combination."""

    @abstractmethod
    def newest(self, group: Group, pools: Stores, child: int, terminator: Entry | None) -> Combination | None:
        """``terminator`` as operand ``child``'s; from the last operand to the first the newest event in ``pools``
        that can be extended to a combination."""

    @abstractmethod
    def newest_of_each(self, group: Group) -> Iterator[Combination]:
        """The newest event of every operand, if these are a combination; of operands that may be left out also nothing,
        where something newest does not fit (recent)."""

    @abstractmethod
    def every(self, group: Group, child: int, arrivals: Sequence[Entry]) -> Iterator[Combination]:
        """All combinations in which operand ``child``'s event is one of ``arrivals``, in lexicographic order of the
        operands' stored order; those of a sequence by their terminator (Q2)."""

    @abstractmethod
    def all_of(self, group: Group) -> Iterator[Combination]:
        """All combinations, in the order of `every`."""

    @abstractmethod
    def members(self, group: Group) -> list[list[Entry]] | None:
        """For each operand the events that are part of some combination; None if there is none."""

    def any_with_both(self, group: Group, one: tuple[int, Entry], other: tuple[int, Entry]) -> bool:
        """Whether two events, or one, each with its operand, are part of one combination, whatever is asked of the
        whole."""
        return any(
            all(combination[k] is entry for k, entry in (one, other)) for combination in self.all_of(group)
        )

    @abstractmethod
    def any_with(self, group: Group, child: int, entry: Entry) -> bool:
        """Whether operand ``child``'s event is part of some combination."""

    def filled(self, group: Group, chosen: Combination) -> Combination:
        """A combination with all that is taken along with it (A6)."""
        return chosen

    @abstractmethod
    def goes_on(self, group: Group, chosen: Sequence[Entry | None]) -> bool:
        """Whether a run may have these, by operand (S2): a combination, or what satisfies the constraints as far as
        they can be asked (S2)."""

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
    """Conjunction without constraints: every choice of one event of each operand (Q1)."""

    def __init__(self, optional: Collection[int] = ()) -> None:
        self.optional = optional

    def oldest(self, group: Group) -> Combination | None:
        if not self.enough(group):
            return None
        return tuple([entries[0] if entries else None for entries in group.stored])

    def newest(self, group: Group, pools: Stores, child: int, terminator: Entry | None) -> Combination | None:
        chosen: list[Entry | None] = []
        for k, entries in enumerate(pools):
            if k == child:
                chosen.append(terminator)
            elif entries:
                chosen.append(entries[-1])
            elif k in self.optional:
                chosen.append(None)
            else:
                return None
        return tuple(chosen)

    def newest_of_each(self, group: Group) -> Iterator[Combination]:
        if self.enough(group):
            yield tuple([entries[-1] if entries else None for entries in group.stored])

    def every(self, group: Group, child: int, arrivals: Sequence[Entry]) -> Iterator[Combination]:
        pools = self._pools(group)
        return product(*[arrivals if k == child else entries for k, entries in enumerate(pools)])

    def all_of(self, group: Group) -> Iterator[Combination]:
        return product(*self._pools(group))

    def _pools(self, group: Group) -> Pools:
        if not self.optional:
            return group.stored
        return [entries or (_NOTHING if k in self.optional else ()) for k, entries in enumerate(group.stored)]

    def members(self, group: Group) -> list[list[Entry]] | None:
        return [list(entries) for entries in group.stored] if self.enough(group) else None

    def any_with(self, group: Group, child: int, entry: Entry) -> bool:
        return all(stored or k == child or k in self.optional for k, stored in enumerate(group.stored))

    def goes_on(self, group: Group, chosen: Sequence[Entry | None]) -> bool:
        return True
