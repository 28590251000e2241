"""An external event at run time: it has no operands, so nothing arrives; `Detector.raise_external` raises it (L7)."""

from __future__ import annotations

from collections.abc import Sequence

from contexts import Entry
from contexts.grouping import Key

from ...events import Cause
from .state import OperatorState


class ExternalState(OperatorState):
    """Nothing is stored."""

    def arrive(self, child: int, key: Key, arrivals: Sequence[Entry], cause: Cause) -> None:
        raise AssertionError("an external event has no operands")


new_state = ExternalState
