"""Rules that can never match documents of a schema."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from path_types import PathType, Step, equals_or_ends

from ..algebra import EventDefinition, Leaf, Multiplicity, Operator, Position, operators_of
from ..errors import RuleProblem
from ..events import CompositeType, PrimitiveType
from ..language.printer import print_path
from ..rules import Rules
from .deriving import open_schema
from .loading import Locations
from .vocabulary import Vocabulary

if TYPE_CHECKING:
    from xmlschema import XMLSchema10


def check_rules(
    rules: Rules, schema: str | Path | XMLSchema10, *, locations: Locations | None = None
) -> list[RuleProblem]:
    """What in the rules can never occur in valid documents of the schema, with the nearest that can.

    Found are paths that no node can have, updates of elements (which have no value), multiplicities above
    maxOccurs, and uses of events at paths at which they are never raised. The rules themselves are right: this is
    about the schema. Raises `SchemaError` for a schema that cannot be read.
    """
    checker = _Checker(rules, Vocabulary(open_schema(schema, locations)))
    problems = [problem for definition in rules.definitions for problem in checker.definition(definition)]
    return sorted(problems, key=lambda problem: (problem.line, problem.column))


class _Checker:
    """Checks definitions against what the schema allows."""

    def __init__(self, rules: Rules, vocabulary: Vocabulary) -> None:
        self.rules = rules
        self.vocabulary = vocabulary
        self.raised = {tree.name: tree.path for tree in rules.graph.trees}

    def definition(self, definition: EventDefinition) -> Iterator[RuleProblem]:
        said: set[tuple[str, Position]] = set()
        for operator, leaf in _leaves(definition.expression):
            for message, hint in (*self._leaf(leaf), *self._bounds(operator, leaf)):
                if (message, leaf.at) not in said:
                    said.add((message, leaf.at))
                    yield RuleProblem(f"event {definition.name}: {message}", hint, leaf.at)
        for operator in operators_of(definition.expression):
            path = operator.options.path
            mismatch = None if path is None else self.vocabulary.mismatch(path)
            if path is not None and mismatch is not None:
                at = operator.options.place("path", operator.at)
                hint = self._near(mismatch.near)
                yield RuleProblem(
                    f"event {definition.name}: {mismatch.message}: {self._shown(path)}", hint, at
                )

    def _leaf(self, leaf: Leaf) -> Iterator[tuple[str, str]]:
        path = leaf.type.path
        mismatch = self.vocabulary.mismatch(path)
        if mismatch is not None:
            yield f"{mismatch.message}: {self._shown(path)}", self._near(mismatch.near)
        elif isinstance(leaf.type, PrimitiveType):
            if leaf.type.operation == "upd" and path.last.is_element:
                yield from self._element_update(path)
        elif leaf.type.name is not None:
            yield from self._never_there(leaf.type)

    def _element_update(self, path: PathType) -> Iterator[tuple[str, str]]:
        text = path.child(Step.text())
        has_text = self.vocabulary.allows(text)
        yield (
            f"an element has no value that could be updated: upd({self._shown(path)})",
            f"write upd({self._shown(text)})"
            if has_text
            else "write upd of one of its attributes, or * for any operation",
        )

    def _never_there(self, type_: CompositeType) -> Iterator[tuple[str, str]]:
        """The event is raised at paths that end with its own path type; these must go together with the leaf's."""
        assert type_.name is not None
        raised = self.raised.get(type_.name)
        if raised is None or equals_or_ends(type_.path, raised) or equals_or_ends(raised, type_.path):
            return
        yield (
            f"{type_.name} is raised at {self._shown(raised)}, never at {self._shown(type_.path)}",
            f"write {type_.name}({self._shown(raised)})",
        )

    def _bounds(self, operator: Operator, leaf: Leaf) -> Iterator[tuple[str, str]]:
        """A multiplicity over the children of one element that asks for more of them than maxOccurs."""
        path = leaf.type.path
        if not isinstance(operator, Multiplicity) or not isinstance(leaf.type, PrimitiveType):
            return
        if leaf.type.operation != "ins" or (operator.options.path or path.parent) is not path.parent:
            return
        most = self.vocabulary.most(path)
        if most is not None and operator.lower > most and self.vocabulary.allows(path):
            parent = path.parent
            upper = "*" if operator.upper is None else operator.upper
            yield (
                f"x[{operator.lower},{upper}] asks for more than the schema allows: "
                f"one {parent.last.test.rpartition('}')[2] if parent else 'element'} has at most {most} of "
                f"{self._shown(path)}",
                f"write x[{most},{most}]" if most else "leave it out",
            )

    def _near(self, path: PathType | None) -> str:
        return "" if path is None else f"the nearest path in the schema is {self._shown(path)}"

    def _shown(self, path: PathType) -> str:
        return print_path(path, self.rules.namespaces)


def _leaves(root: Operator) -> Iterator[tuple[Operator, Leaf]]:
    """All leaves, each with the operator it belongs to."""
    for operator in operators_of(root):
        for operand in operator.operands:
            if isinstance(operand, Leaf):
                yield operator, operand
