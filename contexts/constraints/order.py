"""Order and difference: each event before the next, or just another one (Q1)."""

from __future__ import annotations

from ..entry import END, EVENT, START, Entry
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


class Difference(Constraint):
    """The events of the operands are different ones, where one event may be stored in several."""

    reason = "never-occurred"  # another one

    def begin(self, group: Group) -> State:
        return frozenset()

    def step(self, group: Group, state: State, operand: int, entry: Entry) -> State:
        identity = id(entry[EVENT])
        return REFUSED if identity in state else state | {identity}
