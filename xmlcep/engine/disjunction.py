"""Disjunction at run time: one composite per arrival, nothing stored (H6)."""

from __future__ import annotations

from collections.abc import Sequence

from contexts import Entry

from ..algebra import ContextName
from ..events import PrimitiveEvent
from .operator_state import OperatorState


class DisjunctionState(OperatorState):
    """Any operand has occurred; the arrivals in the composites it raises count as consumed (H7)."""

    def arrive(self, child: int, key: int, arrivals: Sequence[Entry], cause: PrimitiveEvent) -> None:
        owner = self._owners[child] if self._owners is not None else None
        for entry in arrivals:
            self.raise_combination((entry,), cause)
            if owner is not None:
                owner.consumed(entry)

    def hold(self, child: int, key: int, arrivals: Sequence[Entry], cause: PrimitiveEvent) -> None:
        group = self.groups.get(key) or self.open_group(key)
        group.stored[child].extend(arrivals)
        group.hold(child, arrivals)

    def evaluate_held(self, child: int, key: int, arrivals: Sequence[Entry], cause: PrimitiveEvent) -> None:
        del self.groups[key]
        self.arrive(child, key, arrivals, cause)

    def is_possible(self, key: int) -> bool:
        group = self.groups.get(key)
        return group is not None and not group.is_empty()

    def release(self, key: int, cause: PrimitiveEvent) -> None:
        """Cumulative: one composite of all that is pending; else one per arrival (D5)."""
        pending = self.groups.pop(key).still_fresh()
        if self.node.context is ContextName.CUMULATIVE:
            by_operand = sorted(pending, key=lambda item: item[0])
            self.raise_combination([entry for _, entry in by_operand], cause)
        else:
            for _, entry in pending:
                self.raise_combination((entry,), cause)
        if self._owners is not None:
            for child, entry in pending:
                owner = self._owners[child]
                if owner is not None:
                    owner.consumed(entry)
