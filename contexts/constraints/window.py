"""Windows and gaps: how far apart events may be, as a whole (W3) or from one to the next (W4)."""

from __future__ import annotations

from ..entry import FIRST, LAST, Entry
from ..group import Group
from .constraint import REFUSED, Constraint, Objection, State


class Within(Constraint):
    """The earliest and the latest primitive event are at most ``amount`` apart, by the measure ``unit`` (W2).

    ``unit`` is the place of the measure in a `Moment`: 0 time points, 1 time, 2 transactions.
    """

    reason = "expired"

    def __init__(self, amount: int, unit: int) -> None:
        self.amount = amount
        self.unit = unit

    def begin(self, group: Group) -> State:
        return ()

    def step(self, group: Group, state: State, operand: int, entry: Entry) -> State:
        if entry[FIRST] is None:
            return state  # an empty composite is nowhere (E5)
        first, last = entry[FIRST][self.unit], entry[LAST][self.unit]
        if state:
            first, last = min(first, state[0]), max(last, state[1])
        return (first, last) if last - first <= self.amount else REFUSED

    def objection(self, group: Group, state: State, operand: int, entry: Entry) -> Objection:
        first, last = entry[FIRST][self.unit], entry[LAST][self.unit]
        if state:
            first, last = min(first, state[0]), max(last, state[1])
        return Objection(self.reason, (entry,), last - first - self.amount, self.amount, self.unit)


class Gap(Constraint):
    """Neighbours are at most ``amount`` apart, by the measure ``unit`` (as for `Within`); empty ones are skipped."""

    reason = "gap"

    def __init__(self, amount: int, unit: int) -> None:
        self.amount = amount
        self.unit = unit

    def begin(self, group: Group) -> State:
        return None

    def step(self, group: Group, state: State, operand: int, entry: Entry) -> State:
        if entry[FIRST] is None:
            return state
        if state is not None and entry[FIRST][self.unit] - state > self.amount:
            return REFUSED
        return entry[LAST][self.unit]

    def objection(self, group: Group, state: State, operand: int, entry: Entry) -> Objection:
        return Objection(
            self.reason, (entry,), entry[FIRST][self.unit] - state - self.amount, self.amount, self.unit
        )
