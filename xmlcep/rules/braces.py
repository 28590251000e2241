"""Texts with expressions in braces: fragments of action rules (L7), messages of findings (Y10).

``{count(item)} items``: an expression in braces stands for its value; ``{{`` and ``}}`` are braces.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

from ..xpath import Environment, Expression, ExpressionError

Text: TypeAlias = "tuple[str | Expression, ...]"
"""Text with expressions in it; empty: no text."""

_PIECE = re.compile(r"""\{\{|\}\}|\{|\}""")
_IN_BRACES = re.compile(r"""(?:[^{}"']++|"[^"]*+"|'[^']*+'|\{[^{}\s]*+\})*+""")
_MOST_PLACES = 1_000


class TextError(Exception):
    """A text that cannot be read: ``problem``, ``hint``, and the place in it if that is known."""

    def __init__(self, problem: str, hint: str, offset: int = -1, width: int = 1) -> None:
        super().__init__(problem)
        self.problem = problem
        self.hint = hint
        self.offset = offset
        self.width = width


class Piece(NamedTuple):
    """A part of a text: what it says, or an expression (``asks``) and where that begins."""

    text: str
    asks: bool
    offset: int


def pieces_of(text: str) -> Iterator[Piece]:
    """The parts of a text, in order; raises `TextError` for braces that do not belong together."""
    at = places = 0
    while match := _PIECE.search(text, at):
        yield Piece(text[at : match.start()], False, at)
        sign, at = match.group(), match.end()
        if sign in ("{{", "}}"):
            yield Piece(sign[0], False, match.start())
        elif sign == "}":
            raise TextError("a '}' without '{' before it", "write }} for a brace", match.start())
        else:
            inside = _IN_BRACES.match(text, at)
            assert inside is not None
            if text[inside.end() : inside.end() + 1] != "}":
                hint = "close the expression with }, or write {{ for a brace"
                raise TextError("a '{' that is not closed", hint, match.start())
            places += 1
            if places > _MOST_PLACES:
                raise TextError(f"more than {_MOST_PLACES} expressions", "take several rules")
            yield Piece(inside.group(), True, at)
            at = inside.end() + 1
    yield Piece(text[at:], False, at)


def read_text(text: str, compile_: Callable[[str], Expression]) -> Text:
    """The text with its expressions compiled; raises `TextError`, also for what ``compile_`` refuses."""
    return tuple(_compiled(piece, compile_) if piece.asks else piece.text for piece in pieces_of(text))


def _compiled(piece: Piece, compile_: Callable[[str], Expression]) -> Expression:
    try:
        return compile_(piece.text)
    except ExpressionError as error:
        offset = piece.offset + min(error.offset, len(piece.text))
        raise TextError(error.message, error.hint, offset, error.width) from error


def with_expressions(text: str, rewritten: Callable[[str], str]) -> str:
    """The text with every expression rewritten."""
    return "".join(
        f"{{{rewritten(piece.text)}}}" if piece.asks else piece.text.replace("{", "{{").replace("}", "}}")
        for piece in pieces_of(text)
    )


def text_of(text: Text, environment: Environment) -> str:
    """The text with the string values of its expressions."""
    return "".join([part if isinstance(part, str) else part.string(environment) for part in text])
