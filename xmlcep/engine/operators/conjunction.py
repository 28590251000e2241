"""Conjunction at run time: all operands have occurred (H4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from contexts import CONTEXTS, AnyOrder, Entry
from contexts.grouping import Key
from contexts.search import Constrained

from ...algebra import Promise
from ...events import Cause, CompositeEvent
from ...rules.trees import EventTree, OperatorNode
from ..setting import Setting
from .chronicle_pairs import ChroniclePairConjunction
from .combining import CombiningState, window_constraints
from .pairs import PairConjunction, is_plain_pair
from .state import OperatorState
from .waiting_chronicle_pairs import WaitingChroniclePairConjunction
from .waiting_pairs import WaitingPairConjunction
from .windowed_pairs import WindowedPairConjunction, is_windowed_pair


class ConjunctionState(CombiningState):
    """All operands have occurred, in any order."""

    def __init__(
        self, node: OperatorNode, tree: EventTree, report: list[CompositeEvent] | None, setting: Setting,
        operands: Sequence[Promise],
    ) -> None:  # fmt: skip
        super().__init__(node, tree, report, setting, operands)
        constraints = window_constraints(node)
        if constraints or self.values.having is not None:
            self.exists = Constrained(
                constraints, ordered=False, admit=self.values.admitter(), tries=setting.tries,
                binders=self.binders(),
            )  # fmt: skip
        else:
            self.exists = AnyOrder()
        self._is_plain = not (self._stores or self.exists.constrained or self._expires)
        self._takes_oldest = self._is_plain and self.context.takes_oldest and not self.shared

    def take(self, child: int, key: Key, entry: Entry, cause: Cause) -> None:
        if not self._is_plain:
            super().take(child, key, entry, cause)
            return
        # What admit does where arrivals are stored as they come, without its calls.
        group = self.groups.get(key)
        if group is None:
            group = self.open_group(key)
        owners, stored = group.owners, group.stored
        if owners is not None and (owner := owners[child]) is not None and owner.on_its_way:
            owner.arrived((entry,))
        stored[child].append(entry)
        if all(stored):
            if self._takes_oldest:
                # What raise_all does with what on_arrival chooses then.
                group.now = self.clock.point
                while (chosen := group.consume_oldest()) is not None:
                    self.raise_combination(chosen, cause)
                if not any(stored):
                    self.close_group(key)
            else:
                self.raise_all(key, group, child, (entry,), cause)
            if self.outbox:
                self.hand_up(cause, key)

    def by_group(self) -> tuple[dict[Key, Any], ...] | None:
        return None if self.by_value else (self.groups,)


def new_state(
    node: OperatorNode, tree: EventTree, report: list[CompositeEvent] | None, setting: Setting,
    operands: Sequence[Promise],
) -> OperatorState:  # fmt: skip
    """The running state of a conjunction; ``operands`` is what its operands promise."""
    if is_plain_pair(node, tree, setting):
        chronicle = CONTEXTS[node.context.value].takes_oldest
        if node.deferred:
            waiting = WaitingChroniclePairConjunction if chronicle else WaitingPairConjunction
            return waiting(node, tree, report, setting)
        return (ChroniclePairConjunction if chronicle else PairConjunction)(node, tree, report, setting)
    if is_windowed_pair(node, tree, setting):
        return WindowedPairConjunction(node, tree, report, setting)
    return ConjunctionState(node, tree, report, setting, operands)
