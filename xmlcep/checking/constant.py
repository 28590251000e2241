"""Conditions that ask nothing: what they say is known before any event, ``false()`` or ``price and 0``."""

from __future__ import annotations

from ..xpath.environment import Environment
from ..xpath.expression import compile_expression
from ..xpath.kinds import NodeKind
from ..xpath.parser import Written
from ..xpath.syntax import Call, Operation, Syntax, is_constant


def falsehood(written: Written, part: Syntax | None = None) -> Syntax | None:
    """The part of a condition that makes it false whatever is asked; None if it can be true, for all that is known.

    >>> from xmlcep.xpath.parser import parse_written
    >>> condition = parse_written("price and (false() or 1 > 2)")
    >>> condition.of(falsehood(condition))
    '(false() or 1 > 2)'
    """
    part = written.syntax if part is None else part
    if is_constant(part):
        return None if _is_true(written, part) else part
    if isinstance(part, Operation):
        operands = (part.first, *(operand for _, operand in part.rest))
        found = [falsehood(written, operand) for operand in operands]
        if part.rest[0][0] == "and":
            return next((each for each in found if each is not None), None)
        if part.rest[0][0] == "or" and None not in found:
            return part
    if isinstance(part, Call) and part.function == "boolean":
        return falsehood(written, part.arguments[0])
    return None


def _is_true(written: Written, part: Syntax) -> bool:
    return compile_expression(written.of(part), node=NodeKind.NONE).boolean(Environment({}))
