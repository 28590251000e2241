"""Interval relations ``a during b`` (R1)."""

from __future__ import annotations

from xmlcep.algebra import Relation

from .. import constraints
from ..events import Entry, Group
from .combining import Combining


class RelationState(Combining):
    """A conjunction of two whose intervals satisfy the relation."""

    @property
    def optional(self) -> list[int]:
        """A relation is between two: nothing of it can be left out (M5)."""
        return []

    def is_related(self, group: Group, combination: list[Entry], *, complete: bool) -> bool:
        assert isinstance(self.expression, Relation)
        return not complete or constraints.related(self.expression.word, combination)


STATE = RelationState
