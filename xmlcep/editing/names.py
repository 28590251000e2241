"""Where events, rules, parameters and reference documents are written in a rules text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple

from lark import Token, Tree, UnexpectedInput

from path_types.names import NCNAME

from ..language.grammar import statement_parser
from ..language.statements import statements

_DEFINES = {"event": "EVENT", "rule": "RULE", "param": "PARAM", "reference": "REFERENCE"}
_USES = ("leaf", "named_trigger", "raise_action")
_VARIABLE = re.compile(rf"\$({NCNAME})")


class Kind(Enum):
    """What a name is of."""

    EVENT = "event"
    RULE = "rule"
    VARIABLE = "variable"
    """A parameter or a reference document; also any ``$name``, which may be bound by a leaf."""


class Place(NamedTuple):
    """A name in a text, from ``start`` to before ``end``; ``defines``: it is declared there."""

    name: str
    kind: Kind
    start: int
    end: int
    defines: bool = False


def places(text: str) -> list[Place]:
    """The names in a rules text, in their order; none of statements with syntax mistakes, but what they define.

    >>> [(place.name, place.defines) for place in places("param n = 1 event A = B(a)[. > $n]")]
    [('n', True), ('A', True), ('B', False), ('n', False)]
    """
    found: list[Place] = []
    for span in statements(text):
        part = text[span.start : span.end]
        try:
            tree = statement_parser().parse(part)
        except UnexpectedInput:
            found += _of_broken(part, span.start)
            continue
        found += (place for node in tree.iter_subtrees() for place in _of_node(node, span.start))
        found += (place for token in tree.scan_values(_has_text) for place in _variables(token, span.start))
    return sorted(found, key=lambda place: place.start)


def _of_node(node: Tree[Token], offset: int) -> Iterator[Place]:
    """The name that a node of the grammar has, if it is one of those asked for."""
    name = next((each for each in node.children if isinstance(each, Token) and each.type == "NAME"), None)
    if name is None or name.start_pos is None or name.end_pos is None:
        return
    start, end = offset + name.start_pos, offset + name.end_pos
    if node.data in _DEFINES:
        kinds = {"event": Kind.EVENT, "rule": Kind.RULE}
        yield Place(str(name), kinds.get(str(node.data), Kind.VARIABLE), start, end, defines=True)
    elif node.data in _USES and not (node.data == "leaf" and node.children[0] is not name):
        yield Place(str(name), Kind.EVENT, start, end)


def _has_text(token: object) -> bool:
    return isinstance(token, Token) and token.type in ("FILTER", "VALUE", "STRING")


def _variables(token: Token | Tree[Token], offset: int) -> Iterator[Place]:
    """The ``$names`` in an expression or a string."""
    assert isinstance(token, Token) and token.start_pos is not None
    start = offset + token.start_pos
    for match in _VARIABLE.finditer(token):
        yield Place(match[1], Kind.VARIABLE, start + match.start(1), start + match.end(1))


_BROKEN = re.compile(rf"(event|rule|param|reference)\s+({NCNAME})")


def _of_broken(part: str, offset: int) -> Iterator[Place]:
    match = _BROKEN.match(part)
    if match is not None:
        kind = {"event": Kind.EVENT, "rule": Kind.RULE}.get(match[1], Kind.VARIABLE)
        yield Place(match[2], kind, offset + match.start(2), offset + match.end(2), defines=True)


def place_at(text: str, offset: int) -> Place | None:
    """The name at an offset, or that ends there."""
    return next((place for place in places(text) if place.start <= offset <= place.end), None)
