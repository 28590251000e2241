"""Two operands that nothing but perhaps their order joins, raised at a release (D2, D3, D5): see `pairs`.

A group has a combination that has not been raised as soon as both operands have something that goes together, for every
arrival is fresh, and what a release leaves goes together only with what is still to come (D2). So it is with a
condition, too (D4): what arrives while nothing else waits is raised at once if that holds.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Any

from contexts import AnyOrder, Chains, Combinations, Entry
from contexts.constraints import Objection
from contexts.entry import END, EVENT, START
from contexts.grouping import Key
from contexts.pairing import Ending, Pair, Waiting

from ...events import Cause, CompositeEvent, PrimitiveEvent
from ...rules.trees import EventTree, OperatorNode
from ..setting import Setting
from .deferrable import DeferrableState
from .pairs import Item, PairState, count_before, ends_of
from .state import Account, Arrivals


class WaitingPairState(PairState, DeferrableState):
    """What conjunction and sequence have in common: what waits, by group."""

    def __init__(
        self, node: OperatorNode, tree: EventTree, report: list[CompositeEvent] | None, setting: Setting
    ) -> None:
        super().__init__(node, tree, report, setting)
        self.groups: dict[Key, Waiting] = {}

    @abstractmethod
    def keep(self, child: int, key: Key, item: Item, cause: Cause | None = None) -> bool:
        """Stores an arrival; says whether it makes a combination."""

    @abstractmethod
    def released(self, waiting: Waiting) -> Sequence[Pair]:
        """What is chosen of a group that has a combination."""

    def keeper(self, child: int) -> Callable[[Key, PrimitiveEvent], bool] | None:
        return partial(self.keep, child) if self.bare[child] else None

    def add(self, child: int, key: Key, items: Sequence[Item], at: int) -> Sequence[Pair]:
        raise NotImplementedError("what arrives waits for a release")

    def hold(self, key: Key, arrivals: Sequence[Arrivals], cause: Cause) -> None:
        self.hold_all(key, arrivals, cause)

    def hold_all(self, key: Key, arrivals: Sequence[Arrivals], cause: Cause) -> bool:
        is_possible = False
        for child, entries in arrivals:
            is_bare = self.bare[child]
            for entry in entries:
                is_possible = self.keep(child, key, entry[EVENT] if is_bare else entry)
        return is_possible

    def release(self, key: Key, cause: Cause) -> None:
        waiting = self.groups[key]
        self._raise_waiting(waiting, self.released(waiting), key, cause)

    def _raise_waiting(self, waiting: Waiting, pairs: Sequence[Pair], key: Key, cause: Cause) -> None:
        for first, second in pairs:
            self._raise(first, second, key, cause, alone=False)
        firsts, seconds = waiting.stored
        if not (firsts or seconds):
            del self.groups[key]

    def account(self, key: Key) -> Account:
        return super().account(key)._replace(raised=all(self.stored(key)) and not self.is_possible(key))

    def group_keys(self) -> Collection[Key]:
        return self.groups.keys()

    def forget(self, key: Key) -> None:
        self.groups.pop(key, None)

    def by_group(self) -> tuple[dict[Key, Any], ...] | None:
        return None if self.by_value else (self.groups,)

    def clear(self) -> None:
        self.groups.clear()
        super().clear()


class WaitingPairConjunction(WaitingPairState):
    """Both operands have occurred (Q1)."""

    exists: Combinations = AnyOrder()

    def keep(self, child: int, key: Key, item: Item, cause: Cause | None = None) -> bool:
        waiting = self.groups.get(key)
        if waiting is None:
            waiting = self.groups[key] = Waiting(([], []))
        stored = waiting.stored
        if self.context.replaces:
            stored[child].clear()
        stored[child].append(item)
        waiting.fresh = True
        return len(stored[1 - child]) > 0

    def released(self, waiting: Waiting) -> Sequence[Pair]:
        """Of what a group has left nothing is fresh."""
        pairs = self.pairing.released(waiting)
        firsts, seconds = waiting.stored
        waiting.fresh = False
        waiting.told = (len(firsts), len(seconds))
        return pairs

    def is_possible(self, key: Key) -> bool:
        waiting = self.groups.get(key)
        return waiting is not None and waiting.fresh and all(waiting.stored)

    def stored(self, key: Key) -> tuple[Sequence[Item], Sequence[Item]]:
        waiting = self.groups.get(key)
        return ((), ()) if waiting is None else waiting.stored

    def size(self) -> int:
        return sum(len(stored) for waiting in self.groups.values() for stored in waiting.stored)


class WaitingPairSequence(WaitingPairState):
    """The first operand has occurred, then the second (Q1).

    The first operand raises what ends when it arrives: what comes later is before no second event that waits.
    """

    exists: Combinations = Chains()

    def __init__(
        self, node: OperatorNode, tree: EventTree, report: list[CompositeEvent] | None, setting: Setting
    ) -> None:
        super().__init__(node, tree, report, setting)
        self._ends = ends_of(self.bare[0])

    def keep(self, child: int, key: Key, item: Item, cause: Cause | None = None) -> bool:
        waiting = self.groups.get(key)
        replaces = self.context.replaces
        if waiting is None:
            if child:
                return False
            self.groups[key] = Waiting(([item], []))
            return False
        firsts = waiting.stored[0]
        if child:
            before = count_before(firsts, self._ends, item[0])
            if replaces:
                waiting.endings.clear()
            if before:
                waiting.endings.append(Ending(item, self.clock.point, before))
        else:
            if replaces:
                firsts.clear()
                waiting.endings.clear()
            firsts.append(item)
        return bool(waiting.endings)

    def released(self, waiting: Waiting) -> Sequence[Pair]:
        pairs = self.pairing.in_order(waiting.stored[0], waiting.endings)
        waiting.endings.clear()  # those that were not taken have nothing before them any more
        return pairs

    def is_possible(self, key: Key) -> bool:
        waiting = self.groups.get(key)
        return waiting is not None and bool(waiting.endings)

    def stored(self, key: Key) -> tuple[Sequence[Item], Sequence[Item]]:
        waiting = self.groups.get(key)
        return (
            ((), ()) if waiting is None else (waiting.stored[0], [ending.event for ending in waiting.endings])
        )

    def lost(self, child: int, key: Key, entry: Entry, others: Sequence[Sequence[Entry]]) -> Objection:
        if child and not any(other[END] < entry[START] for other in others[0]):
            return Objection("wrong-order", (*others[0][:1], entry))
        return super().lost(child, key, entry, others)

    def size(self) -> int:
        return sum(len(waiting.stored[0]) + len(waiting.endings) for waiting in self.groups.values())
