"""Sequence at run time: all operands have occurred, each before the next (H5)."""

from __future__ import annotations

from collections.abc import Sequence

from contexts import Chains, Entry
from contexts.grouping import Key

from ...algebra import Promise
from ...events import Cause, CompositeEvent
from ...rules.trees import EventTree, OperatorNode
from ..clock import Clock
from .combining import CombiningState
from .pairs import PairSequence, is_plain_pair
from .state import OperatorState


class SequenceState(CombiningState):
    """All operands have occurred, each before the next (H5).

    Where everything that the operands before k raise is never empty and ends when it arrives, an event of
    operand k that finds nothing of operand k-1 before it never will, and is not kept (G4, C9):
    ``hopeless_without[k]``.
    """

    def __init__(
        self, node: OperatorNode, tree: EventTree, report: list[CompositeEvent] | None, clock: Clock,
        operands: Sequence[Promise],
    ) -> None:  # fmt: skip
        super().__init__(node, tree, report, clock)
        self.exists = Chains()
        self._last = len(operands) - 1
        # An empty composite is in order with everything, and dropping it would disturb M5. In recent context a
        # newer event replaces an older one even if it is hopeless itself.
        self.hopeless_without = [
            k > 0
            and not self.context.replaces
            and operand.solid
            and all(before.prompt for before in operands[:k])
            for k, operand in enumerate(operands)
        ]

    def arrive(self, child: int, key: Key, arrivals: Sequence[Entry], cause: Cause) -> None:
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


def new_state(
    node: OperatorNode, tree: EventTree, report: list[CompositeEvent] | None, clock: Clock,
    operands: Sequence[Promise],
) -> OperatorState:  # fmt: skip
    """The running state of a sequence; ``operands`` is what its operands promise."""
    if is_plain_pair(node, tree) and operands[0].prompt and operands[1].solid:
        return PairSequence(node, tree, report, clock)
    return SequenceState(node, tree, report, clock, operands)
