"""Gaps: each event starts at most so far after the end of the one before it (W4)."""

from __future__ import annotations

from ..entry import FIRST, LAST, Entry
from ..group import Group
from .constraint import REFUSED, Constraint, Objection, State


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
