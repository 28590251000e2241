"""The tokens of XPath 1.0 (section 3.7 of the recommendation), and how long an expression may be."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import Enum
from typing import NamedTuple, NoReturn

from path_types.names import NCNAME

from ..xml_parser import NOT_XML
from .errors import ExpressionError

MAX_LENGTH = 20_000
"""The most characters of an expression."""

MAX_TOKENS = 4_000
"""The most tokens of an expression: what is longer is data, and takes long to check (tests/xpath/test_limits.py)."""


class TokenKind(Enum):
    """What a token is; an operator is told from a name or sign by what is before it."""

    NAME = "name"
    VARIABLE = "variable"
    LITERAL = "literal"
    NUMBER = "number"
    SYMBOL = "symbol"
    OPERATOR = "operator"
    END = "end"


class Token(NamedTuple):
    """A token and where it starts."""

    kind: TokenKind
    text: str
    start: int

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.start + len(self.text)

    def is_symbol(self, *symbols: str) -> bool:
        """Whether it is one of these signs, and not as an operator."""
        return self.kind is TokenKind.SYMBOL and self.text in symbols


_PATTERN = re.compile(
    rf"(?P<space>[ \t\r\n]+)|(?P<literal>\"[^\"]*\"|'[^']*')|(?P<number>[0-9]+(?:\.[0-9]*)?|\.[0-9]+)"
    rf"|(?P<variable>\$(?:{NCNAME}:)?{NCNAME})"
    rf"|(?P<name>(?:\{{[^{{}}]*\}}|{NCNAME}:(?!:))(?:{NCNAME}|\*)|{NCNAME})"
    r"|(?P<symbol>::|//|\.\.|!=|<=|>=|[()\[\].@,/|+\-=<>*])"
)
_OPERATOR_NAMES = ("and", "or", "div", "mod")
# The characters that XML cannot hold: no document has them, and libxml2 reads no expression with them.


def tokenize(expression: str) -> Iterator[Token]:
    """The tokens of an expression, an end token last; raises `ExpressionError`.

    It takes time in proportion to the length, whatever the text.
    """
    _refuse_unusable(expression)
    at = count = 0
    before: Token | None = None
    while at < len(expression):
        match = _PATTERN.match(expression, at)
        if match is None:
            _fail_at_character(expression, at)
        at = match.end()
        if match.lastgroup == "space":
            continue
        token = Token(TokenKind(match.lastgroup), match.group(), match.start())
        if _is_operator(token, before):
            token = token._replace(kind=TokenKind.OPERATOR)
        count += 1
        if count > MAX_TOKENS:
            problem = f"more than {MAX_TOKENS} names, numbers, strings and signs"
            raise ExpressionError(expression, token.start, len(token.text), problem, _SHORTER)
        yield token
        before = token
    yield Token(TokenKind.END, "", len(expression))


_SHORTER = "split it up into several rules, or put values into a reference document and look them up there"


def _refuse_unusable(expression: str) -> None:
    if len(expression) > MAX_LENGTH:
        problem = f"{len(expression):,} characters, more than {MAX_LENGTH:,},"
        raise ExpressionError(expression, MAX_LENGTH, 1, problem, _SHORTER)
    unusable = NOT_XML.search(expression)
    if unusable:
        problem = f"bad XPath: {unusable.group()!r}, a character that no XML document has,"
        raise ExpressionError(expression, unusable.start(), 1, problem, "take it out")


def _fail_at_character(expression: str, at: int) -> NoReturn:
    character = expression[at]
    if character == "$":
        problem, hint = "a variable without a name", "write $ and a name without a blank between them: $old"
    elif character in "\"'":
        problem, hint = "a string without an end", f"close it with {character}"
    else:
        problem = f"unexpected {character!r}"
        hint = "write XPath 1.0: 'and', 'or', =, !=, <, <=, +, -, *, div, mod"
    width = len(expression) - at if character in "\"'" else 1
    raise ExpressionError(expression, at, width, problem, hint)


def _is_operator(token: Token, before: Token | None) -> bool:
    """Whether ``*``, ``-`` or a name is an operator: after anything that an operand ends with."""
    if token.is_symbol("|", "+", "=", "!=", "<", "<=", ">", ">="):
        return True
    after_operand = before is not None and not (
        before.kind is TokenKind.OPERATOR or before.is_symbol("@", "::", "(", "[", ",", "/", "//", "-")
    )
    is_name = token.kind is TokenKind.NAME and token.text in _OPERATOR_NAMES
    return after_operand and (token.is_symbol("*", "-") or is_name)


def qualified(expression: str, own: Mapping[str, str], other: Mapping[str, str]) -> str:
    """An expression under the declarations ``own`` (prefix to URI) as one that means the same under ``other``.

    Only names that mean something else there are written anew; what is not an expression stays as it is.

    >>> qualified("item/p:price > 3 and @n", {"": "urn:a", "p": "urn:p"}, {"p": "urn:p"})
    '{urn:a}item/p:price > 3 and @n'
    """
    try:
        tokens = list(tokenize(expression))
    except ExpressionError:  # it is refused where it is compiled
        return expression
    pieces, at = [], 0
    for number, token in enumerate(tokens[:-1]):
        name = _name(
            token, tokens[number - 1] if number else None, tokens[number + 1], tokens[number - 2 : number]
        )
        if name is None or own.get(name[0], "") == other.get(name[0], "") or (name[0] and name[0] not in own):
            continue
        pieces += [expression[at : token.start], f"{{{own.get(name[0], '')}}}{name[1]}"]
        at = token.end
    return "".join([*pieces, expression[at:]])


def _name(token: Token, before: Token | None, behind: Token, axis: list[Token]) -> tuple[str, str] | None:
    """Prefix and local name of a name test that declarations have a say in; None for any other token."""
    if token.kind is not TokenKind.NAME or token.text.startswith("{") or behind.is_symbol("(", "::"):
        return None
    prefix, _, local = token.text.rpartition(":")
    of_attribute = before is not None and (
        before.is_symbol("@") or (before.is_symbol("::") and axis[0].text == "attribute")
    )
    return None if of_attribute and not prefix else (prefix, local)
