"""Comparisons that are false whatever the document: of something that is no number with ``<`` and the like, of ``$op``
with another word than ``ins``, ``upd`` or ``del``. A schema knows of more (`xmlcep.schema.check_values`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..algebra import EventDefinition, Leaf, leaves_of, operators_of
from ..errors import RuleProblem
from ..events import ANY, OPERATIONS, PrimitiveType, Scope
from ..position import Position
from ..xpath.parser import parse_written
from ..xpath.possible import EMPTY, Values, asked_in_vain, never_true, of_variables, some_of, value_of
from ..xpath.syntax import Call, Operation, parts_of
from .active_rules import own_events
from .ruleset import Rules
from .variable_values import NOTHING, Known, VariableValues

_Asked = tuple[str, str | None, Position, Mapping[str, Values]]


def comparisons(rules: Rules) -> list[RuleProblem]:
    """The comparisons that no event makes true, in the order of the text."""
    found = []
    for subject, expression, at, known in _asked(rules):
        if expression is None:
            continue
        written = parse_written(expression, rules.namespaces)
        look = of_variables(known)
        for part in parts_of(written.syntax):
            never = None
            if isinstance(part, Operation):
                never = never_true(written, part, look)
            elif isinstance(part, Call):
                never = asked_in_vain(written, part, look)
            if never is not None:
                message = f"{subject}: {never.message}: {expression}"
                place = at.part(expression, never.at.start, never.at.width)
                found.append(RuleProblem(message, never.hint, place))
    return sorted(found, key=lambda problem: (problem.line, problem.column))


def _asked(rules: Rules) -> Iterator[_Asked]:
    """All expressions of rules: of what, where, and what is known of the variables."""

    def bound(leaf: Leaf, expression: str | None, seen: Known) -> Values | None:
        if expression is None:
            return None
        return value_of(parse_written(expression, rules.namespaces).syntax, of_variables(seen))

    values = VariableValues(rules, of_primitive, bound)
    events = {definition.name: definition for definition in rules.definitions}
    for definition in rules.definitions:
        yield from _of_event(f"event {definition.name}", definition, values)
    for own in own_events(rules.active_rules):
        yield from _of_event(f"rule {own.name}", own, values)
    for rule in rules.active_rules:
        event = (
            rule.trigger if isinstance(rule.trigger, EventDefinition) else events.get(rule.trigger.name or "")
        )
        known = NOTHING if event is None else values.of_event(event)
        yield f"rule {rule.name}", rule.condition, rule.place("if"), known
        for action in rule.actions:
            for name in ("target", "source", "value"):
                yield (
                    f"rule {rule.name}",
                    getattr(action, name, None),
                    action.places.get(name, rule.at),
                    known,
                )


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


def _of_event(subject: str, definition: EventDefinition, values: VariableValues) -> Iterator[_Asked]:
    for leaf in leaves_of(definition.expression):
        known = values.seen_by(leaf)
        for name, expression in (
            ("filter", leaf.filter),
            *((f"as {n}", value) for n, value in leaf.bindings),
        ):
            yield subject, expression, leaf.place(name), known
    for operator in operators_of(definition.expression):
        options = operator.options
        known = values.of_operator(operator)
        for name, expression in (("if", options.guard), ("having", options.having)):
            yield subject, expression, options.place(name, operator.at), known
        yield subject, options.when, options.place("when", operator.at), NOTHING
        for let in options.let:
            yield subject, let.expression, options.place(f"let {let.name}", operator.at), known
