"""The aperiodic operators ``aperiodic[a, c] b`` and ``aperiodic*[a, c] b``: b between a and c (W8, W9)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Self

from ...position import NOWHERE, Position
from ..expressions import CHOOSING, Argument, Expression, Operator, Report, Writer
from ..options import NO_OPTIONS, SNOOP, ContextName, Options
from ..promises import Promise, of_all


@dataclass(frozen=True, slots=True)
class Aperiodic(Operator):
    """``aperiodic[a, c] b``: b in a window that a opens and c closes (W8). Operands: a, b, c."""

    kind: ClassVar[str] = "aperiodic"
    rule: ClassVar[str] = "aperiodic"
    symbol: ClassVar[str] = "aperiodic"
    syntax: ClassVar[str] = '"[" expression "," expression "]" [options] _unit'
    sign: ClassVar[str] = "A"
    takes: ClassVar[frozenset[str]] = CHOOSING
    contexts: ClassVar[frozenset[ContextName]] = SNOOP
    fewest: ClassVar[int] = 3
    most: ClassVar[int | None] = 3
    operands: tuple[Expression, ...]
    options: Options = NO_OPTIONS
    at: Position = field(default=NOWHERE, compare=False, repr=False)

    @classmethod
    def read(
        cls, operands: tuple[Expression, ...], arguments: Sequence[Argument], options: Options, at: Position,
        report: Report,
    ) -> Self:  # fmt: skip
        opens, closes, between = operands
        return cls((opens, between, closes), options, at)

    @property
    def written(self) -> tuple[Expression, ...]:
        opens, between, closes = self.operands
        return (opens, closes, between)

    def notation(self, write: Writer, braces: str) -> str:
        opens, closes, between = self.written
        window = f"[{write.expression(opens)}, {write.expression(closes)}]"
        return f"{self.symbol}{window}{braces} {write.operand(between)}"

    @property
    def optional_binders(self) -> tuple[int, ...]:
        """V4: what closes windows closes those of all values, unless it says which."""
        return (2,)

    @property
    def constituent_operands(self) -> tuple[int, ...]:
        return (0, 1)

    @property
    def turns(self) -> tuple[int, ...]:
        """W8: at one time point c, then b, then a."""
        return (2, 1, 0)

    @property
    def required(self) -> tuple[int, ...]:
        """What opens, and what occurs then; what closes may come or not."""
        return (0, 1)

    def promise(self, operands: Sequence[Promise]) -> Promise:
        return of_all(operands[:2])


@dataclass(frozen=True, slots=True)
class AperiodicStar(Aperiodic):
    """``aperiodic*[a, c] b``: at c, all b since a (W9). Operands: a, b, c."""

    kind: ClassVar[str] = "aperiodic_star"
    rule: ClassVar[str] = "aperiodic_star"
    symbol: ClassVar[str] = "aperiodic*"
    sign: ClassVar[str] = "A*"
    gathers: ClassVar[bool] = True

    @property
    def required(self) -> tuple[int, ...]:
        """All: it raises when the last closes."""
        return (0, 1, 2)

    @property
    def constituent_operands(self) -> tuple[int, ...]:
        return (0, 1, 2)

    def promise(self, operands: Sequence[Promise]) -> Promise:
        return of_all(operands)
