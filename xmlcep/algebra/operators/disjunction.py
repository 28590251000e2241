"""Disjunction ``a | b | …``: any operand has occurred (H6)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Self

from ...position import NOWHERE, Position
from ..expressions import CHOOSING, DEFERRABLE, Argument, Expression, Operator, Report
from ..options import NO_OPTIONS, Options
from ..promises import Promise, of_one
from ..shares import Share, begun, most_complete, together


@dataclass(frozen=True, slots=True)
class Disjunction(Operator):
    """``a | b | …``: any operand has occurred (H6). With one operand: an event that is a single leaf (T1)."""

    kind: ClassVar[str] = "disjunction"
    rule: ClassVar[str] = "choice"
    symbol: ClassVar[str] = "|"
    sign: ClassVar[str] = "▽"
    infix: ClassVar[bool] = True
    takes: ClassVar[frozenset[str]] = CHOOSING | DEFERRABLE | {"by"}
    joins: ClassVar[bool] = False
    fewest: ClassVar[int] = 1
    operands: tuple[Expression, ...]
    options: Options = NO_OPTIONS
    at: Position = field(default=NOWHERE, compare=False, repr=False)

    @classmethod
    def read(
        cls, operands: tuple[Expression, ...], arguments: Sequence[Argument], options: Options, at: Position,
        report: Report,
    ) -> Self:  # fmt: skip
        return cls(operands, options, at)

    def may_raise(self, there: Sequence[bool]) -> bool:
        return any(there)

    def share(self, operands: Sequence[Share], counts: Sequence[int]) -> Share:
        """The best branch."""
        return together(most_complete(begun(operands, counts), 1))

    def choices(self, counts: Sequence[int]) -> Iterator[tuple[int, ...]]:
        """Any."""
        yield from ((k,) for k in range(len(self.operands)))

    def promise(self, operands: Sequence[Promise]) -> Promise:
        return of_one(operands)
