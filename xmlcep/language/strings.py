r"""Strings of the event language: quoted with " or ', with \", \', \\, \n, \r and \t in them."""

from __future__ import annotations

import re

_ESCAPES = {'"': '"', "'": "'", "\\": "\\", "n": "\n", "r": "\r", "t": "\t"}
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)


class StringProblem(ValueError):
    """A string with an escape that there is none; ``offset`` is where, counted from the opening quote."""

    def __init__(self, offset: int, message: str, hint: str) -> None:
        self.offset = offset
        self.message = message
        self.hint = hint
        super().__init__(offset, message, hint)


def unquote(literal: str) -> str:
    """What a quoted string says; raises `StringProblem`."""

    def meant(match: re.Match[str]) -> str:
        character = match.group(1)
        if character not in _ESCAPES:
            known = r"\", \', \\, \n, \r, \t"
            raise StringProblem(
                match.start() + 1,
                f"there is no escape {match.group()!r} in strings",
                f"write \\\\ for a backslash; escapes: {known}",
            )
        return _ESCAPES[character]

    return _ESCAPE.sub(meant, literal[1:-1])


def quote(text: str) -> str:
    """A quoted string that says ``text``; with ' if that spares escapes."""
    mark = "'" if '"' in text and "'" not in text else '"'
    escaped = text.replace("\\", "\\\\").replace(mark, f"\\{mark}")
    for letter, character in (("n", "\n"), ("r", "\r"), ("t", "\t")):
        escaped = escaped.replace(character, f"\\{letter}")
    return f"{mark}{escaped}{mark}"
