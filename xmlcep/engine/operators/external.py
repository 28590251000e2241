"""An external event at run time: it has no operands, so nothing arrives; `Detector.raise_external` raises it (L7)."""

from __future__ import annotations

from collections.abc import Sequence

from contexts import Entry
from contexts.grouping import Key

from ...algebra import Promise
from ...events import Cause, CompositeEvent
from ...rules.trees import EventTree, OperatorNode
from ..setting import Setting
from .state import OperatorState


class ExternalState(OperatorState):
    """Nothing is stored."""

    def arrive(self, child: int, key: Key, arrivals: Sequence[Entry], cause: Cause) -> None:
        raise AssertionError("an external event has no operands")

    def forget(self, key: Key) -> None:
        """There is nothing to free."""

    def size(self) -> int:
        return 0


def new_state(
    node: OperatorNode, tree: EventTree, report: list[CompositeEvent] | None, setting: Setting,
    operands: Sequence[Promise],
) -> ExternalState:  # fmt: skip
    """The running state of an external event."""
    return ExternalState(node, tree, report, setting)
