"""Disjunction at run time: one composite per arrival, nothing stored (H6)."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from contexts import CONTEXTS, Entry
from contexts.grouping import Key

from ...algebra import Promise
from ...events import Cause, CompositeEvent
from ...rules.trees import EventTree, OperatorNode
from ..setting import Setting
from .deferrable import DeferrableState
from .state import Account


class DisjunctionState(DeferrableState):
    """Any operand has occurred; the arrivals in the composites it raises count as consumed (H7).

    ``pending`` are, for a deferred one, the arrivals since the last release by group, each with its operand.
    """

    def __init__(
        self, node: OperatorNode, tree: EventTree, report: list[CompositeEvent] | None, setting: Setting
    ) -> None:
        super().__init__(node, tree, report, setting)
        self.context = CONTEXTS[node.context.value]
        self.pending: dict[Key, list[tuple[int, Entry]]] = {}

    def arrive(self, child: int, key: Key, arrivals: Sequence[Entry], cause: Cause) -> None:
        for entry in arrivals:
            self.raise_combination((entry,), key, cause)
            self.consumed_by(child, (entry,))

    def hold(self, child: int, key: Key, arrivals: Sequence[Entry], cause: Cause) -> None:
        self.note_key(key)
        self.pending.setdefault(key, []).extend((child, entry) for entry in arrivals)

    def evaluate_held(self, child: int, key: Key, arrivals: Sequence[Entry], cause: Cause) -> None:
        self.forget(key)
        self.arrive(child, key, arrivals, cause)

    def is_possible(self, key: Key) -> bool:
        return key in self.pending

    def release(self, key: Key, cause: Cause) -> None:
        """Cumulative: one composite of all that is pending; else one per arrival (D5)."""
        pending = self.pending.pop(key)
        self.drop_key(key)
        if self.context.batches:
            by_operand = sorted(pending, key=lambda item: item[0])
            self.raise_combination([entry for _, entry in by_operand], key, cause)
        else:
            for _, entry in pending:
                self.raise_combination((entry,), key, cause)
        for child, entry in pending:
            self.consumed_by(child, (entry,))

    def withdraw(self, child: int, entry: Entry) -> None:
        key = self.groupings[child].key_of(entry)
        pending = self.pending.get(key)
        if pending is not None:
            rest = [(k, other) for k, other in pending if other is not entry]
            if rest:
                self.pending[key] = rest
            else:
                self.forget(key)

    def forget(self, key: Key) -> None:
        if self.pending.pop(key, None) is not None:
            self.drop_key(key)

    def clear(self) -> None:
        self.pending.clear()
        super().clear()

    def group_keys(self) -> Collection[Key]:
        return self.pending.keys()

    def account(self, key: Key) -> Account:
        pending = self.pending.get(key, ())
        operands = range(len(self.node.children))
        return Account(tuple([entry for child, entry in pending if child == k] for k in operands))

    def size(self) -> int:
        return sum(map(len, self.pending.values()))


def new_state(
    node: OperatorNode, tree: EventTree, report: list[CompositeEvent] | None, setting: Setting,
    operands: Sequence[Promise],
) -> DisjunctionState:  # fmt: skip
    """The running state of a disjunction."""
    return DisjunctionState(node, tree, report, setting)
