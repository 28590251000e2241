"""The order of findings of one document and time point: by event type, operator, path ids, then as raised."""

from __future__ import annotations

from ...events import CompositeEvent
from ...rules import Rules
from .encoding import FindingEncoder


class Ranking:
    """Says where composites stand in the order of findings, by the rules as a whole; ``encode`` writes them."""

    def __init__(self, rules: Rules) -> None:
        self._places: dict[tuple[str, str | None], int] = {}
        self.names: list[str] = []
        """The names of the trees that places belong to, by the place's number."""
        self.encode = FindingEncoder().encode
        for tree in rules.graph.trees:
            for operator in tree.operators:
                label = None if operator.parent is None else operator.label
                self._places[tree.name, label] = len(self.names)
                self.names.append(tree.name)

    def number(self, composite: CompositeEvent) -> int:
        """The place of the composite's event type and operator: by tree in order of G2, then in postorder."""
        return self._places[composite[0], composite[1]]

    def place(self, composite: CompositeEvent) -> tuple[int, tuple[int, ...]]:
        """The sort key of composites of one document and time point (the sort has to be stable)."""
        return self._places[composite[0], composite[1]], composite[3]
