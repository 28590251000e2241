"""Operators that combine stored events of their operands: a context chooses among the combinations there are."""

from __future__ import annotations

from collections import deque
from collections.abc import MutableSequence, Sequence

from contexts import CONTEXTS, Combinations, Entry, Group
from contexts.entry import EVENT
from contexts.group import discard
from contexts.grouping import Key

from ...events import Cause, CompositeEvent
from ...rules.trees import EventTree, OperatorNode
from ..clock import Clock
from .state import DeferrableState


class CombiningState(DeferrableState):
    """Arrivals are stored, then the group is evaluated (H3): ``context`` chooses among what ``exists``."""

    exists: Combinations

    def __init__(
        self, node: OperatorNode, tree: EventTree, report: list[CompositeEvent] | None, clock: Clock
    ) -> None:
        super().__init__(node, tree, report, clock)
        self.context = CONTEXTS[node.context.value]
        self.groups: dict[Key, Group] = {}

    # ---- groups ---------------------------------------------------------------------------------------

    def open_group(self, key: Key) -> Group:
        """A new group under this key."""
        # A flat group can become long and loses its oldest events first: a deque does that in one step.
        stored: list[MutableSequence[Entry]]
        if self.flat:
            stored = [deque() for _ in self.children]
        elif len(self.children) == 2:
            stored = [[], []]
        else:
            stored = [[] for _ in self.children]
        group = self.groups[key] = Group(stored, self._owners, key)
        return group

    def drop_if_empty(self, key: Key) -> None:
        """Forgets a group in which nothing is stored."""
        group = self.groups.get(key)
        if group is not None and not any(group.stored):
            del self.groups[key]

    def withdraw(self, child: int, entry: Entry) -> None:
        key = self.grouping.key_of(entry)
        group = self.groups.get(key)
        if group is not None and discard(group.stored[child], entry):
            self.drop_if_empty(key)

    def stores(self, child: int, key: Key, node: int) -> bool:
        group = self.groups.get(key)
        return group is not None and any(entry[EVENT][3][-1:] == (node,) for entry in group.stored[child])

    def forget(self, key: Key) -> None:
        self.groups.pop(key, None)

    def clear(self) -> None:
        self.groups.clear()

    def size(self) -> int:
        return sum(len(stored) for group in self.groups.values() for stored in group.stored)

    def _check(self) -> None:
        super()._check()
        for key, group in self.groups.items():
            assert not group.is_empty(), (self.node.label, key)

    # ---- arrivals -------------------------------------------------------------------------------------

    def arrive(self, child: int, key: Key, arrivals: Sequence[Entry], cause: Cause) -> None:
        if len(arrivals) > 1 and self.context.one_by_one:
            for entry in arrivals:
                self.arrive(child, key, (entry,), cause)
            return
        group = self.groups.get(key)
        if group is None:
            # An operator has at least two operands, so a new group cannot have a combination.
            self.context.store(self.open_group(key), child, arrivals)
        else:
            self.admit(group, child, key, arrivals, cause)

    def admit(self, group: Group, child: int, key: Key, arrivals: Sequence[Entry], cause: Cause) -> None:
        """Stores arrivals in a group that has something, and evaluates it if every operand has."""
        if self.context.replaces:
            self.context.store(group, child, arrivals)
        else:
            group.stored[child].extend(arrivals)
        for entries in group.stored:
            if not entries:
                return
        self.raise_all(key, group, child, arrivals, cause)

    def raise_all(self, key: Key, group: Group, child: int, arrivals: Sequence[Entry], cause: Cause) -> None:
        """Evaluates a group and raises what it finds; forgets the group if that has emptied it."""
        group.now = self.clock.point
        for combination in self.context.on_arrival(group, self.exists, child, arrivals):
            self.raise_combination(combination, cause)
        for entries in group.stored:
            if entries:
                return
        del self.groups[key]

    # ---- deferred -------------------------------------------------------------------------------------

    @property
    def one_by_one(self) -> bool:
        return self.context.one_by_one

    def hold(self, child: int, key: Key, arrivals: Sequence[Entry], cause: Cause) -> None:
        group = self.groups.get(key)
        if group is None:
            group = self.open_group(key)
        self.context.store(group, child, arrivals)
        group.hold(child, arrivals)

    def evaluate_held(self, child: int, key: Key, arrivals: Sequence[Entry], cause: Cause) -> None:
        group = self.groups[key]
        group.fresh = None
        self.raise_all(key, group, child, arrivals, cause)

    def is_possible(self, key: Key) -> bool:
        group = self.groups.get(key)
        return group is not None and self.context.is_possible(group, self.exists)

    def release(self, key: Key, cause: Cause) -> None:
        group = self.groups[key]
        group.now = self.clock.point
        for combination in self.context.on_release(group, self.exists):
            self.raise_combination(combination, cause)
        group.fresh = None
        self.drop_if_empty(key)
