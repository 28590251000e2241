"""Rules in colours: a lexer for Pygments, made from the terminals of the grammar (`colours`)."""

from __future__ import annotations

from typing import Any, ClassVar

from pygments.lexer import RegexLexer, bygroups
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Text

from .colours import Colour, patterns

_KINDS: dict[Colour, Any] = {
    Colour.COMMENT: Comment.Single, Colour.STRING: String, Colour.NUMBER: Number,
    Colour.DECLARATION: Keyword.Declaration,
    Colour.KEYWORD: Keyword, Colour.OPERATION: Name.Builtin, Colour.OPERATOR: Operator.Word,
    Colour.VARIABLE: Name.Variable, Colour.NAMESPACED: Name.Tag, Colour.NAME: Name, Colour.SIGN: Punctuation,
    Colour.EXPRESSION: bygroups(Punctuation, Text, String.Other),
}  # fmt: skip


class RulesLexer(RegexLexer):  # type: ignore[misc]
    """Event rules of xmlcep (``.xcep``)."""

    name = "xmlcep rules"
    aliases: ClassVar[list[str]] = ["xcep"]
    filenames: ClassVar[list[str]] = ["*.xcep"]
    tokens: ClassVar[dict[str, list[tuple[Any, ...]]]] = {
        "root": [
            (r"[ \t\r\n\ufeff]+", Text),
            *((pattern.regex, _KINDS[pattern.colour]) for pattern in patterns()),
        ]
    }
