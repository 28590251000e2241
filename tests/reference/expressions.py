"""XPath expressions, evaluated with lxml in the most naive way (F1 to F4, V5, V8).

An attribute or a text can be no context node in lxml: there the expression is asked in a predicate behind the step
that leads to it, and what it is there is caught.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from lxml import etree

from .clock import microseconds
from .values import Value, as_number, as_text

NOWHERE = etree.Element("nowhere")
"""The context node of an expression over variables only."""

_LITERAL = re.compile(r"\"[^\"]*\"|'[^']*'")
_NAME = r"[^\W\d][\w.\-]*"
_VARIABLE = re.compile(rf"\$({_NAME}(?::{_NAME})?)")


def evaluate(expression: str, element: Any, variables: Mapping[str, Any], *, step: str | None = None) -> Any:
    """What the expression is, as lxml says it: a string, number, boolean or list of nodes.

    ``step`` leads from the element to the context node. Variables that are not there are empty (V5).
    """
    caught: list[Any] = []

    def catch(_: Any, value: Any) -> bool:
        caught.append(value)
        return True

    given = {_flat_name(name): _argument(variables.get(name, [])) for name in names_in(expression)}
    text = _outside_literals(expression, _without_parent_of_top)
    text = _outside_literals(text, lambda part: _VARIABLE.sub(lambda m: f"${_flat_name(m[1])}", part))
    functions = {(None, name): function for name, function in FUNCTIONS.items()}
    # F4: the context node of the whole expression; of an attribute or a text no more than its value is asked.
    functions[(None, "current")] = lambda _: [element] if step is None else _argument(element.xpath(step))
    if step is None:
        return etree.XPath(text, extensions=functions, regexp=False)(element, **given)
    functions[(None, "catch")] = catch
    # The path says which node, the predicate is asked at it.
    etree.XPath(f"{step}[catch({text})]", extensions=functions, regexp=False)(element, **given)
    (found,) = caught
    return found


def _without_parent_of_top(text: str) -> str:
    """The element at the top has no parent (docs/expressions.md); to lxml it is the root node, which has none."""
    text = re.sub(r"(?<![\w.\-])\.\.(?![\w.])", "parent::*", text)
    return re.sub(
        r"\b(parent|ancestor|ancestor-or-self)\s*::\s*node\(\s*\)", r"\1::node()[parent::node()]", text
    )


def is_true(result: Any) -> bool:
    """XPath's boolean()."""
    if isinstance(result, float):
        return result == result and result != 0
    return bool(result)


def value_of(result: Any) -> Value | None:
    """A result as the value of a variable: of nodes the string of the first; of none, no value (V1)."""
    if isinstance(result, list):
        return _string(result[0]) if result else None
    return str(result) if isinstance(result, str) else result


def names_in(expression: str) -> set[str]:
    """The names of the variables in an expression."""
    return set(_VARIABLE.findall(_outside_literals(expression, lambda part: part, literals=False)))


# Whether an expression asks the document

_TOKEN = re.compile(
    rf"\s*(\"[^\"]*\"|'[^']*'|\${_NAME}(?::{_NAME})?|[0-9]+(?:\.[0-9]*)?|\.[0-9]+|\.\.|\.|//|/|::|@|!=|<=|>="
    rf"|{_NAME}(?::(?:{_NAME}|\*))?|[*()\[\],|+\-=<>])"
)
_OF_THE_CONTEXT = {"string", "number", "normalize-space", "string-length"}  # without argument: of `.` (V8)
_NODE_TYPES = {"text", "node", "comment", "processing-instruction"}


def asks_document(expression: str, *, dot_does: bool) -> bool:
    """Whether the expression has a location path into the document (F3); ``.`` alone asks it if ``dot_does``."""
    tokens = _TOKEN.findall(expression)
    at = 0
    operand_before = False
    while at < len(tokens):
        token = tokens[at]
        following = tokens[at + 1] if at + 1 < len(tokens) else ""
        if token.startswith("$"):
            at = _behind_path_of_variable(tokens, at + 1)
            operand_before = True
            continue
        if token in ("/", "//", "..", "@", "::") or (token == "*" and not operand_before):
            return True
        if token == "." and dot_does:
            return True
        if re.match(_NAME, token) and not operand_before:
            if following != "(" or token in _NODE_TYPES or token in ("lang", "id", "current"):
                return True
            if token in _OF_THE_CONTEXT and tokens[at + 2] == ")" and dot_does:
                return True
        is_operator = re.match(_NAME, token) and operand_before
        operand_before = not is_operator and (token[0] in "\"'.)]" or token[0].isalnum() or token[0] == "_")
        at += 1
    return False


