"""From each to the next: a constraint between neighbours goes through what is taken along between them, too (A6)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..entry import EMPTY_START, END, START, Entry
from ..group import Group
from .absence import Absence
from .constraint import REFUSED, Constraint, Objection, State


class FromEach(Constraint):
    """What ``inner`` asks of neighbours is asked from each of the ``collected`` events between them to the next."""

    reason = ""  # that of the other one

    def __init__(self, inner: Constraint, collected: Sequence[Absence]) -> None:
        self.inner = inner
        self.collected = tuple(collected)

    def begin(self, group: Group) -> State:
        return None, -1, self.inner.begin(group)

    def step(self, group: Group, state: State, operand: int, entry: Entry) -> State:
        if entry[START] == EMPTY_START:
            return state
        inside = state[2]
        for one in self._up_to(group, state, operand, entry):
            inside = self.inner.step(group, inside, operand, one)
            if inside is REFUSED:
                return REFUSED
        return entry[END], operand, inside

    def objection(self, group: Group, state: State, operand: int, entry: Entry) -> Objection:
        inside = state[2]
        for one in self._up_to(group, state, operand, entry):
            stepped = self.inner.step(group, inside, operand, one)
            if stepped is REFUSED:
                return self.inner.objection(group, inside, operand, one)
            inside = stepped
        return super().objection(group, state, operand, entry)

    def _up_to(self, group: Group, state: State, operand: int, entry: Entry) -> Iterator[Entry]:
        """What lies behind the last event, in the order in which it ends, and then this one."""
        end, last, _ = state
        if end is not None:
            places = [each for each in self.collected if last <= each.before < operand]
            yield from sorted(
                (one for place in places for one in place.between(group, end, entry[START])), key=group.end
            )
        yield entry
