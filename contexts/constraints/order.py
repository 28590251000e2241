"""Order: each event before the next (Q1)."""

from __future__ import annotations

from ..entry import END, START, Entry
from ..group import Group
from .constraint import REFUSED, Constraint, State


class Order(Constraint):
    """Each event ends before the next starts; empty ones are skipped (E5)."""

    reason = "wrong-order"

    def begin(self, group: Group) -> State:
        return float("-inf")

    def step(self, group: Group, state: State, operand: int, entry: Entry) -> State:
        # An empty interval is (inf, -inf): it starts after everything, and does not move the end.
        if entry[START] <= state:
            return REFUSED
        end = entry[END]
        return end if end > state else state
