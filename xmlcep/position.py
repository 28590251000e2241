"""Places in a rules text."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Position:
    """Where something is in a rules text: line and column from 1, width in characters.

    Line 0: it was not read from text. ``file`` is the name of the text where there are several, else "".
    """

    line: int = 0
    column: int = 0
    width: int = 1
    file: str = ""

    def part(self, text: str, offset: int, width: int) -> Position:
        """The place of the ``width`` characters from ``offset`` on of a text that is here, in quotes or bare.

        It is the place of the whole text where escapes or line ends blur where its characters are.
        """
        quoted = self.width == len(text) + 2
        if not self.line or not (quoted or self.width == len(text)) or "\n" in text:
            return self
        return replace(self, column=self.column + quoted + offset, width=max(1, width))


NOWHERE = Position()
