"""What a walk through rules begins with: their event definitions, by what messages call them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..algebra import EventDefinition, Leaf
from ..errors import RuleProblem
from ..events import PrimitiveType, Scope
from ..rules.active_rules import own_events
from ..rules.ruleset import Rules


def definitions_of(rules: Rules) -> Iterator[tuple[str, EventDefinition]]:
    """The events of some rules, and those that action rules have of their own (L1), each with its subject."""
    for definition in rules.definitions:
        yield f"event {definition.name}", definition
    for own in own_events(rules.active_rules):
        yield f"rule {own.name}", own


def events_by_name(rules: Rules) -> dict[str, EventDefinition]:
    """The same by name."""
    return {definition.name: definition for _, definition in reversed([*definitions_of(rules)])}


def operation_of(leaf: Leaf) -> str | None:
    """The operation that a leaf takes of the very nodes that its path names; None: of others, too (F5)."""
    type_ = leaf.type
    return type_.operation if isinstance(type_, PrimitiveType) and type_.scope is Scope.NODE else None


def in_order(problems: Iterable[RuleProblem]) -> list[RuleProblem]:
    """Problems in the order of the text."""
    return sorted(problems, key=lambda problem: (problem.line, problem.column))
