"""The cumulating periodic operator at run time: at c, with the times that have passed since a (W10)."""

from __future__ import annotations

from collections.abc import Sequence

from contexts import Entry
from contexts.entry import LAST
from contexts.grouping import Key

from ...algebra import Periodic, Promise
from ...events import Cause, CompositeEvent
from ...rules.trees import EventTree, OperatorNode
from ..setting import Setting
from .opened import OpenedState


class PeriodicStarState(OpenedState):
    """c raises with the windows in effect, and closes them. The variable ``times`` counts the beats before it."""

    def __init__(
        self, node: OperatorNode, tree: EventTree, report: list[CompositeEvent] | None, setting: Setting
    ) -> None:
        super().__init__(node, tree, report, setting)
        definition = node.definition
        assert isinstance(definition, Periodic)
        self.beat = definition.beat.amount

    def close(self, key: Key, entry: Entry, cause: Cause) -> None:
        windows = self.before(key, entry)
        for window in windows:
            times = self._times(window[0])
            if times:
                self.raise_combination([*window, entry], cause, {"times": times})
        for window in windows:
            self.shut(key, window)

    def _times(self, entry: Entry) -> int:
        """How many beats lie before the present, from the end of a on (Z19)."""
        if entry[LAST] is None:
            return 0
        passed: int = self.clock.now() - entry[LAST].time
        return max(0, (passed - 1) // self.beat)


def new_state(
    node: OperatorNode, tree: EventTree, report: list[CompositeEvent] | None, setting: Setting,
    operands: Sequence[Promise],
) -> PeriodicStarState:  # fmt: skip
    """The running state of ``periodic*``."""
    return PeriodicStarState(node, tree, report, setting)
