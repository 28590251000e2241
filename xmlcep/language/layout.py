"""Event definitions as people like to read them: long ones with every operand in a line of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from path_types import PathType, Step

from ..algebra import Disjunction, EventDefinition, Leaf, Operator
from ..events import PrimitiveType
from .printer import print_definitions, print_operand

WIDTH = 110
"""The most characters of a line that can be parted."""

_SHORT = Leaf(PrimitiveType("ins", PathType.of(False, [Step.element("x")])))


def lay_out(definition: EventDefinition, namespaces: Mapping[str, str] | None = None) -> str:
    """A definition in one line if it fits in `WIDTH`, else its operands one under the other.

    What it says is what `print_definitions` says, but for blanks and line ends.
    """
    whole = _in_one_line(definition, namespaces)
    root = definition.expression
    if len(whole) <= WIDTH or not root.infix or len(root.operands) < 2:
        return whole
    lines = [_head(definition, namespaces), *_operands(root, namespaces)]
    # Options of the root alone, or an operator written in another way, are left in one line.
    same = _without_blanks("".join(lines)) == _without_blanks(whole)
    return "\n".join(lines) if same else whole


def _operands(root: Operator, namespaces: Mapping[str, str] | None) -> Iterator[str]:
    for k, operand in enumerate(root.operands):
        sign = "=" if k == 0 else root.symbol
        text = f"{root.word_before(k)}{print_operand(operand, namespaces)}"
        inner = operand.operands if isinstance(operand, Operator) and operand.infix else ()
        parts = [print_operand(part, namespaces) for part in inner]
        if len(text) + 6 > WIDTH and text == f"({f' {_symbol(operand)} '.join(parts)})":
            yield f"    {sign} ( {parts[0]}"
            yield from (f"      {_symbol(operand)} {part}" for part in parts[1:-1])
            yield f"      {_symbol(operand)} {parts[-1]} )"
        else:
            yield f"    {sign} {text}"


def _symbol(expression: Leaf | Operator) -> str:
    return expression.symbol if isinstance(expression, Operator) else ""


def _head(definition: EventDefinition, namespaces: Mapping[str, str] | None) -> str:
    """What is before the ``=``; conditions can have one in them, so it is not searched for."""
    options = replace(definition.expression.options, context=None, name=None)
    short = replace(definition, expression=Disjunction((_SHORT,), options))
    return _in_one_line(short, namespaces).removesuffix(f" = {print_operand(_SHORT, namespaces)}")


def _in_one_line(definition: EventDefinition, namespaces: Mapping[str, str] | None) -> str:
    return print_definitions([definition], namespaces).rstrip("\n").rpartition("\n")[2]


def _without_blanks(text: str) -> str:
    return re.sub(r"\s+", "", text)
