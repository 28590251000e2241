"""Any ``any[m](a, b, …)``: m different events of m operands (S1)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations as choices
from itertools import product

from xmlcep.algebra import AnyOf, ContextName

from .. import contexts
from ..contexts import Choice
from ..events import Entry, Group
from ..runs import Run
from .combining import Combining, are_different


class AnyOfState(Combining):
    """Some of several. The combinations are ordered by their operands, then by their stored order."""

    @property
    def optional(self) -> list[int]:
        """What has not occurred does not count."""
        return []

    @property
    def width(self) -> int:
        """How many."""
        assert isinstance(self.expression, AnyOf)
        return self.expression.count

    def is_whole(self, entries: list[Entry]) -> bool:
        return len(entries) == self.width

    def enumerate(self, group: Group) -> Iterator[list[Entry]]:
        if self.context is ContextName.RECENT:
            yield from self._newest(group)
            return
        for children in choices(self.needed, self.width):
            for combination in product(*(group.child(index) for index in children)):
                if are_different(list(combination)):
                    yield list(combination)

    def _newest(self, group: Group) -> Iterator[list[Entry]]:
        """Recent tries one: of the operands whose newest are the newest, different events."""
        found: list[Entry] = []
        for entry in sorted(group.stored, key=contexts.age, reverse=True):
            if len(found) < self.width and are_different([*found, entry]):
                found.append(entry)
        if len(found) == self.width:
            yield sorted(found, key=lambda entry: entry.child)

    def lacking(self, run: Run) -> list[int]:
        have = [entry.child for entry in run.entries]
        return [index for index in self.needed if index not in have]

    def choice(self, group: Group, new: list[Entry]) -> Choice:
        return Choice(
            lambda: self.combinations(group),
            new,
            oldest=contexts.oldest_of_all,
            newest=contexts.newest_of_all,
        )


STATE = AnyOfState
