"""Derived events as a rules text that a person reads and edits."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import replace

from path_types import PathType, Step

from ..algebra import Conjunction, Disjunction, EventDefinition, Expression, Leaf, Sequence
from ..events import PrimitiveType
from ..language.printer import print_definitions, print_expression
from .building import DerivedEvent

WIDTH = 110
MAX_COMMENT = 400
"""Characters of one comment; documentation in schemas can run to pages."""


def print_events(
    events: Iterable[DerivedEvent], namespaces: Mapping[str, str], heading: Iterable[str]
) -> str:
    """The heading, the namespace declarations and the events, each under its comments."""
    pieces = [_comment(heading)] if heading else []
    declarations = print_definitions((), namespaces)
    if declarations:
        pieces.append(declarations)
    pieces += [_comment(event.comments) + print_event(event.definition, namespaces) for event in events]
    return "\n".join(pieces)


def print_event(definition: EventDefinition, namespaces: Mapping[str, str]) -> str:
    """One definition: in one line if it fits, else every operand of the root in a line of its own."""
    whole = print_definitions([definition], namespaces).rpartition("\n\n")[2].strip("\n")
    root = definition.expression
    if len(whole) <= WIDTH or not isinstance(root, Sequence):
        return whole + "\n"
    first, *others = root.operands
    head = _head(definition, namespaces)
    lines = [head, f"    = {_text(first, namespaces)}"]
    for operand in others:
        lines += _operand(operand, namespaces)
    return "\n".join(lines) + "\n"


def _head(definition: EventDefinition, namespaces: Mapping[str, str]) -> str:
    """What stands before the ``=``; conditions can have one in them, so it is not searched for."""
    leaf = Leaf(PrimitiveType("ins", PathType.of(False, [Step.element("x")])))
    short = replace(definition, expression=Disjunction((leaf,), definition.expression.options))
    body = _text(leaf, namespaces)
    return print_definitions([short], namespaces).rstrip("\n").rpartition("\n")[2].removesuffix(f" = {body}")


def _operand(operand: Expression, namespaces: Mapping[str, str]) -> list[str]:
    """``; (a``, ``& b``, ``& c)``, one under the other."""
    text = _text(operand, namespaces)
    plain = isinstance(operand, Conjunction | Disjunction) and text.endswith(")") and "\n" not in text
    if not isinstance(operand, Conjunction | Disjunction) or not plain or len(text) + 6 <= WIDTH:
        return [f"    ; {text}"]
    parts = [_text(part, namespaces) for part in operand.operands]
    symbol = operand.symbol
    if text != "(" + f" {symbol} ".join(parts) + ")":
        return [f"    ; {text}"]  # it has options behind it
    return [
        f"    ; ( {parts[0]}",
        *(f"      {symbol} {part}" for part in parts[1:-1]),
        f"      {symbol} {parts[-1]} )",
    ]


def _text(expression: Expression, namespaces: Mapping[str, str]) -> str:
    """An operand as it stands in a longer expression."""
    text = print_expression(expression, namespaces)
    joins = not isinstance(expression, Leaf) and expression.symbol != "x"
    options = not isinstance(expression, Leaf) and text.startswith("(") and text.endswith("}")
    return f"({text})" if joins and not options else text


def _comment(lines: Iterable[str]) -> str:
    """Comment lines: no line end of a schema's text can end a comment before its time."""
    shown: list[str] = []
    for line in lines:
        words = " ".join("".join(c if c.isprintable() else " " for c in line).split())
        if len(words) > MAX_COMMENT:
            words = words[: MAX_COMMENT - 1].rpartition(" ")[0] + " …"
        shown += textwrap.wrap(words, WIDTH - 2, break_long_words=False, break_on_hyphens=False) or [""]
    return "".join(f"# {line}".rstrip() + "\n" for line in shown)
