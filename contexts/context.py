"""What every Snoop context answers: how stored events are chosen, and which of them are consumed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence

from .group import SILENT, Combination, Entry, Group, all_silent
from .order import oldest_chain


class Context(ABC):
    """A Snoop context: how conjunction and sequence choose events, earliest (H4, H5) and released (D5).

    Contexts have no state: all of it is in the group. ``one_by_one`` says that several arrivals of one time
    point are stored and evaluated one after the other (H3). The evaluating methods expect the arrivals to be
    stored already; they consume what the context consumes and return the combinations found, in order.
    """

    name: str
    one_by_one = False

    def store(self, group: Group, child: int, arrivals: Iterable[Entry]) -> None:
        """Stores arrivals in operand ``child``."""
        group.stored[child].extend(arrivals)

    @abstractmethod
    def conjunction(self, group: Group, child: int, arrivals: Sequence[Entry]) -> list[Combination]:
        """The combinations that ``arrivals``, just stored in operand ``child``, terminate (H4)."""

    @abstractmethod
    def release_conjunction(self, group: Group) -> list[Combination]:
        """What a deferred conjunction raises when the group is released (D5)."""

    @abstractmethod
    def sequence(self, group: Group, child: int, arrivals: Sequence[Entry]) -> list[Combination]:
        """The combinations that exist now that ``arrivals`` are stored in operand ``child`` (H5)."""

    @abstractmethod
    def release_sequence(self, group: Group) -> list[Combination]:
        """What a deferred sequence raises when the group is released (D5)."""

    def conjunction_is_possible(self, group: Group) -> bool:
        """Whether a combination exists that has not been raised (D2, X1)."""
        return all(group.stored) and any(not entry[SILENT] for _, entry in group.still_fresh())

    def sequence_is_possible(self, group: Group) -> bool:
        """Whether a combination exists that has not been raised (D2, X1)."""
        *before, last = group.stored
        if not (all(before) and last and group.still_fresh()):
            return False
        chains = (oldest_chain(before, terminator) for terminator in last)
        return any(chain is not None and not all_silent(chain) for chain in chains)
