"""Contexts that mean nothing where they are given (rule Q3)."""

from __future__ import annotations

from collections.abc import Iterator

from ..algebra import ContextName, EventDefinition, Expression, Operator, operators_of
from ..position import Position


def meaningless_contexts(definition: EventDefinition) -> Iterator[tuple[str, str, Position]]:
    """What is wrong, what to write instead, and where: of the operators that can have a context of their own and, where
    there are none, of the event."""
    root, context = definition.expression, definition.context
    yield from _of_operators(root, context)
    if not isinstance(root, Operator) or any("context" in each.takes for each in operators_of(root)):
        return
    if context not in root.contexts:
        message = f"the context {context.value} means nothing to {root.symbol} (Q3)"
        yield message, "leave the context out", definition.at


def _of_operators(operator: Expression, default: ContextName) -> Iterator[tuple[str, str, Position]]:
    if not isinstance(operator, Operator):
        return
    context = operator.options.context or default
    if "context" in operator.takes and context not in operator.contexts:
        known = ", ".join(sorted(each.value for each in operator.contexts))
        yield (
            f"the context {context.value} means nothing to {operator.symbol} (Q3)",
            f"give it one of its own, after it: {{context=…}} with {known}",
            operator.options.place("context", operator.at),
        )
    for index, operand in enumerate(operator.operands):  # below `not` the default is another (A1)
        yield from _of_operators(operand, ContextName.UNRESTRICTED if index in operator.negated else default)
