"""Conditions that are false whatever the document: comparisons of something that is no number with ``<`` and the like,
of ``$op`` with another word than ``ins``, ``upd`` or ``del``, of ``count($x)`` with more than there can be; and what
asks nothing, such as ``false()``. A schema knows of more (`xmlcep.schema.check_values`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ..algebra import EventDefinition, Leaf, leaves_of, operators_of
from ..errors import RuleProblem
from ..events import ANY, OPERATIONS, PrimitiveType, Scope
from ..position import Position
from ..rules.active_rules import own_events
from ..rules.ruleset import Rules
from ..xpath.parser import parse_written
from ..xpath.syntax import Call, Operation, parts_of
from .constant import falsehood
from .values import EMPTY, Never, Values, asked_in_vain, never_true, of_variables, some_of, value_of
from .variable_counts import Most, VariableCounts
from .variable_values import NOTHING, Known, VariableValues


class _Asked(NamedTuple):
    """An expression of the rules: of what, where, what is known of its variables; ``asks``: is it a condition."""

    subject: str
    expression: str | None
    at: Position
    known: Known
    most: Most
    asks: bool = True


def comparisons(rules: Rules) -> list[RuleProblem]:
    """The comparisons that no event makes true, in the order of the text."""
    found: list[RuleProblem] = []
    for asked in _asked(rules):
        if asked.expression is not None:
            found += _of_expression(asked, asked.expression, rules.namespaces)
    return sorted(found, key=lambda problem: (problem.line, problem.column))


def _of_expression(asked: _Asked, expression: str, namespaces: Mapping[str, str]) -> Iterator[RuleProblem]:
    written = parse_written(expression, namespaces)
    look = of_variables(asked.known, asked.most)
    nevers = [
        never_true(written, part, look) if isinstance(part, Operation) else asked_in_vain(written, part, look)
        for part in parts_of(written.syntax)
        if isinstance(part, Operation | Call)
    ]
    said = [never for never in nevers if never is not None]
    if not said and asked.asks and (part := falsehood(written)) is not None:
        said = [Never(f"{written.of(part)} is never true", "", written.extent(part))]
    for never in said:
        place = asked.at.part(expression, never.at.start, never.at.width)
        yield RuleProblem(f"{asked.subject}: {never.message}: {expression}", never.hint, place)


def _asked(rules: Rules) -> Iterator[_Asked]:
    """All expressions of rules: of what, where, and what is known of the variables."""

    def bound(leaf: Leaf, expression: str | None, seen: Known) -> Values | None:
        if expression is None:
            return None
        return value_of(parse_written(expression, rules.namespaces).syntax, of_variables(seen))

    values, counts = VariableValues(rules, of_primitive, bound), VariableCounts(rules)
    events = {definition.name: definition for definition in rules.definitions}
    for definition in rules.definitions:
        yield from _of_event(f"event {definition.name}", definition, values, counts)
    for own in own_events(rules.active_rules):
        yield from _of_event(f"rule {own.name}", own, values, counts)
    for rule in rules.active_rules:
        event = (
            rule.trigger if isinstance(rule.trigger, EventDefinition) else events.get(rule.trigger.name or "")
        )
        known = NOTHING if event is None else values.of_event(event)
        most: Most = {} if event is None else counts.of_event(event)
        yield _Asked(f"rule {rule.name}", rule.condition, rule.place("if"), known, most)
        for action in rule.actions:
            for name in ("target", "source", "value"):
                yield _Asked(
                    f"rule {rule.name}", getattr(action, name, None), action.places.get(name, rule.at),
                    known, most, asks=False,
                )  # fmt: skip


def of_primitive(leaf: Leaf) -> Known:
    """What is known of every event that a leaf takes (F2)."""
    if not isinstance(leaf.type, PrimitiveType):
        return {}
    operation = leaf.type.operation
    words = OPERATIONS if operation == ANY else [operation]
    known = {} if operation is None else {"op": some_of(map(str, words))}
    if leaf.type.scope is Scope.NODE:
        is_element = leaf.type.path.last.is_element
        known |= {"old": EMPTY} if is_element or operation == "ins" else {}
        known |= {"new": EMPTY} if is_element or operation == "del" else {}
    return known


def _of_event(
    subject: str, definition: EventDefinition, values: VariableValues, counts: VariableCounts
) -> Iterator[_Asked]:
    for leaf in leaves_of(definition.expression):
        known, most = values.seen_by(leaf), counts.seen_by(leaf)
        yield _Asked(subject, leaf.filter, leaf.place("filter"), known, most)
        for name, value in leaf.bindings:
            yield _Asked(subject, value, leaf.place(f"as {name}"), known, most, asks=False)
    for operator in operators_of(definition.expression):
        options = operator.options
        known, most = values.of_operator(operator), counts.of_expression(operator, definition.context)
        for name, expression in (("if", options.guard), ("having", options.having)):
            yield _Asked(subject, expression, options.place(name, operator.at), known, most)
        yield _Asked(subject, options.when, options.place("when", operator.at), NOTHING, {})
        for let in options.let:
            place = options.place(f"let {let.name}", operator.at)
            yield _Asked(subject, let.expression, place, known, most, asks=False)
