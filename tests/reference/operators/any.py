"""Any ``any[m](a, b, …)``: m different events of m operands (S1, Z20)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations as choices
from itertools import product

from xmlcep.algebra import AnyOf, ContextName

from .. import contexts
from ..contexts import Choice
from ..events import Entry, Group
from ..runs import Run
from .combining import Combining


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
                yield list(combination)

    def _newest(self, group: Group) -> Iterator[list[Entry]]:
        """Recent tries one: of the operands whose newest are the newest, the arrival first, different events."""
        found: list[Entry] = []
        newest = sorted(group.stored, key=contexts.when_stored, reverse=True)
        arrived = [entry for entry in group.stored if entry.fresh]
        for entry in [*arrived[-1:], *newest]:
            if len(found) < self.width and not any(entry.event is other.event for other in found):
                found.append(entry)
        if len(found) == self.width:
            yield sorted(found, key=lambda entry: entry.child)

    def is_related(self, group: Group, combination: list[Entry], *, complete: bool) -> bool:
        """They are different events."""
        return all(
            entry.event is not other.event
            for index, entry in enumerate(combination)
            for other in combination[:index]
        )

    def lacking(self, run: Run) -> list[int]:
        have = [entry.child for entry in run.entries]
        return [index for index in self.needed if index not in have]

    def choice(self, group: Group, new: list[Entry]) -> Choice:
        """Cumulative without constraints: once m operands have events, all events of all operands."""

        def combinations() -> list[list[Entry]]:
            found = self.combinations(group)
            everything = (
                self.context is ContextName.CUMULATIVE and self.within is None and self.having is None
            )
            return [group.stored] if found and everything else found

        return Choice(combinations, new, oldest=contexts.stored_earliest, newest=contexts.stored_latest)

    def consume(self, group: Group, entries: list[Entry]) -> None:
        """What is consumed in one operand is consumed in all."""
        super().consume(group, self.consumed_with(group, entries))

    def consumed_with(self, group: Group, combination: list[Entry]) -> list[Entry]:
        """The same, of a run, too: itself, and then the others."""
        others = [
            other
            for other in group.stored
            if not contexts.is_in(other, combination)
            and any(other.event is entry.event for entry in combination)
        ]
        return [*combination, *others]


STATE = AnyOfState
