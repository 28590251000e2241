"""Absolute paths of an expression that sees the subtree of its context node only, written from that node (D4).

There the context node is the top element, so ``/item/price`` is ``self::item/price`` and ``//price`` is
``descendant-or-self::price``. Such paths need no copy of the subtree to start at the root of. Those within brackets,
where the context node is another, stay as they are.
"""

from __future__ import annotations

from dataclasses import replace

from .checking import selects_by_place
from .kinds import Variables
from .syntax import (
    Axis,
    Call,
    Filter,
    NameTest,
    Negation,
    NodeTest,
    Operation,
    Path,
    Root,
    Step,
    Syntax,
    Union,
)


def from_context(syntax: Syntax, variables: Variables) -> Syntax:
    """The checked expression with absolute paths written from the context node where they can be."""
    match syntax:
        case Path(Root.ROOT, steps):
            relative = _relative(steps, variables)
            return syntax if relative is None else replace(syntax, start=None, steps=relative)
        case Path(start) if start is not None and not isinstance(start, Root):
            return replace(syntax, start=from_context(start, variables))
        case Call(_, arguments):
            return replace(syntax, arguments=tuple(from_context(one, variables) for one in arguments))
        case Negation(operand) | Filter(operand):
            return replace(syntax, operand=from_context(operand, variables))
        case Union(operands):
            return replace(syntax, operands=tuple(from_context(one, variables) for one in operands))
        case Operation(first, rest):
            others = tuple((sign, from_context(operand, variables)) for sign, operand in rest)
            return replace(syntax, first=from_context(first, variables), rest=others)
    return syntax


def _relative(steps: tuple[Step, ...], variables: Variables) -> tuple[Step, ...] | None:
    """Steps from the root node as steps from the top element; None if there are none that mean the same."""
    if not steps:
        return None
    first, rest = steps[0], steps[1:]
    if first.axis is Axis.CHILD:  # the root node has the top element as its only child
        return (replace(first, axis=Axis.SELF), *rest)
    if first.axis is Axis.DESCENDANT or (
        first.axis is Axis.DESCENDANT_OR_SELF and isinstance(first.test, NameTest)
    ):
        return (replace(first, axis=Axis.DESCENDANT_OR_SELF), *rest)
    if first == Step(Axis.DESCENDANT_OR_SELF, NodeTest.NODE) and rest:
        second = rest[0]
        if second.axis is Axis.ATTRIBUTE:
            return steps
        # The position of a child counts among its siblings.
        by_place = any(selects_by_place(predicate, variables) for predicate in second.predicates)
        if second.axis is Axis.CHILD and not by_place:
            return (replace(second, axis=Axis.DESCENDANT_OR_SELF), *rest[1:])
    return None
