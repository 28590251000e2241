"""Conjunction ``a & b & …``: all operands have occurred, in any order (H4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Self

from ...position import NOWHERE, Position
from ..expressions import CHOOSING, DEFERRABLE, Argument, Expression, Operator, Report
from ..options import NO_OPTIONS, Options
from ..promises import Promise, of_all


@dataclass(frozen=True, slots=True)
class Conjunction(Operator):
    """``a & b & …``: all operands have occurred, in any order (H4)."""

    kind: ClassVar[str] = "conjunction"
    rule: ClassVar[str] = "all"
    symbol: ClassVar[str] = "&"
    sign: ClassVar[str] = "△"
    infix: ClassVar[bool] = True
    takes: ClassVar[frozenset[str]] = CHOOSING | DEFERRABLE | {"within", "having"}
    operands: tuple[Expression, ...]
    options: Options = NO_OPTIONS
    at: Position = field(default=NOWHERE, compare=False, repr=False)

    @classmethod
    def read(
        cls, operands: tuple[Expression, ...], arguments: Sequence[Argument], options: Options, at: Position,
        report: Report,
    ) -> Self:  # fmt: skip
        return cls(operands, options, at)

    @property
    def title(self) -> str:
        return f"{self.kind} ({self.symbol})"

    @property
    def leaves_out(self) -> bool:
        return True

    def promise(self, operands: Sequence[Promise]) -> Promise:
        return of_all(operands)
