"""What every Snoop context answers: which of the combinations that exist are chosen, and which events are consumed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence

from .combinations import Combinations
from .entry import Combination, Entry
from .group import Group, discard
from .pairing import Pairing


class Context(ABC):
    """A Snoop context: how an operator chooses among combinations, earliest (Q1) and released (D5), see Q1.

    Contexts have no state: all of it is in the group. The evaluating methods expect the arrivals to be stored
    already; they consume what the context consumes and return the combinations chosen, in order.

    ``preference`` is for people: which events it prefers to which.

    ``replaces``: a newer event of an operand takes the place of the older one.
    ``keeps``: nothing that is chosen is used up.
    ``batches``: everything that has come together is one composite, not one for each arrival (D5).
    ``takes_oldest``: each arrival completes at most one combination, of the oldest events, which are used once.
    ``runs``: what is stored goes into the runs of its group, which has them (S2).
    ``pairing``: the same for two operands that nothing but perhaps their order joins; None where that is no shorter.
    """

    name: str
    preference: str
    replaces = False
    keeps = False
    batches = False
    takes_oldest = False
    runs = False
    pairing: Pairing | None = None

    def store(self, group: Group, exists: Combinations, child: int, arrivals: Iterable[Entry]) -> None:
        """Stores arrivals in operand ``child``."""
        group.store(child, arrivals)

    def windows(self, opened: Sequence[Entry]) -> list[list[Entry]]:
        """The windows that these events, oldest first, keep open, each with the events it stands for (W8)."""
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
