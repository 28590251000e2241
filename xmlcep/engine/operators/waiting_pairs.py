"""Two operands that nothing but perhaps their order joins, raised at a release (D2, D3, D5): see `pairs`.

A group has a combination that has not been raised as soon as both operands have something that goes together, for every
arrival is fresh, and what a release leaves goes together only with what is still to come (D2). So it is with a
condition, too (D4): what arrives while nothing else waits is raised at once if that holds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from contexts import Entry
from contexts.entry import EVENT
from contexts.grouping import Key
from contexts.pairing import Ending, Waiting

from ...events import Cause, PrimitiveEvent
from .deferrable import DeferrableState
from .pairs import Item, PairState
from .state import Account, Arrivals, Blueprint, Kept


class WaitingPairState(PairState, DeferrableState):
    """What waits, by group.

    Of a sequence the first operand raises what ends when it arrives: what comes later is before no second event that
    waits.
    """

    def __init__(self, of: Blueprint, *, ordered: bool) -> None:
        super().__init__(of, ordered=ordered)
        self.groups: dict[Key, Waiting] = {}

    def keep(self, child: int, key: Key, item: Item) -> bool:
        """Stores an arrival; says whether the group has a combination with it."""
        waiting = self.groups.get(key)
        if waiting is None:
            if child and self.ordered:
                return False
            waiting = self.groups[key] = Waiting(([], []))
        stored = waiting.stored
        if self.pairing.replaces:
            waiting.endings.clear()
        if child and self.ordered:
            before = self.count_before(stored[0], item)
            if before:
                waiting.endings.append(Ending(item, self.clock.point, before))
            return bool(waiting.endings)
        if self.pairing.replaces:
            stored[child].clear()
        stored[child].append(item)
        waiting.fresh = True
        return bool(waiting.endings if self.ordered else stored[1 - child])

    def keeper(self, child: int) -> Callable[[Key, PrimitiveEvent], bool] | None:
        return partial(self.keep, child) if self.bare[child] else None

    def arrive(self, child: int, key: Key, arrivals: Sequence[Entry], cause: Cause) -> None:
        self.hold_all(key, ((child, arrivals),), cause)

    def hold(self, key: Key, arrivals: Sequence[Arrivals], cause: Cause) -> None:
        self.hold_all(key, arrivals, cause)

    def hold_all(self, key: Key, arrivals: Sequence[Arrivals], cause: Cause) -> bool:
        is_possible = False
        for child, entries in arrivals:
            for entry in entries:
                is_possible = self.keep(child, key, entry[EVENT] if self.bare[child] else entry)
        return is_possible

    def is_possible(self, key: Key) -> bool:
        waiting = self.groups.get(key)
        if waiting is None:
            return False
        return bool(waiting.endings) if self.ordered else waiting.fresh and all(waiting.stored)

    def release(self, key: Key, cause: Cause) -> None:
        """Of what a group has left nothing is fresh, and what was before nothing never will be."""
        waiting = self.groups[key]
        stored = waiting.stored
        if self.ordered:
            pairs = self.pairing.in_order(stored[0], waiting.endings)
            waiting.endings.clear()
        else:
            pairs = self.pairing.any_order(stored, waiting.told)
            waiting.fresh = False
            waiting.told = (len(stored[0]), len(stored[1]))
        self.raise_pairs(pairs, key, cause)
        if not any(stored):
            del self.groups[key]

    # ---- asked (Y1, Y3), freed (G4) -------------------------------------------------------------------

    def stored(self, key: Key) -> tuple[Sequence[Item], Sequence[Item]]:
        waiting = self.groups.get(key)
        if waiting is None:
            return (), ()
        firsts, seconds = waiting.stored
        return firsts, [ending.event for ending in waiting.endings] if self.ordered else seconds

    def account(self, key: Key) -> Account:
        return super().account(key)._replace(raised=all(self.stored(key)) and not self.is_possible(key))

    def kept(self) -> Kept:
        return (self.groups,)

    def size(self) -> int:
        return sum(sum(map(len, waiting.stored)) + len(waiting.endings) for waiting in self.groups.values())
