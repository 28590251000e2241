"""The error of an expression that cannot be used."""

from __future__ import annotations

from ..errors import XmlCepError


class ExpressionError(XmlCepError, ValueError):
    """An expression that cannot be used: ``expression``, where (``offset`` from 0, ``width``), what is wrong
    (``problem``; ``message`` says where, too) and what to write instead (``hint``)."""

    def __init__(self, expression: str, offset: int, width: int, problem: str, hint: str = "") -> None:
        self.expression = expression
        self.offset = offset
        self.width = max(1, width)
        self.problem = problem
        self.hint = hint
        super().__init__(expression, offset, width, problem, hint)

    @property
    def message(self) -> str:
        """What is wrong, in one line that says where."""
        return f"{self.problem} in the expression {_clipped(self.expression)!r}, character {self.offset + 1}"

    def __str__(self) -> str:
        # Only what is around the place of an expression that is too long to be shown.
        start = max(0, self.offset - _LONGEST_SHOWN // 2) if len(self.expression) > _LONGEST_SHOWN else 0
        shown = self.expression[start : start + _LONGEST_SHOWN]
        shown = "".join(" " if character.isspace() else character for character in shown)
        at = self.offset - start
        width = max(1, min(self.width, _LONGEST_SHOWN - at))
        lines = [self.message, f"  {shown}", f"  {' ' * at}{'^' * width}"]
        return "\n".join([*lines, f"  hint: {self.hint}"] if self.hint else lines)


_LONGEST_SHOWN = 160  # characters: an expression written by a program can have thousands


def _clipped(expression: str) -> str:
    return expression if len(expression) <= _LONGEST_SHOWN else f"{expression[: _LONGEST_SHOWN // 2]}…"
