"""Contexts where they mean something: an operator to which one means nothing is a mistake (Q3)."""

from __future__ import annotations

from dataclasses import replace

from xmlcep.algebra import ContextName, EventDefinition, Expression, Operator, operators_of


def with_meaning(definition: EventDefinition) -> EventDefinition:
    """The definition with other contexts where those drawn mean nothing."""
    root = _fitted(definition.expression, definition.context, below_not=False)
    assert isinstance(root, Operator)
    means = definition.context in root.contexts or any("context" in each.takes for each in operators_of(root))
    return replace(
        definition, expression=root, context=definition.context if means else ContextName.CHRONICLE
    )


def _fitted(expression: Expression, default: ContextName, *, below_not: bool) -> Expression:
    if not isinstance(expression, Operator):
        return expression
    operands = [
        _fitted(operand, default, below_not=below_not or index in expression.negated)
        for index, operand in enumerate(expression.operands)
    ]
    own = expression.options.context
    context = own or (ContextName.UNRESTRICTED if below_not else default)
    if "context" not in expression.takes:
        own = None
    elif context not in expression.contexts:
        own = ContextName.CONTINUOUS
    options = replace(expression.options, context=own)
    return replace(expression, operands=tuple(operands), options=options)  # type: ignore[type-var]
