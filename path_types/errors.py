"""The one base class of every error that the project raises on purpose, and the errors of paths."""

from __future__ import annotations

from typing import Any


class XmlCepError(Exception):
    """Base class of all errors raised on purpose by ``path_types``, ``contexts`` and ``xmlcep``.

    It lives in the lowest package so that every package can derive from it; ``xmlcep.XmlCepError``
    is the same class. Errors come out of another process as what they are.
    """

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (type(self), self.args, dict(vars(self)))


def _again(kind: type[XmlCepError], args: tuple[Any, ...], attributes: dict[str, Any]) -> XmlCepError:
    """The error once more; its ``__init__`` makes ``args`` of other things, and is left out."""
    error = kind.__new__(kind, *args)
    error.args = args
    vars(error).update(attributes)
    return error


class PathError(XmlCepError, ValueError):
    """A path type or path instance that cannot exist, for example an attribute step before the last."""


class PathSyntaxError(PathError):
    """Text that is not a path; ``text`` is what was given, ``offset`` (from 0) where it goes wrong.

    >>> print(PathSyntaxError("order//item", 6, "an empty step", "write a name"))
    an empty step in 'order//item', column 7: write a name
      order//item
            ^
    """

    def __init__(self, text: str, offset: int, problem: str, hint: str) -> None:
        self.text = text
        self.offset = offset
        self.problem = problem
        self.hint = hint
        super().__init__(text, offset, problem, hint)

    def __str__(self) -> str:
        shown = self.text.replace("\n", " ").replace("\t", " ")
        return (
            f"{self.problem} in {self.text!r}, column {self.offset + 1}: {self.hint}\n"
            f"  {shown}\n  {' ' * self.offset}^"
        )
