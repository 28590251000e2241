"""What a walk through rules begins with: their event definitions, by what messages call them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from path_types import equals_or_ends

from ..algebra import EventDefinition, Leaf
from ..errors import RuleProblem
from ..events import ANY, CompositeType, PrimitiveType, Scope
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


def takes_all(wide: Leaf, narrow: Leaf) -> bool:
    """Whether one leaf takes every event that another one takes."""
    if wide.filter not in (None, narrow.filter) or wide.opaque not in (None, narrow.opaque):
        return False
    one, other = wide.type, narrow.type
    if one.scope is not Scope.NODE or other.scope is not Scope.NODE:
        return False
    if isinstance(one, PrimitiveType) and isinstance(other, PrimitiveType):
        return one.operation in (ANY, other.operation) and equals_or_ends(one.path, other.path)
    if isinstance(one, CompositeType) and isinstance(other, CompositeType):
        return one.name == other.name and equals_or_ends(one.path, other.path)
    return False
