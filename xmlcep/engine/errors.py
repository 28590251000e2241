"""What can go wrong while events are evaluated."""

from __future__ import annotations

from ..algebra import Operator
from ..errors import XmlCepError
from ..events import PrimitiveEvent


class EvaluationError(XmlCepError, RuntimeError):
    """A rule cannot be evaluated further; says which, and why.

    ``event`` is the rule's event, ``ts`` the time point at which that came out.
    """

    def __init__(self, event: str, ts: int, problem: str) -> None:
        super().__init__(problem)
        self.event = event
        self.ts = ts


class UnknownTimeError(EvaluationError):
    """A rule with durations takes a record, and no record so far has a time (W1)."""

    def __init__(self, event: str, ts: int) -> None:
        super().__init__(
            event,
            ts,
            f"event {event} has durations, and at record {ts} the time is not known: "
            "no record up to there has a time in 'at'",
        )


class EndlessBeatError(EvaluationError):
    """A periodic operator has beaten too often while nothing happened (W10).

    ``time`` is what the clock shows, ``due`` when the last of these beats was.
    """

    def __init__(self, event: str, ts: int, operator: Operator, most: int, *, time: int, due: int) -> None:
        super().__init__(
            event,
            ts,
            f"event {event}: {operator.symbol}{operator.brackets()} was raised {most} times in one window without a "
            "change there: close the window, or let it beat less often (W10)",
        )
        self.time = time
        self.due = due


class TooManyTriesError(EvaluationError):
    """``having`` was evaluated for more combinations at one arrival than allowed (Q5)."""

    def __init__(self, event: str, ts: int, limit: int) -> None:
        super().__init__(
            event,
            ts,
            f"event {event}: at record {ts} more than {limit} combinations were tried for 'having' (Q5): bind fewer "
            "operands together, give the operator a window, or allow more tries",
        )


class StateError(XmlCepError, ValueError):
    """A state that cannot be written or gone on from: of other rules, of another version, damaged; says which."""


class OpaqueError(EvaluationError):
    """The engine of another language has failed at an event (O2): that is neither a yes nor a no."""

    def __init__(self, event: str, language: str, at: PrimitiveEvent, cause: str) -> None:
        super().__init__(
            event,
            at.ts,
            f"event {event}: {language}, asked of {at.op}({at.instance}) at {at.ts}, {cause} (O2)",
        )
