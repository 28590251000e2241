"""Two operands that nothing but perhaps their order joins: what a context chooses of them, without a search (Q1).

It is what the context chooses of `AnyOrder` and of `Chains` where there are two operands, nobody has to be told of
consumption, and, in a sequence, a first event ends when it is stored. A first event that is stored later is then
before no second event that is there, so a second event concerns only the oldest so many first events; one that has
none before it never will have, and is not stored (G4, Q4).

Nothing here looks into what is stored: it may be entries, or anything that stands for them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

Stored: TypeAlias = list[Any]
"""The stored events of an operand, oldest first."""

Pair: TypeAlias = tuple[Any, Any]
"""A combination: of each operand its event, or, in cumulative context, the list of its events."""


class Ending(NamedTuple):
    """A second event, the time point ``at`` at which it was stored, and ``before``: how many first events are before
    it, the oldest ones."""

    event: Any
    at: int
    before: int


class Waiting:
    """What a deferred operator of two operands has in one group.

    ``firsts`` and ``seconds`` are stored (in a sequence the second operand's events are ``endings``, without those
    that are before everything). ``fresh`` says whether anything has come since the last release (D2), ``told`` how
    many of each operand were there then.
    """

    __slots__ = ("endings", "fresh", "stored", "told")

    def __init__(self, stored: tuple[Stored, Stored]) -> None:
        self.stored = stored
        self.endings: list[Ending] = []
        self.fresh = False
        self.told = (0, 0)


class Pairing(ABC):
    """What a context chooses, and what is consumed by that: it is taken out of the lists.

    ``any_order``, ``in_order`` and ``ended`` are for arrivals of one time point, ``released`` and again ``in_order``
    for what has come together until a release (D5): of a conjunction only if it ``waits``.
    """

    waits = True

    @abstractmethod
    def any_order(self, stored: tuple[Stored, Stored], child: int, arrivals: Sequence[Any]) -> list[Pair]:
        """Stores arrivals of operand ``child`` of a conjunction; the combinations they make (Q1)."""

    @abstractmethod
    def in_order(self, firsts: Stored, endings: Sequence[Ending]) -> list[Pair]:
        """The combinations that end in these, oldest first (Q1)."""

    @abstractmethod
    def ended(self, firsts: Stored, before: int, event: Any) -> list[Pair]:
        """`in_order` of one ending alone, with the oldest ``before`` first events before it."""

    def released(self, waiting: Waiting) -> list[Pair]:
        """What a conjunction raises, both operands of which have events (D5)."""
        raise NotImplementedError("it does not wait")


def oriented(child: int, arrival: Any, other: Any) -> Pair:
    """An arrival of operand ``child`` with an event of the other one, by operand."""
    return (other, arrival) if child else (arrival, other)
