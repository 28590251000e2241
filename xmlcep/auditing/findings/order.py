"""The order of findings of one document and time point: by event type, operator, path ids, the values by which the
operator groups (V7), then as raised."""

from __future__ import annotations

from ...events import CompositeEvent
from ...rules import Rules
from ...xpath.values import text_of
from .encoding import FindingEncoder


class Ranking:
    """Says where composites are in the order of findings, by the rules as a whole; ``encode`` writes them."""

    def __init__(self, rules: Rules) -> None:
        self._places: dict[tuple[str, str | None], int] = {}
        self.names: list[str] = []
        """The names of the trees that places belong to, by the place's number."""
        self.encode = FindingEncoder().encode
        self._variables: list[tuple[str, ...]] = []  # by which the operator of a place groups
        for tree in rules.graph.trees:
            for operator in tree.operators:
                label = None if operator.parent is None else operator.label
                self._places[tree.name, label] = len(self.names)
                self.names.append(tree.name)
                program = rules.graph.programs[tree.index][operator.index]
                self._variables.append(tuple(sorted(program.grouping.names)))

    def number(self, composite: CompositeEvent) -> int:
        """The place of the composite's event type and operator: by tree in order of G2, then in postorder."""
        return self._places[composite[0], composite[1]]

    def values(self, composite: CompositeEvent) -> tuple[str, ...]:
        """The values by which its operator groups, as text."""
        names = self._variables[self.number(composite)]
        if not names:
            return ()
        bindings = composite.bindings or {}
        return tuple(text_of(bindings.get(name)) for name in names)

    def place(self, composite: CompositeEvent) -> tuple[int, tuple[int, ...], tuple[str, ...]]:
        """The sort key of composites of one document and time point (the sort has to be stable)."""
        return self.number(composite), composite[3], self.values(composite)
