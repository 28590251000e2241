"""Which combinations of stored events there are: what a context chooses among (rules Q1, Q5).

A context asks these questions and knows no operator; what joins operands (nothing, their order, constraints)
answers them and knows no context.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TypeAlias

from .constraints.absence import Absence
from .constraints.constraint import REFUSED, Constraint, Objection, State
from .constraints.window import Within
from .entry import Combination, Entry, parts
from .group import Group

Stores: TypeAlias = Sequence[Sequence[Entry]]
Pools: TypeAlias = Sequence[Sequence[Entry | None]]
"""What there is to choose from, by operand; None stands for nothing of an operand that may be left out (M5)."""
Admit: TypeAlias = Callable[[Sequence[Entry]], bool]
"""What is asked of a combination as a whole (V6)."""


class SearchLimitError(Exception):
    """More combinations were tried for one arrival than the limit allows (Q5)."""


class Tries:
    """How many combinations have been asked as a whole since ``begin``; above ``limit`` that is an error (Q5)."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.count = 0

    def begin(self) -> None:
        """A new arrival."""
        self.count = 0

    def one(self) -> None:
        """One more."""
        self.count += 1
        if self.count > self.limit:
            raise SearchLimitError(self.limit)


class Combinations(ABC):
    """The combinations that the stored events of a group make: one event of each operand, or of enough of them, that
    satisfy all ``constraints`` and ``admit``, which is asked of the whole.

    Of a run ``admit`` is asked as soon as it has the operands ``binders`` (S2). ``ordered`` says that only an event of
    the last operand ends a combination; otherwise any arrival does (Q1). ``optional`` are the operands that may be left
    out where nothing of them fits (M5); a combination has None there.
    """

    ordered = False
    optional: Collection[int] = ()
    first = 0
    """The first operand of which an event is chosen."""
    compared: Sequence[Absence] = ()
    """What stands aside by an expression about the whole (A8)."""
    window: tuple[int, int] | None = None
    """How far apart the events of a combination may be, if that is limited, and by which measure (W3)."""

    def __init__(
        self, constraints: Sequence[Constraint], *, admit: Admit | None = None, tries: Tries,
        binders: Collection[int] = (),
    ) -> None:  # fmt: skip
        self.constraints = tuple(constraints)
        self._admit = admit
        self.asks_whole = admit is not None
        self._binders = tuple(binders)
        self.tries = tries
        for constraint in self.constraints:
            if isinstance(constraint, Within):
                self.window = (constraint.amount, constraint.unit)

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

    @abstractmethod
    def any_with_both(self, group: Group, one: tuple[int, Entry], other: tuple[int, Entry]) -> bool:
        """Whether two events, or one, each with its operand, are part of one combination, whatever is asked of the
        whole."""

    @abstractmethod
    def any_with(self, group: Group, child: int, entry: Entry) -> bool:
        """Whether operand ``child``'s event is part of some combination."""

    def filled(self, group: Group, chosen: Combination) -> Combination:
        """A combination with all that is taken along with it (A6)."""
        return chosen

    def goes_on(self, group: Group, chosen: Sequence[Entry | None]) -> bool:
        """Whether a run may have these, by operand: those constraints and ``admit`` say yes that can be asked (S2)."""
        complete = self.is_whole(chosen)
        if not self._satisfied(group, chosen, complete=complete):
            return False
        if self._admit is None:
            return True
        if complete:
            return self.admits(self.filled(group, tuple(chosen)))
        return not all(chosen[operand] is not None for operand in self._binders) or self.admits(chosen)

    def _satisfied(self, group: Group, chosen: Sequence[Entry | None], *, complete: bool) -> bool:
        """Whether these satisfy the constraints, and all that can be asked only of what is ``complete``."""
        for constraint in self.constraints:
            state, step = constraint.begin(group), constraint.step
            for operand, entry in enumerate(chosen):
                if entry is not None:
                    state = step(group, state, operand, entry)
                    if state is REFUSED:
                        return False
            if complete and not constraint.ends(group, state):
                return False
        return not complete or not self.compared or self._agrees(group, chosen)

    def _agrees(self, group: Group, chosen: Sequence[Entry | None]) -> bool:
        """Whether there is as much as there may be of what stands aside by an expression about the whole (A8)."""
        return all(each.admits(group, chosen) for each in self.compared)

    def against_run(self, group: Group, chosen: Sequence[Entry | None]) -> Objection | None:
        """Why a run may not have these, if something is to be said against them beside their number."""
        for constraint in self.constraints:
            state = constraint.begin(group)
            for operand, entry in enumerate(chosen):
                if entry is not None:
                    stepped = constraint.step(group, state, operand, entry)
                    if stepped is REFUSED:
                        return constraint.objection(group, state, operand, entry)
                    state = stepped
        entries = tuple(entry for entry in chosen if entry is not None)
        complete = self.is_whole(chosen)
        if complete and not self._agrees(group, chosen):
            return Objection("absence-violated", entries)
        asked = complete or all(chosen[operand] is not None for operand in self._binders)
        if asked and not self.admits(self.filled(group, tuple(chosen)) if complete else chosen):
            return Objection("having-false", entries)
        return None

    def admits(self, combination: Sequence[Entry | None]) -> bool:
        """What is asked of a combination as a whole (V6), or of all events of a cumulative composite."""
        if self._admit is None:
            return True
        self.tries.one()
        return self._admit([entry for _, entry in parts(combination)])

    @abstractmethod
    def objection(self, group: Group) -> Objection | None:
        """Why the stored events are no combination although there are `enough`; None if they are, or nothing but
        their number speaks against it."""

    def _stepped(
        self, group: Group, states: tuple[State, ...], operand: int, entry: Entry
    ) -> tuple[State, ...] | None:
        """The states of the constraints after one more event; None if one of them refuses it."""
        after = []
        for constraint, state in zip(self.constraints, states, strict=True):
            stepped = constraint.step(group, state, operand, entry)
            if stepped is REFUSED:
                return None
            after.append(stepped)
        return tuple(after)
