"""Two operands that nothing but perhaps their order joins: what a context takes of them, without a search (Q1).

It is what the context chooses where there are two operands, nobody has to be told of consumption, and, in a sequence, a
first event ends when it is stored. A first event that is stored later is then before no second event that is there, so
a second event concerns only the oldest so many first events; one that has none before it never will have, and is not
stored (G4, Q4).

Nothing here looks into what is stored: it may be entries, or anything that stands for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

from .context import Context, Takes

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

    ``stored`` are the events of both (in a sequence the second operand's are ``endings``, without those that are before
    everything). ``fresh`` says whether anything has come since the last release (D2), ``told`` how many of each operand
    were there then.
    """

    __slots__ = ("endings", "fresh", "stored", "told")

    def __init__(self, stored: tuple[Stored, Stored]) -> None:
        self.stored = stored
        self.endings: list[Ending] = []
        self.fresh = False
        self.told = (0, 0)


class Pairing:
    """What a context takes, and takes out of the lists because it is consumed.

    ``uses[k]`` says whether operand k's event is consumed when one of the other operand ends a combination with it,
    ``stays[k]`` whether it is stored on when it has ended one itself.
    """

    def __init__(self, context: Context, *, ordered: bool) -> None:
        self.takes = context.takes
        self.replaces, self.batches = context.replaces, context.batches
        self.uses = tuple([context.consumes(k, 1 - k, ordered=ordered) for k in range(2)])
        self.stays = tuple([not ordered and not context.consumes(k, k, ordered=ordered) for k in range(2)])
        self.shares = context.takes is Takes.NEWEST_FIRST
        """Whether what arrives in one operand shares its partners, which are consumed after the last."""
        self.is_of_one = context.takes in (Takes.OLDEST, Takes.NEWEST)
        """Whether an arrival ends one combination, with one event."""

    def partners(self, stored: Sequence[Any]) -> Sequence[Any]:
        """Those that an arrival is combined with, in order, of all that it may be combined with, the oldest first."""
        if self.takes is Takes.OLDEST:
            return stored[:1]
        if self.takes is Takes.NEWEST:
            return stored[-1:]
        return stored[::-1] if self.takes is Takes.NEWEST_FIRST else stored

    def in_order(self, firsts: Stored, endings: Sequence[Ending]) -> list[Pair]:
        """The combinations that end in these, oldest first; those of one time point share their partners."""
        if self.takes is Takes.NEWEST:
            endings = endings[-1:]
        found: list[Pair] = []
        used = until = 0
        time_point = endings[0].at
        for event, at, before in endings:
            if at != time_point:
                used, time_point = until, at
            if self.takes is not Takes.OLDEST:
                found += [(partner, event) for partner in self.partners(firsts[used:before])]
                until = max(until, before) if self.uses[0] else 0
            elif used < before:
                found.append((firsts[used], event))
                used = until = used + 1
        if self.batches:
            found = [(firsts[:until], [ending.event for ending in endings])]
        del firsts[:until]
        return found

    def any_order(self, stored: tuple[Stored, Stored], told: tuple[int, int]) -> list[Pair]:
        """The combinations of a conjunction with what is new: of each operand all but the first ``told``. Where what
        arrives shares its partners (`shares`), only one operand has something new."""
        firsts, seconds = stored
        if not (firsts and seconds):
            return []
        if self.takes is Takes.NEWEST:
            return [(firsts[-1], seconds[-1])]
        if self.takes is Takes.OLDEST:
            found = list(zip(firsts, seconds, strict=False))
            del firsts[: len(found)], seconds[: len(found)]
            return found
        if self.takes is Takes.ALL:
            found = [(firsts[:], seconds[:])]
            firsts.clear()
            seconds.clear()
            return found
        if self.takes is Takes.EVERY:
            return [
                (first, second)
                for place, first in enumerate(firsts)
                for second in (seconds if place >= told[0] else seconds[told[1] :])
            ]
        child = int(len(seconds) > told[1])
        others = stored[1 - child]
        found = [
            oriented(child, arrival, other)
            for arrival in stored[child][told[child] :]
            for other in self.partners(others)
        ]
        others.clear()
        return found


def oriented(child: int, arrival: Any, other: Any) -> Pair:
    """An arrival of operand ``child`` with an event of the other one, by operand."""
    return (other, arrival) if child else (arrival, other)