def _behind_path_of_variable(tokens: list[str], at: int) -> int:
    """The place behind predicates and steps that follow a variable: they lead through another document (V8)."""
    while at < len(tokens):
        if tokens[at] == "[":
            depth = 0
            while True:
                depth += {"[": 1, "]": -1}.get(tokens[at], 0)
                at += 1
                if depth == 0:
                    break
        elif tokens[at] in ("/", "//"):
            at += 1
            while at < len(tokens) and tokens[at] in ("@", "::"):
                at += 1
            at += 1
            if at < len(tokens) and tokens[at] == "::":
                at += 2
            if at < len(tokens) and tokens[at] == "(":
                at = tokens.index(")", at) + 1
        else:
            break
    return at


# Functions (F4)


def _string(node: Any) -> str:
    return str(node) if isinstance(node, str) else "".join(node.itertext())


def _numbers(nodes: Any) -> list[float]:
    """Of nodes the number of each; of anything else its own."""
    if isinstance(nodes, list):
        return [as_number(_string(node)) for node in nodes]
    return [as_number(nodes)]


def _text(argument: Any) -> str:
    if isinstance(argument, list):
        return _string(argument[0]) if argument else ""
    return as_text(argument)


def _least(choose: Callable[[Iterable[float]], float]) -> Callable[[Any, Any], Any]:
    def chosen(_: Any, nodes: Any) -> Any:
        numbers = _numbers(nodes)
        if not numbers:
            return []
        return choose(numbers) if all(n == n for n in numbers) else float("nan")

    return chosen


def _average(_: Any, nodes: Any) -> Any:
    numbers = _numbers(nodes)
    return sum(numbers) / len(numbers) if numbers else []


def _distinct(_: Any, nodes: list[Any]) -> list[Any]:
    texts = list(dict.fromkeys(map(_string, nodes)))
    return _argument(list(texts))


def _seconds(_: Any, argument: Any) -> float:
    try:
        return microseconds(_text(argument)) / 1_000_000
    except ValueError:
        return float("nan")


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "min": _least(min),
    "max": _least(max),
    "avg": _average,
    "distinct-values": _distinct,
    # libxml2 writes 15 digits of a number; here it has all that it takes.
    "string": lambda _, argument: _text(argument),
    "concat": lambda _, *arguments: "".join(map(_text, arguments)),
    "string-length": lambda _, argument: float(len(_text(argument))),
    "starts-with": lambda _, text, start: _text(text).startswith(_text(start)),
    "abs": lambda _, argument: abs(as_number(_text(argument))),
    "upper-case": lambda _, argument: _text(argument).upper(),
    "lower-case": lambda _, argument: _text(argument).lower(),
    "ends-with": lambda _, text, end: _text(text).endswith(_text(end)),
    "matches": lambda _, text, pattern: re.search(_text(pattern), _text(text)) is not None,
    "time": _seconds,
}


def _argument(value: Any) -> Any:
    """A variable as lxml takes it: a list is a node set, of elements in a document of their own."""
    if not isinstance(value, list):
        return value
    holder = etree.Element("values")
    for inner in value:
        etree.SubElement(holder, "value").text = _text(inner)
    return list(holder)


def _flat_name(name: str) -> str:
    """lxml knows no variables with a prefix ($meta:user)."""
    return name.replace(":", "..")


def _outside_literals(text: str, change: Callable[[str], str], *, literals: bool = True) -> str:
    """The text with what is not a string literal changed; without the literals if these are not wanted."""
    parts, at = [], 0
    for found in _LITERAL.finditer(text):
        parts += [change(text[at : found.start()]), found[0] if literals else " "]
        at = found.end()
    return "".join([*parts, change(text[at:])])
