"""The aperiodic operator at run time: b in a window that a opens and c closes (W8)."""

from __future__ import annotations

from collections.abc import Sequence

from contexts import Entry
from contexts.grouping import Key

from ...algebra import Promise
from ...events import Cause, CompositeEvent
from ...rules.trees import EventTree, OperatorNode
from ..setting import Setting
from .opened import OpenedState


class AperiodicState(OpenedState):
    """Each b raises with the windows in effect, and is consumed, in whatever window or none."""

    def occur(self, key: Key, entry: Entry, cause: Cause) -> None:
        for window in self.before(key, entry):
            self.raise_combination([*window, entry], key, cause)
        self.consumed_by(1, (entry,))

    def close(self, key: Key, entry: Entry, cause: Cause) -> None:
        for window in self.before(key, entry):
            self.shut(key, window)


def new_state(
    node: OperatorNode, tree: EventTree, report: list[CompositeEvent] | None, setting: Setting,
    operands: Sequence[Promise],
) -> AperiodicState:  # fmt: skip
    """The running state of ``aperiodic``."""
    return AperiodicState(node, tree, report, setting)
