"""What the words and signs of a rules text are, for who shows it in colours; made from the terminals of the grammar.

There is no parser to know where a word is a name: a word of the language counts as one unless it is a step of a path.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from lark.lexer import TerminalDef

from path_types.names import NCNAME

from .grammar import statement_parser


class Colour(Enum):
    """What a piece of text is."""

    COMMENT = "comment"
    STRING = "string"
    NUMBER = "number"
    DECLARATION = "declaration"
    """The word that a statement begins with."""
    KEYWORD = "keyword"
    OPERATION = "operation"
    """``ins``, ``upd``, ``del`` and ``text()``."""
    OPERATOR = "operator"
    """A word that is an operator."""
    VARIABLE = "variable"
    NAMESPACED = "namespaced name"
    NAME = "name"
    EXPRESSION = "expression"
    """An XPath in brackets."""
    SIGN = "sign"


class Pattern(NamedTuple):
    """A regular expression for pieces of a colour; an expression is its third group, the first is what is before it."""

    regex: str
    colour: Colour


_COLOURS = {
    "STRING": Colour.STRING, "VARIABLE": Colour.VARIABLE, "INT": Colour.NUMBER, "NUMBER": Colour.NUMBER,
    "PREFIXED": Colour.NAMESPACED, "NAME": Colour.NAME, "TIMES": Colour.OPERATOR, "NOT": Colour.OPERATOR,
    "ALL": Colour.OPERATOR, "RELATION": Colour.OPERATOR, "TEXT": Colour.OPERATION,
    **dict.fromkeys(("INS", "UPD", "DEL"), Colour.OPERATION),
    **dict.fromkeys(("EVENT", "EVENT_NAMESPACE", "REFERENCE", "PARAM", "RULE"), Colour.DECLARATION),
}  # fmt: skip
_BEHIND = {"FILTER": r"\)", "VALUE": "="}
"""What an XPath in brackets is behind: elsewhere such brackets are others."""


def patterns() -> list[Pattern]:
    """The patterns, in the order in which they are tried."""
    terminals = {each.name: each for each in statement_parser().terminals}
    found = [
        Pattern(terminals["COMMENT"].pattern.to_regexp(), Colour.COMMENT),
        Pattern(
            rf"\{{[^\s{{}}\"']*\}}{NCNAME}", Colour.NAMESPACED
        ),  # in braces with blanks there are options
    ]
    for name, before in _BEHIND.items():
        regex = terminals[name].pattern.to_regexp()
        found.append(Pattern(rf"({before})(\s*)({regex})", Colour.EXPRESSION))
    known = {*_BEHIND, "COMMENT", "CLARK"}
    rest = [each for each in terminals.values() if each.name not in known and not each.name.startswith("__")]
    return [*found, *(Pattern(_regex(each), _colour(each)) for each in sorted(rest, key=_turn))]


def _is_word(terminal: TerminalDef) -> bool:
    return terminal.pattern.type == "str" and terminal.pattern.value.isalpha()


def _turn(terminal: TerminalDef) -> tuple[object, ...]:
    """Names come last: most words are names, too."""
    name = terminal.name
    return name == "NAME", name == "PREFIXED", name == "INT", -terminal.priority, -terminal.pattern.max_width


def _colour(terminal: TerminalDef) -> Colour:
    known = _COLOURS.get(terminal.name)
    if known is not None:
        return known
    return Colour.KEYWORD if _is_word(terminal) or terminal.priority > 0 else Colour.SIGN


def _regex(terminal: TerminalDef) -> str:
    regex = terminal.pattern.to_regexp()
    if not _is_word(terminal):
        return regex
    if terminal.name in ("INS", "UPD", "DEL"):
        return rf"(?<![/@\w.\-]){regex}(?=\s*\()"
    return rf"(?<![/@(\w.\-]){regex}(?![\w.\-/])"
