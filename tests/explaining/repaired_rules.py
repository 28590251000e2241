"""What is wrong with a rule according to an explanation, mended: the rule without what the reason names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import count
from typing import Any

from xmlcep.algebra import (
    Conjunction,
    ContextName,
    EventDefinition,
    Expression,
    Leaf,
    Multiplicity,
    Relation,
    Sequence,
)
from xmlcep.explaining import Reason
from xmlcep.explaining.values import Cause


def mended(definitions: tuple[EventDefinition, ...], cause: Cause) -> tuple[EventDefinition, ...] | None:
    """The events without what holds one back; None if that is not in the rules, or other rules would not help."""
    found = [_mended(definition, cause) for definition in definitions]
    return None if None in found else tuple(one for one in found if one is not None)


def _mended(definition: EventDefinition, cause: Cause) -> EventDefinition | None:
    if cause.reason is Reason.ELSEWHERE:
        return replace(definition, flat=True)
    mend = _unjoined() if cause.reason in _OF_VALUES else _MENDS.get(cause.reason)
    if mend is None or (cause.reason in _ONLY_WITH_FIX and not cause.fix) or " is due " in cause.text:
        return None
    context = ContextName.UNRESTRICTED if cause.reason in _OF_CONTEXTS else definition.context
    return replace(definition, expression=_everywhere(definition.expression, mend), context=context)


def _everywhere(expression: Expression, mend: Callable[[Any], Any]) -> Any:
    if isinstance(expression, Leaf):
        return mend(expression)
    operands = tuple(_everywhere(operand, mend) for operand in expression.operands)
    return mend(expression.with_operands(operands))


def _without(**options: Any) -> Callable[[Any], Any]:
    def mend(expression: Any) -> Any:
        if isinstance(expression, Leaf):
            return expression
        return expression.with_options(replace(expression.options, **options))

    return mend


def _unfiltered(expression: Any) -> Any:
    return replace(expression, filter=None, opaque=None) if isinstance(expression, Leaf) else expression


def _unjoined() -> Callable[[Any], Any]:
    """Each leaf has variables of its own then."""
    numbers = count()

    def mend(expression: Any) -> Any:
        if isinstance(expression, Leaf):
            bindings = tuple(each._replace(name=f"own{next(numbers)}") for each in expression.bindings)
            return replace(expression, bindings=bindings)
        return expression.with_options(replace(expression.options, by=(), let=(), having=None))

    return mend


def _in_any_order(expression: Any) -> Any:
    if not isinstance(expression, Sequence):
        return expression
    operands = tuple(expression.operands[k] for k in expression.positive)
    options = replace(expression.options, gap=None, strict=False)
    if len(operands) == 1:
        return Multiplicity(operands, 1, 1, replace(options, within=None, having=None))
    return Conjunction(operands, options)


def _unrelated(expression: Any) -> Any:
    return (
        Conjunction(expression.operands, expression.options)
        if isinstance(expression, Relation)
        else expression
    )


_MENDS: dict[Reason, Callable[[Any], Any]] = {
    Reason.WRONG_ORDER: _in_any_order,
    Reason.ABSENCE_VIOLATED: _in_any_order,
    Reason.EXPIRED: _without(within=None, slide=False),
    Reason.GAP: _without(gap=None),
    Reason.NOT_CONTIGUOUS: _without(strict=False),
    Reason.FILTERED: _unfiltered,
    Reason.HAVING_FALSE: _without(having=None),
    Reason.CONDITION_FALSE: _without(when=None),
    Reason.GUARD_FALSE: _without(guard=None),
    Reason.RELATION_FALSE: _unrelated,
    Reason.NOT_RELEASED: _without(end=None),
    Reason.CONSUMED: _without(context=ContextName.UNRESTRICTED),
    Reason.REPLACED: _without(context=ContextName.UNRESTRICTED),
}
_OF_VALUES = (Reason.JOIN_MISMATCH, Reason.NO_VALUE)
_OF_CONTEXTS = (Reason.CONSUMED, Reason.REPLACED)
_ONLY_WITH_FIX = (Reason.CONSUMED, Reason.WRONG_ORDER)
