"""The tokens of XPath 1.0 (section 3.7 of the recommendation), and the error of a bad expression."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from functools import lru_cache
from typing import NamedTuple, NoReturn

from lxml import etree

from path_types.names import NCNAME

from ..errors import XmlCepError


class ConditionError(XmlCepError, ValueError):
    """An XPath expression that cannot be a condition: ``expression``, where (``offset`` from 0, ``width``),
    what is wrong (``message``) and what to write instead (``hint``)."""

    def __init__(self, expression: str, offset: int, width: int, problem: str, hint: str = "") -> None:
        self.expression = expression
        self.offset = offset
        self.width = max(1, width)
        self.problem = problem
        self.hint = hint
        super().__init__(expression, offset, width, problem, hint)

    @property
    def message(self) -> str:
        """What is wrong, in one line that says where."""
        return f"{self.problem} in the condition {self.expression!r}, character {self.offset + 1}"

    def __str__(self) -> str:
        shown = "".join(" " if character.isspace() else character for character in self.expression)
        lines = [self.message, f"  {shown}", f"  {' ' * self.offset}{'^' * self.width}"]
        return "\n".join([*lines, f"  hint: {self.hint}"] if self.hint else lines)


class Kind(Enum):
    """What a token is; an operator is told from a name or sign by what stands before it."""

    NAME = "name"
    LITERAL = "literal"
    NUMBER = "number"
    SYMBOL = "symbol"
    OPERATOR = "operator"
    END = "end"


class Token(NamedTuple):
    """A token and where it starts."""

    kind: Kind
    text: str
    start: int

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.start + len(self.text)

    def is_symbol(self, *symbols: str) -> bool:
        """Whether it is one of these signs, and not as an operator."""
        return self.kind is Kind.SYMBOL and self.text in symbols


_PATTERN = re.compile(
    rf"(?P<space>[ \t\r\n]+)|(?P<literal>\"[^\"]*\"|'[^']*')|(?P<number>[0-9]+(?:\.[0-9]*)?|\.[0-9]+)"
    rf"|(?P<name>(?:\{{[^{{}}]*\}}|{NCNAME}:(?!:))(?:{NCNAME}|\*)|{NCNAME})"
    r"|(?P<symbol>::|//|\.\.|!=|<=|>=|[()\[\].@,/|+\-=<>*])"
)
_OPERATOR_NAMES = ("and", "or", "div", "mod")


def tokenize(expression: str) -> Iterator[Token]:
    """The tokens of an expression, an end token last; raises `ConditionError`."""
    at = 0
    before: Token | None = None
    while at < len(expression):
        match = _PATTERN.match(expression, at)
        if match is None:
            _fail_at_character(expression, at)
        at = match.end()
        if match.lastgroup == "space":
            continue
        token = Token(Kind(match.lastgroup), match.group(), match.start())
        if _is_operator(token, before):
            token = token._replace(kind=Kind.OPERATOR)
        yield token
        before = token
    yield Token(Kind.END, "", len(expression))


@lru_cache(maxsize=1000)
def is_name_in_libxml2(local: str) -> bool:
    """Whether libxml2's XPath reads this name (or ``*``); it knows those of XML's fourth edition only.

    >>> is_name_in_libxml2("größe"), is_name_in_libxml2("\u0219ef")
    (True, False)
    """
    try:
        etree.XPath(local)
    except etree.XPathError:
        return False
    return True


def _fail_at_character(expression: str, at: int) -> NoReturn:
    character = expression[at]
    if character == "$":
        problem, hint = "a variable", "conditions have no variables: write the value"
    elif character in "\"'":
        problem, hint = "a string without an end", f"close it with {character}"
    else:
        problem = f"unexpected {character!r}"
        hint = "write XPath 1.0: 'and', 'or', =, !=, <, <=, +, -, *, div, mod"
    raise ConditionError(expression, at, len(expression) - at if character in "\"'" else 1, problem, hint)


def _is_operator(token: Token, before: Token | None) -> bool:
    """Whether ``*``, ``-`` or a name is an operator: after anything that an operand ends with."""
    if token.is_symbol("|", "+", "=", "!=", "<", "<=", ">", ">="):
        return True
    after_operand = before is not None and not (
        before.kind is Kind.OPERATOR or before.is_symbol("@", "::", "(", "[", ",", "/", "//", "-")
    )
    is_name = token.kind is Kind.NAME and token.text in _OPERATOR_NAMES
    return after_operand and (token.is_symbol("*", "-") or is_name)
