"""Sequence ``a ; b ; …``: all operands have occurred, each before the next (H5)."""

from __future__ import annotations

from collections.abc import Sequence as OperandSequence
from dataclasses import dataclass, field
from typing import ClassVar, Self

from ...position import NOWHERE, Position
from ..expressions import Argument, Expression, Operator, Report
from ..options import NO_OPTIONS, Options
from ..promises import Promise


@dataclass(frozen=True, slots=True)
class Sequence(Operator):
    """``a ; b ; …``: all operands have occurred, each before the next (H5)."""

    kind: ClassVar[str] = "sequence"
    rule: ClassVar[str] = "sequence"
    symbol: ClassVar[str] = ";"
    sign: ClassVar[str] = ";"
    infix: ClassVar[bool] = True
    operands: tuple[Expression, ...]
    options: Options = NO_OPTIONS
    at: Position = field(default=NOWHERE, compare=False, repr=False)

    @classmethod
    def read(
        cls, operands: tuple[Expression, ...], arguments: OperandSequence[Argument], options: Options,
        at: Position, report: Report,
    ) -> Self:  # fmt: skip
        return cls(operands, options, at)

    @property
    def title(self) -> str:
        return f"{self.kind} ({self.symbol})"

    @property
    def stores_composites(self) -> bool:
        return True

    def promise(self, operands: OperandSequence[Promise]) -> Promise:
        solid = any(operand.solid for operand in operands)
        return Promise(solid, solid and all(operand.prompt for operand in operands))
