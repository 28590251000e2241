"""What the events said against what the judge said, element by element."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from path_types import PathType, Step, equals_or_ends
from tests.schema.validation import Node, Outcome
from xmlcep.rules import Rules


class Comparison(NamedTuple):
    """Elements by what became of them: ``right``; ``wrong`` (expected and raised time points); without an event
    because their insertion is all there is to them."""

    right: int
    wrong: list[tuple[str, list[int], list[int]]]
    without: int


class Comparer:
    """Compares outcomes under one set of rules."""

    def __init__(self, rules: Rules) -> None:
        self._files = rules.files
        self._by_step: dict[Step, list[PathType]] = {}
        for tree in rules.graph.trees:
            if tree.name.startswith("Complete"):
                self._by_step.setdefault(tree.path.last, []).append(tree.path)

    def compare(self, nodes: Iterable[Node], outcome: Outcome) -> Comparison:
        """Every element of ``nodes`` must be raised once, when it became complete, or never if it did not; one that
        has no event must have been complete when it came, if it is of this schema."""
        right = without = 0
        wrong = []
        for node in nodes:
            if not node.is_element:
                continue
            path = node.path
            fitting = [place for place in self._by_step.get(path.last, ()) if equals_or_ends(place, path)]
            expected = [outcome.expected[node.index]] if node.index in outcome.expected else []
            raised = outcome.raised.get(node.index, [])
            if not fitting:
                without += 1
                if self._is_known(node) and expected != [outcome.came[node.index]]:
                    wrong.append((str(path), expected, []))
                continue
            if raised == expected:
                right += 1
            else:
                wrong.append((str(path), expected, raised))
        return Comparison(right, wrong, without)

    def _is_known(self, node: Node) -> bool:
        """Whether the schema's files declare an element; wildcards let in what is only the library's, such as SOAP."""
        return node.xsd is None or not self._files or str(node.xsd.schema.filepath) in self._files
