"""Disjunction at run time: one composite per arrival, nothing stored (H6)."""

from __future__ import annotations

from collections.abc import Sequence

from contexts import CONTEXTS, Entry
from contexts.entry import AT, EVENT
from contexts.grouping import Key

from ...events import Cause
from .deferrable import DeferrableState
from .state import Account, Arrivals, Blueprint, Input, Kept, by_group


class DisjunctionState(DeferrableState):
    """Any operand has occurred; the arrivals in the composites it raises count as consumed (H7).

    ``pending`` are, for a deferred one, the arrivals since the last release by group, each with its operand.
    """

    def __init__(self, of: Blueprint) -> None:
        super().__init__(of)
        self.context = CONTEXTS[of.node.context.value]
        self.pending: dict[Key, list[tuple[int, Entry]]] = {}

    def arrive(self, child: int, key: Key, arrivals: Sequence[Entry], cause: Cause) -> None:
        self._raise([(child, entry) for entry in arrivals], key, cause)

    def arrive_together(self, inputs: Sequence[Input], cause: Cause) -> None:
        for key, arrivals in by_group(inputs):
            self.hold(key, arrivals, cause)
            self.release(key, cause)

    def hold(self, key: Key, arrivals: Sequence[Arrivals], cause: Cause) -> None:
        self.note_key(key)
        pending = self.pending.setdefault(key, [])
        for child, entries in arrivals:
            # An event that several operands take is that of the first.
            pending += [
                (child, entry)
                for entry in entries
                if not (self.node.may_repeat and any(entry[EVENT] is other[EVENT] for _, other in pending))
            ]

    def is_possible(self, key: Key) -> bool:
        return key in self.pending

    def release(self, key: Key, cause: Cause) -> None:
        pending = self.pending.pop(key)
        self.drop_key(key)
        self._raise(pending, key, cause)

    def _raise(self, pending: list[tuple[int, Entry]], key: Key, cause: Cause) -> None:
        """Cumulative: one composite of all, in order of operand; else one per arrival (H6)."""
        if self.context.batches:
            in_order = sorted(pending, key=lambda one: (one[0], self.end_of(one[1]), one[1][AT]))
            self.raise_combination([entry for _, entry in in_order], key, cause)
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

    def kept(self) -> Kept:
        return (self.pending,)

    def account(self, key: Key) -> Account:
        pending = self.pending.get(key, ())
        operands = range(len(self.node.children))
        return Account(tuple([entry for child, entry in pending if child == k] for k in operands))


new_state = DisjunctionState
