"""Sequence ``a ; not b ; c …`` (Q1), and how closely it follows (S3, W4)."""

from __future__ import annotations

from itertools import pairwise

from xmlcep.algebra import Sequence

from .. import constraints
from ..contexts import Choice
from ..events import Entry, Group
from ..runs import Run
from .aside import Candidate, WithAside


class SequenceState(WithAside):
    """A sequence."""

    def _sequence(self) -> Sequence:
        assert isinstance(self.expression, Sequence)
        return self.expression

    @property
    def behind(self) -> list[int]:
        return [index for index in self.beside if index > self.positive[-1]]

    # Constraints

    def is_related(self, group: Group, combination: list[Entry], *, complete: bool) -> bool:
        options = self._sequence().options
        if not constraints.in_order(self.definition.order, combination):
            return False
        closely = self._with_all_in_between(group, combination) if options.gap or options.strict else []
        if options.gap is not None and not constraints.gaps(self.around.clock, options.gap, closely):
            return False
        if options.strict and not constraints.contiguous(self, group.key, closely):
            return False
        return not self.has_wrong_aside(group, combination, complete=complete)

    def _with_all_in_between(self, group: Group, combination: list[Entry]) -> list[Entry]:
        """A6: what lies between neighbours comes with them in the order in which it ends."""
        found: list[Entry] = []
        solid = constraints.filled(combination)
        for before, after in pairwise(solid):
            between = [
                entry
                for child in self.along
                if before.child < child < after.child
                for entry in group.child(child)
                if self.lies(entry, before, after)
            ]
            found += [before, *sorted(between, key=lambda entry: entry.rank)]
        return found + solid[-1:]

    # Choosing

    def lacking(self, run: Run) -> list[int]:
        """The next one; behind what may be left out, those behind that, too."""
        return self._until_needed([index for index in self.positive if index > run.entries[-1].child])

    def begins(self, entry: Entry) -> bool:
        return entry.child in self._until_needed(list(self.positive))

    def _until_needed(self, operands: list[int]) -> list[int]:
        needed = [place for place, index in enumerate(operands) if index not in self.optional]
        return operands[: needed[0] + 1] if needed else operands

    def choice(self, group: Group, new: list[Entry]) -> Choice:
        return Choice(
            lambda: self.combinations(group),
            new,
            first=self.positive[0],
            last=self.positive[-1],
            along=self.along,
        )

    # Candidates (A3)

    def lies_around(self, candidate: Candidate, entry: Entry) -> bool:
        """Behind all of its events."""
        return all(
            constraints.before(self.definition.order, member, entry)
            for member in constraints.filled(candidate.entries)
        )


STATE = SequenceState
