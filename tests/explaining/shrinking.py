"""A case that breaks a law, made smaller: steps, options and operands are left out while it is broken still."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, replace

from tests.strategies import History
from xmlcep.algebra import EventDefinition, Expression, Leaf, Operator, Options
from xmlcep.algebra.options import NO_OPTIONS
from xmlcep.events import PrimitiveEvent

Case = tuple[tuple[EventDefinition, ...], History]


def smaller(case: Case, is_broken: Callable[[Case], bool]) -> Case:
    """The case with whatever is not needed to break it left out; ``is_broken`` is False of what is no case at all."""
    found: Case | None = case
    while found is not None:
        case = _with_less_history(found, is_broken)
        found = next((less for less in _simpler(case) if is_broken(less)), None)
    return case


def _with_less_history(case: Case, is_broken: Callable[[Case], bool]) -> Case:
    """Without steps, many at a time first."""
    rules, steps = case[0], list(case[1].steps)
    length = len(steps) // 2
    while length:
        at = len(steps) - length
        while at >= 0:
            left = steps[:at] + steps[at + length :]
            if left and is_broken((rules, History(tuple(left)))):
                steps = left
            at -= length
        length //= 2
    return rules, History(tuple(steps))


def _simpler(case: Case) -> Iterator[Case]:
    """Cases that are simpler in one respect."""
    definitions, history = case
    for n, definition in enumerate(definitions):
        if len(definitions) > 1:
            yield (*definitions[:n], *definitions[n + 1 :]), history
        for simple in _definitions(definition):
            yield (*definitions[:n], simple, *definitions[n + 1 :]), history
    for plain in ({"more": False}, {"txn": None}, {"meta": None}):
        steps = tuple(s._replace(**plain) if isinstance(s, PrimitiveEvent) else s for s in history.steps)
        if steps != history.steps:
            yield definitions, History(steps)


def _definitions(definition: EventDefinition) -> Iterator[EventDefinition]:
    plain = EventDefinition(definition.name, definition.expression)
    for name in ("context", "flat", "order"):
        if getattr(definition, name) != getattr(plain, name):
            yield replace(definition, **{name: getattr(plain, name)})
    for expression in _expressions(definition.expression):
        if isinstance(expression, Operator):
            yield replace(definition, expression=expression)


def _expressions(expression: Expression) -> Iterator[Expression]:
    if isinstance(expression, Leaf):
        for plain in (
            replace(expression, filter=None),
            replace(expression, bindings=()),
            replace(expression, opaque=None),
        ):
            if plain != expression:
                yield plain
        return
    operands = expression.operands
    yield from operands
    for n, operand in enumerate(operands):
        if len(operands) > 2 and not expression.negated:
            yield expression.with_operands((*operands[:n], *operands[n + 1 :]))
        for simpler in _expressions(operand):
            yield expression.with_operands((*operands[:n], simpler, *operands[n + 1 :]))
    for each in fields(Options):
        if each.compare and getattr(expression.options, each.name):
            plain_value = getattr(NO_OPTIONS, each.name)
            yield expression.with_options(replace(expression.options, **{each.name: plain_value}))
