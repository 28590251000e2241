"""Places in a rules text."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Position:
    """Where something stands in a rules text: line and column from 1, width in characters.

    Line 0: it was not read from text. ``file`` is the name of the text where there are several, else "".
    """

    line: int = 0
    column: int = 0
    width: int = 1
    file: str = ""


NOWHERE = Position()
