"""Sequence ``a ; not b ; c …``: its operands have occurred, each before the next (Q1), but for those aside (A1, A6)."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence as OperandSequence
from dataclasses import dataclass, field
from typing import ClassVar, Self

from ...position import NOWHERE, Position
from ..expressions import CHOOSING, DEFERRABLE, Argument, Collected, Expression, Report
from ..options import NO_OPTIONS, Options
from ..promises import Promise, of_all
from .aside import WithAside


@dataclass(frozen=True, slots=True)
class Sequence(WithAside):
    """``a ; b ; …``: all operands have occurred, each before the next (Q1).

    ``negated`` are the positions of operands that must not occur there (A1 to A3), ``collected`` those of which all
    that does is taken along (A6).
    """

    kind: ClassVar[str] = "sequence"
    rule: ClassVar[str] = "sequence"
    symbol: ClassVar[str] = ";"
    sign: ClassVar[str] = ";"
    infix: ClassVar[bool] = True
    takes: ClassVar[frozenset[str]] = (
        CHOOSING | DEFERRABLE | {"within", "gap", "having", "strict"}
    )  # fmt: skip
    aside_words: ClassVar[frozenset[str]] = frozenset({"not", "all"})
    operands: tuple[Expression, ...]
    options: Options = NO_OPTIONS
    at: Position = field(default=NOWHERE, compare=False, repr=False)
    negated: tuple[int, ...] = ()
    collected: tuple[Collected, ...] = ()

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
    def leaves_out(self) -> bool:
        return True

    def choices(self, counts: OperandSequence[int]) -> Iterator[tuple[int, ...]]:
        """The last ones, from some operand on: what comes now comes behind what is there."""
        for length in range(len(self.required) + 1):
            yield self.required[len(self.required) - length :]

    def promise(self, operands: OperandSequence[Promise]) -> Promise:
        needed = of_all(operands[k] for k in self.positive)
        return Promise(needed.solid, needed.prompt and not self.trailing)
