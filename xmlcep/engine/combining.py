"""Conjunction and sequence at run time: a context chooses among the stored events of a group (H4, H5)."""

from __future__ import annotations

from collections.abc import Sequence

from contexts import CONTEXTS, Combination, Entry, Group

from ..algebra import ContextName, Promise
from ..events import CompositeEvent, PrimitiveEvent
from ..rules.trees import EventTree, OperatorNode
from .operator_state import OperatorState


class CombiningState(OperatorState):
    """What conjunction and sequence share: arrivals are stored, then the group is evaluated (H3)."""

    def __init__(self, node: OperatorNode, tree: EventTree, report: list[CompositeEvent] | None) -> None:
        super().__init__(node, tree, report)
        self.context = CONTEXTS[node.context.value]
        self.keeps_all = node.context is not ContextName.RECENT

    def evaluate(self, group: Group, child: int, arrivals: Sequence[Entry]) -> list[Combination]:
        """The combinations that arrivals, stored in operand ``child``, make; consumes what they consume.

        Only asked when every operand has something stored.
        """
        raise NotImplementedError  # conjunction and sequence define their own

    def evaluate_released(self, group: Group) -> list[Combination]:
        """The combinations of a released group (D5)."""
        raise NotImplementedError  # conjunction and sequence define their own

    def group_is_possible(self, group: Group) -> bool:
        """Whether the group has a combination that has not been raised (D2, X1)."""
        raise NotImplementedError  # conjunction and sequence define their own

    def arrive(self, child: int, key: int, arrivals: Sequence[Entry], cause: PrimitiveEvent) -> None:
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

    def admit(
        self, group: Group, child: int, key: int, arrivals: Sequence[Entry], cause: PrimitiveEvent
    ) -> None:
        """Stores arrivals in a group that has something, and evaluates it if every operand has."""
        if self.keeps_all:
            group.stored[child].extend(arrivals)
        else:
            self.context.store(group, child, arrivals)
        for entries in group.stored:
            if not entries:
                return
        self.raise_all(key, group, child, arrivals, cause)

    def raise_all(
        self, key: int, group: Group, child: int, arrivals: Sequence[Entry], cause: PrimitiveEvent
    ) -> None:
        """Evaluates a group and raises what it finds; forgets the group if that has emptied it."""
        group.now = cause[0]
        for combination in self.evaluate(group, child, arrivals):
            self.raise_combination(combination, cause)
        for entries in group.stored:
            if entries:
                return
        del self.groups[key]

    def hold(self, child: int, key: int, arrivals: Sequence[Entry], cause: PrimitiveEvent) -> None:
        group = self.groups.get(key)
        if group is None:
            group = self.open_group(key)
        self.context.store(group, child, arrivals)
        group.hold(child, arrivals)

    @property
    def one_by_one(self) -> bool:
        return self.context.one_by_one

    def evaluate_held(self, child: int, key: int, arrivals: Sequence[Entry], cause: PrimitiveEvent) -> None:
        group = self.groups[key]
        group.fresh = None
        self.raise_all(key, group, child, arrivals, cause)

    def is_possible(self, key: int) -> bool:
        group = self.groups.get(key)
        return group is not None and self.group_is_possible(group)

    def release(self, key: int, cause: PrimitiveEvent) -> None:
        group = self.groups[key]
        group.now = cause[0]
        for combination in self.evaluate_released(group):
            self.raise_combination(combination, cause)
        group.fresh = None
        self.drop_if_empty(key)


class ConjunctionState(CombiningState):
    """All operands have occurred (H4)."""

    def evaluate(self, group: Group, child: int, arrivals: Sequence[Entry]) -> list[Combination]:
        return self.context.conjunction(group, child, arrivals)

    def evaluate_released(self, group: Group) -> list[Combination]:
        return self.context.release_conjunction(group)

    def group_is_possible(self, group: Group) -> bool:
        return self.context.conjunction_is_possible(group)


class SequenceState(CombiningState):
    """All operands have occurred, each before the next (H5).

    Where everything that the operands before k raise is never empty and ends when it arrives, an event of
    operand k that finds nothing of operand k-1 before it never will, and is not kept (G4, C9):
    ``hopeless_without[k]``.
    """

    def __init__(self, node: OperatorNode, tree: EventTree, report: list[CompositeEvent] | None) -> None:
        super().__init__(node, tree, report)
        self.hopeless_without = [False] * len(node.children)
        self._last = len(node.children) - 1

    def set_promises(self, operands: Sequence[Promise]) -> None:
        """Says what is promised of what each operand raises."""
        if self.node.context is ContextName.RECENT:
            return  # a newer event replaces an older one even if it is hopeless itself
        for k in range(1, len(operands)):
            # An empty composite is in order with everything; and dropping it would disturb M5.
            self.hopeless_without[k] = operands[k].solid and all(operand.prompt for operand in operands[:k])

    def arrive(self, child: int, key: int, arrivals: Sequence[Entry], cause: PrimitiveEvent) -> None:
        if not self.hopeless_without[child]:
            CombiningState.arrive(self, child, key, arrivals, cause)
            return
        group = self.groups.get(key)
        if group is None:
            return
        before = group.stored[child - 1]
        if not before:
            return
        first_end = before[0][1]
        if len(arrivals) > 1 or arrivals[0][0] <= first_end:
            arrivals = [entry for entry in arrivals if first_end < entry[0]]
            if not arrivals:
                return
        self.admit(group, child, key, arrivals, cause)
        if child == self._last and group.stored[child]:
            group.stored[child].clear()
            self.drop_if_empty(key)

    def evaluate(self, group: Group, child: int, arrivals: Sequence[Entry]) -> list[Combination]:
        return self.context.sequence(group, child, arrivals)

    def evaluate_released(self, group: Group) -> list[Combination]:
        return self.context.release_sequence(group)

    def group_is_possible(self, group: Group) -> bool:
        return self.context.sequence_is_possible(group)
