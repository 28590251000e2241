"""External events ``event NAME(path) = external`` (L7): nothing arrives, and what is raised comes from outside."""

from __future__ import annotations

from ..clock import Later
from ..events import External
from ..steps import Raise
from .operator import OperatorState


class ExternalState(OperatorState):
    """An external event."""

    def happen(self, step: Raise) -> None:
        """If it is this one that is raised, it happens at the time point of the last record."""
        name, place = self.definition.name, step.place
        if step.name == name:
            cause = self.cause()
            happened = Later.than(cause.ts, self.around.now)
            self.raised.append(External(name, place, [], cause, None, happened=happened))


STATE = ExternalState
