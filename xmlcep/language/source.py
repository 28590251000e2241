"""A rules text and the places in it."""

from __future__ import annotations

from bisect import bisect_right

from ..errors import RuleProblem
from ..position import Position


class Source:
    """A rules text with the problems found in it; turns offsets (from 0) into lines and columns (from 1).

    ``file`` is its name where there are several texts.
    """

    def __init__(self, text: str, problems: list[RuleProblem], file: str = "") -> None:
        self.text = text
        self.problems = problems
        self._file = file
        self._line_starts = [0, *(i + 1 for i, character in enumerate(text) if character == "\n")]

    def position(self, start: int, end: int) -> Position:
        """The place from ``start`` to before ``end``, cut at the end of the first line."""
        line = bisect_right(self._line_starts, start)
        line_start = self._line_starts[line - 1]
        line_end = self.text.find("\n", start)
        stop = end if line_end < 0 else min(end, line_end)
        width = len(self.text[start:stop].rstrip()) if stop > start else 1
        return Position(line, start - line_start + 1, max(1, width), self._file)

    def part(self, start: int, end: int) -> Part:
        """The text from ``start`` to before ``end``, with offsets of its own."""
        return Part(self, start, end)

    def report(self, start: int, end: int, message: str, hint: str = "") -> None:
        """Adds a problem with the text from ``start`` to before ``end``."""
        self.report_at(self.position(start, end), message, hint)

    def report_at(self, at: Position, message: str, hint: str = "") -> None:
        """Adds a problem with what is there."""
        self.problems.append(RuleProblem(message, hint, at))


class Part(Source):
    """A piece of a rules text that is read by itself; its offsets count from its own start.

    (The parser could be given a slice of the whole text, but it counts the lines before each slice anew.)
    """

    def __init__(self, whole: Source, start: int, end: int) -> None:
        self.text = whole.text[start:end]
        self.problems = whole.problems
        self.start = start
        self._whole = whole

    def position(self, start: int, end: int) -> Position:
        return self._whole.position(self.start + start, self.start + end)
