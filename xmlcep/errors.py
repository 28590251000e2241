"""The errors a user can meet, all below `XmlCepError`."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence

from . import own_packages as own_packages  # before one of them is imported

from path_types import XmlCepError as XmlCepError  # isort: skip

from .position import NOWHERE, Position


class ArgumentError(XmlCepError, TypeError, ValueError):
    """An argument that a call cannot take: which, what it is, what is expected."""


class RuleProblem:
    """One thing that is wrong in a rules text: what (``message``), what to write instead (``hint``), where (``at``)."""

    __slots__ = ("at", "hint", "message")

    def __init__(self, message: str, hint: str = "", at: Position = NOWHERE) -> None:
        self.message = message
        self.hint = hint
        self.at = at

    @property
    def line(self) -> int:
        """The line, from 1; 0 if the definition was not read from text."""
        return self.at.line

    @property
    def column(self) -> int:
        """The column, from 1; 0 if the definition was not read from text."""
        return self.at.column

    def render(self, source_name: str, text: str | None) -> str:
        """The problem as ``file:line:column: message``, the marked line and the hint."""
        return self.rendered(source_name, None if text is None else lines_of(text))

    def rendered(self, source_name: str, lines: Sequence[str] | None) -> str:
        """The same, given the lines of the text."""
        where = f"{source_name}:{self.line}:{self.column}: " if self.line else f"{source_name}: "
        shown = [f"{where}{_shortened(self.message)}"]
        if lines is not None and self.line:
            line = lines[self.line - 1].rstrip("\r") if self.line <= len(lines) else ""
            line, column = _clipped(line, self.column)
            before, marked = line[: column - 1], line[column - 1 : column - 1 + self.at.width]
            carets = "^" * max(1, sum(map(_display_width, marked)))
            indent = "".join("\t" if c == "\t" else " " * _display_width(c) for c in before)
            shown += [f"  {line}", f"  {indent}{carets}"]
        if self.hint:
            shown.append(f"  hint: {_shortened(self.hint)}")
        return "\n".join(shown)


def lines_of(text: str) -> list[str]:
    """The lines of a rules text as the parser counts them: only a line feed ends one (str.splitlines knows more)."""
    return text.split("\n")


MOST_SHOWN = 100
"""The mistakes that the text of one error shows; ``problems`` has all."""

_LONGEST_SHOWN = 160  # of a line, in characters: a line written by a program can have millions


_LONGEST_MESSAGE = 1000  # a name of a program's making can have as many


def _shortened(message: str) -> str:
    """Of a very long message the beginning and the end."""
    if len(message) <= _LONGEST_MESSAGE:
        return message
    return f"{message[: _LONGEST_MESSAGE // 2]}…{message[-_LONGEST_MESSAGE // 2 :]}"


def _clipped(line: str, column: int) -> tuple[str, int]:
    """The line and the column in it; of a very long line only what is around the column."""
    if len(line) <= _LONGEST_SHOWN:
        return line, column
    start = max(0, min(column - 1 - _LONGEST_SHOWN // 2, len(line) - _LONGEST_SHOWN))
    end = start + _LONGEST_SHOWN
    dots = "…" if start else ""
    return f"{dots}{line[start:end]}{'…' if end < len(line) else ''}", column - start + len(dots)


def _display_width(character: str) -> int:
    """How many columns of a terminal a character takes: 2 for wide ones, 0 for combining marks."""
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


class RuleError(XmlCepError, ValueError):
    """Rules that cannot be used; ``problems`` are all mistakes found, ``line`` and ``column`` those of the first.

    ``texts`` are the texts of several files by name; each problem names its file.
    """

    def __init__(
        self,
        problems: Sequence[RuleProblem],
        *,
        source_name: str = "<rules>",
        text: str | None = None,
        texts: Mapping[str, str] | None = None,
    ) -> None:
        self.texts = dict(texts or {})
        order = {name: number for number, name in enumerate(self.texts)}
        self.problems = tuple(
            sorted(problems, key=lambda each: (order.get(each.at.file, -1), each.line, each.column))
        )
        self.source_name = source_name
        self.text = text
        self.line = self.problems[0].line
        self.column = self.problems[0].column
        super().__init__(source_name, [problem.message for problem in self.problems])

    def __str__(self) -> str:
        lines = {name: lines_of(text) for name, text in self.texts.items()}
        own = None if self.text is None else lines_of(self.text)
        shown = [
            problem.rendered(problem.at.file, lines[problem.at.file])
            if problem.at.file in lines
            else problem.rendered(self.source_name, own)
            for problem in self.problems[:MOST_SHOWN]
        ]
        more = len(self.problems) - len(shown)
        if more:
            shown.append(f"and {more:,} more: fix these first")
        return "\n".join(shown)


class RecordError(XmlCepError, ValueError):
    """A change log record that breaks the format; says which field, and what is expected."""


class MissingExtraError(XmlCepError, ImportError):
    """An optional part of xmlcep needs a package that is not installed; names the command that installs it."""

    def __init__(self, purpose: str, package: str, extra: str | None) -> None:
        """``extra`` is None for a package that no extra brings."""
        self.extra = extra
        what = package if extra is None else f"'xmlcep[{extra}]'"
        self.command = f"run  pip install {what}"
        super().__init__(f"{purpose} needs {package}: {self.command}")
