"""Paths and tokens in a rules text."""

from __future__ import annotations

import re
from typing import NamedTuple

from lark import Token

from path_types import PathSyntaxError, PathType

from ..events import Scope
from .source import Source


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
    return parsed_path(text, namespaces, start_of(pieces[0]), end_of(pieces[-1]), tuple(offsets))


def parsed_path(
    text: str, namespaces: dict[str, str], start: int, end: int, offsets: tuple[int, ...]
) -> WrittenPath:
    """The path that ``text`` says, which is from ``start`` to before ``end``, each character at its offset."""
    scope = next(
        (scope for scope in (Scope.BELOW, Scope.AT_OR_BELOW) if text.endswith(scope.value)), Scope.NODE
    )
    text = text.removesuffix(scope.value)
    try:
        return WrittenPath(text, PathType.parse(text, namespaces), None, start, end, offsets, scope)
    except PathSyntaxError as error:
        return WrittenPath(text, None, error, start, end, offsets, scope)


def report_path(path: WrittenPath, source: Source, *, scoped: bool = True) -> None:
    """Reports what is wrong with a path; ``//`` can only stand at the end of a leaf's (F5)."""
    if path.scope is not Scope.NODE and not (scoped and path.path is not None and path.path.last.is_element):
        hint = "it says which nodes a leaf takes, after the path of an element: *(changeSet//*) (F5)"
        source.report(path.start, path.end, f"{path.scope.value!r} cannot be used here", hint)
    if path.error is not None:
        offset = path.error.offset
        start = path.offsets[offset] if offset < len(path.offsets) else path.end
        step = re.match(r"[^/\s]*", path.text[offset:])
        width = max(1, len(step.group()) if step else 1)
        source.report(start, start + width, f"{path.error.problem} in {path.text!r}", path.error.hint)


def start_of(token: Token) -> int:
    """Where a token starts in its statement."""
    assert token.start_pos is not None
    return token.start_pos


def end_of(token: Token) -> int:
    """Where a token ends in its statement."""
    assert token.end_pos is not None
    return token.end_pos
