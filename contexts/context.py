"""What every Snoop context answers: which of the combinations that exist are chosen, and which events are consumed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from enum import Enum

from .combinations import Combinations
from .entry import Combination, Entry
from .group import Group, discard


class Takes(Enum):
    """Which combinations of what is stored are chosen when an arrival ends some."""

    OLDEST = "the oldest event of each operand"
    NEWEST = "the newest event of each operand, which is all that is kept of it"
    NEWEST_FIRST = "what has arrived with the newest of the others, as long as there are any"
    EVERY = "every combination that has an arrival in it"
    ALL = "everything that is part of a combination, in one"
    RUNS = "what arrives goes into the runs of its group, which has them (S2)"


class Stays(Enum):
    """Which events of a chosen combination are stored on; the others are consumed."""

    NOTHING = "none"
    BEGINNING = "those that can begin a later one: of a sequence the first, otherwise all"
    ARRIVAL = "the one that has ended it, but not in a sequence, where nothing comes behind it"
    EVERYTHING = "all"


class Context(ABC):
    """A Snoop context: how an operator chooses among combinations, earliest (Q1) and released (D5), see Q1.

    ``takes`` and ``stays`` declare it: whatever chooses, here or for two operands (`contexts.pairing`), goes by these.
    ``preference`` says it for people.

    Contexts have no state: all of it is in the group. The evaluating methods expect the arrivals to be stored
    already; they consume what the context consumes and return the combinations chosen, in order.
    """

    name: str
    preference: str
    takes: Takes
    stays: Stays

    @property
    def replaces(self) -> bool:
        """Whether a newer event of an operand takes the place of the older one."""
        return self.takes is Takes.NEWEST

    @property
    def keeps(self) -> bool:
        """Whether nothing that is chosen is used up."""
        return self.stays is Stays.EVERYTHING

    @property
    def batches(self) -> bool:
        """Whether everything that has come together is one composite, not one for each arrival (D5)."""
        return self.takes is Takes.ALL

    @property
    def takes_oldest(self) -> bool:
        """Whether each arrival completes at most one combination, of the oldest events, which are used once."""
        return self.takes is Takes.OLDEST

    @property
    def runs(self) -> bool:
        """Whether what is stored goes into runs (S2)."""
        return self.takes is Takes.RUNS

    def consumes(self, operand: int, arrived: int, *, ordered: bool, first: int = 0) -> bool:
        """Whether a chosen event of an operand is consumed, where one of operand ``arrived`` has ended the combination;
        in a sequence (``ordered``) operand ``first`` begins it."""
        if self.stays is Stays.BEGINNING:
            return ordered and operand > first
        if self.stays is Stays.ARRIVAL:
            return ordered or operand != arrived
        return self.stays is Stays.NOTHING

    def consumed(
        self, exists: Combinations, chosen: Iterable[tuple[int, Entry | None]], arrived: int
    ) -> list[tuple[int, Entry | None]]:
        """What is consumed of these, each with its operand."""
        if self.stays is Stays.NOTHING:
            return [*chosen]
        ordered, first = exists.ordered, exists.first
        return [one for one in chosen if self.consumes(one[0], arrived, ordered=ordered, first=first)]

    def store(self, group: Group, exists: Combinations, child: int, arrivals: Iterable[Entry]) -> None:
        """Stores arrivals in operand ``child``."""
        group.store(child, arrivals)

    def windows(self, opened: Sequence[Entry]) -> list[list[Entry]]:
        """The windows that these events, oldest first, keep open, each with the events it stands for (W8)."""
        if self.takes is Takes.OLDEST:
            return [[entry] for entry in opened[:1]]
        if self.takes is Takes.NEWEST:
            return [[entry] for entry in opened[-1:]]
        if self.takes is Takes.ALL:
            return [list(opened)] if opened else []
        return [[entry] for entry in opened]

    def withdrawn(  # noqa: B027
        self, group: Group, exists: Combinations, child: int, entry: Entry
    ) -> None:
        """Operand ``child``'s event is no longer stored, because it was taken back (M1)."""

    def expire(self, group: Group, exists: Combinations, is_old: Callable[[Entry], bool]) -> None:
        """Frees what is too old to be in a combination with anything that is still to come (Q4, G4)."""
        for k, stored in enumerate(group.stored):
            for entry in group.oldest(k, is_old):
                # What waits for a release may still be in a combination with what is as old.
                if group.fresh is None or not exists.any_with(group, k, entry):
                    discard(stored, entry)

    def overtaken(
        self, group: Group, exists: Combinations, new: Sequence[tuple[int, Entry]]
    ) -> Sequence[tuple[int, Entry]]:
        """What counts no more, with its operand, now that these have arrived, although it is part of a combination,
        which was not chosen."""
        return ()

    def standing(self, group: Group) -> Sequence[Sequence[Entry]]:
        """What counts towards a combination, by operand."""
        return group.stored

    @abstractmethod
    def on_arrival(
        self, group: Group, exists: Combinations, child: int, arrivals: Sequence[Entry]
    ) -> list[Combination]:
        """The combinations to raise now that ``arrivals`` are stored in operand ``child``: they are what is new."""

    @abstractmethod
    def on_release(self, group: Group, exists: Combinations) -> list[Combination]:
        """The combinations to raise of what is stored: what is fresh is new (D5, H3)."""

    def is_possible(self, group: Group, exists: Combinations) -> bool:
        """Whether a combination exists that has an arrival since the last release in it (D2)."""
        return exists.enough(group) and any(
            exists.any_with(group, child, entry) for child, entry in group.still_fresh()
        )
