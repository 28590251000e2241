"""Difference: no event is in a combination twice (Q1)."""

from __future__ import annotations

from ..entry import EVENT, Entry
from ..group import Group
from .constraint import REFUSED, Constraint, State


class Difference(Constraint):
    """The events of the operands are different ones, where one event may be stored in several."""

    reason = "never-occurred"  # another one

    def begin(self, group: Group) -> State:
        return frozenset()

    def step(self, group: Group, state: State, operand: int, entry: Entry) -> State:
        identity = id(entry[EVENT])
        return REFUSED if identity in state else state | {identity}
