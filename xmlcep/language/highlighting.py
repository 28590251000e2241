"""Rules in colours: a lexer for Pygments, made from the terminals of the grammar.

There is no parser to know where a word is a name: a word of the language counts as one unless it is a step of a path.
"""

from __future__ import annotations

from typing import Any, ClassVar

from lark.lexer import TerminalDef
from pygments.lexer import RegexLexer, bygroups
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Text

from path_types.names import NCNAME

from .grammar import statement_parser

_KINDS: dict[str, Any] = {
    "COMMENT": Comment.Single, "STRING": String, "VARIABLE": Name.Variable, "INT": Number.Integer,
    "PREFIXED": Name.Tag, "NAME": Name, "TIMES": Operator.Word, "NOT": Operator.Word,
    "ALL": Operator.Word, "RELATION": Operator.Word,
    "TEXT": Name.Builtin, "INS": Name.Builtin, "UPD": Name.Builtin, "DEL": Name.Builtin, "EVENT": Keyword.Declaration,
    "EVENT_NAMESPACE": Keyword.Declaration, "REFERENCE": Keyword.Declaration, "PARAM": Keyword.Declaration,
    "RULE": Keyword.Declaration, "NUMBER": Number.Float,
}  # fmt: skip
_BEHIND = {"FILTER": r"\)", "VALUE": "="}
"""What an XPath in brackets is behind: elsewhere such brackets are others."""


def _tokens() -> list[tuple[Any, ...]]:
    """The terminals, in the order in which they are tried, each with its kind."""
    terminals = {each.name: each for each in statement_parser().terminals}
    found: list[tuple[Any, ...]] = [
        (r"[ \t\r\n\ufeff]+", Text),
        (terminals["COMMENT"].pattern.to_regexp(), Comment.Single),
        (rf"\{{[^\s{{}}\"']*\}}{NCNAME}", Name.Tag),  # in braces with blanks there are options
    ]
    for name, before in _BEHIND.items():
        pattern = terminals[name].pattern.to_regexp()
        found.append((rf"({before})(\s*)({pattern})", bygroups(Punctuation, Text, String.Other)))
    known = {*_BEHIND, "COMMENT", "CLARK"}
    rest = [each for each in terminals.values() if each.name not in known and not each.name.startswith("__")]
    return [*found, *((_pattern(each), _kind(each)) for each in sorted(rest, key=_turn))]


def _is_word(terminal: TerminalDef) -> bool:
    return terminal.pattern.type == "str" and terminal.pattern.value.isalpha()


def _turn(terminal: TerminalDef) -> tuple[object, ...]:
    """Names come last: most words are names, too."""
    return (
        terminal.name == "NAME",
        terminal.name == "PREFIXED",
        -terminal.priority,
        -terminal.pattern.max_width,
    )


def _kind(terminal: TerminalDef) -> Any:
    known = _KINDS.get(terminal.name)
    if known is not None:
        return known
    return Keyword if _is_word(terminal) or terminal.priority > 0 else Punctuation


def _pattern(terminal: TerminalDef) -> str:
    pattern = terminal.pattern.to_regexp()
    if not _is_word(terminal):
        return pattern
    if terminal.name in ("INS", "UPD", "DEL"):
        return rf"(?<![/@\w.\-]){pattern}(?=\s*\()"
    return rf"(?<![/@(\w.\-]){pattern}(?![\w.\-/])"


class RulesLexer(RegexLexer):  # type: ignore[misc]
    """Event rules of xmlcep (``.xcep``)."""

    name = "xmlcep rules"
    aliases: ClassVar[list[str]] = ["xcep"]
    filenames: ClassVar[list[str]] = ["*.xcep"]
    tokens: ClassVar[dict[str, list[tuple[Any, ...]]]] = {"root": _tokens()}
