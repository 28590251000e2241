"""Paths and tokens in a rules text."""

from __future__ import annotations

from typing import NamedTuple

from lark import Token

from path_types import PathSyntaxError, PathType

from ..events import Scope


class WrittenPath(NamedTuple):
    """A path in the text; ``path`` None: it is none, and ``error`` says why. A leaf's path may have a scope (F5)."""

    text: str
    path: PathType | None
    error: PathSyntaxError | None
    start: int
    end: int
    offsets: tuple[int, ...]
    scope: Scope = Scope.NODE


def read_path(pieces: list[Token], namespaces: dict[str, str]) -> WrittenPath:
    """The path that the pieces make up, wherever blanks and line ends stand between them."""
    text = ""
    offsets: list[int] = []
    for i, piece in enumerate(pieces):
        if i and not {piece.type, pieces[i - 1].type} & {"SLASH", "AT"}:
            text += " "  # two names side by side are not one name
            offsets.append(start_of(piece))
        text += "text()" if piece.type == "TEXT" else str(piece)
        offsets += [min(start_of(piece) + k, end_of(piece) - 1) for k in range(len(text) - len(offsets))]
    start, end = start_of(pieces[0]), end_of(pieces[-1])
    scope = next(
        (scope for scope in (Scope.BELOW, Scope.AT_OR_BELOW) if text.endswith(scope.value)), Scope.NODE
    )
    text = text.removesuffix(scope.value)
    try:
        return WrittenPath(text, PathType.parse(text, namespaces), None, start, end, tuple(offsets), scope)
    except PathSyntaxError as error:
        return WrittenPath(text, None, error, start, end, tuple(offsets))


def start_of(token: Token) -> int:
    """Where a token starts in its statement."""
    assert token.start_pos is not None
    return token.start_pos


def end_of(token: Token) -> int:
    """Where a token ends in its statement."""
    assert token.end_pos is not None
    return token.end_pos
