"""Sequence ``a ; not b ; c …``: its operands have occurred, each before the next (H5), those negated have not (A1)."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence as OperandSequence
from dataclasses import dataclass, field
from typing import ClassVar, Self

from ...position import NOWHERE, Position
from ..expressions import CHOOSING, DEFERRABLE, Argument, Expression, Operator, Report, Writer
from ..options import NO_OPTIONS, Options, Termination
from ..promises import Promise, of_all


@dataclass(frozen=True, slots=True)
class Sequence(Operator):
    """``a ; b ; …``: all operands have occurred, each before the next (H5).

    ``negated`` are the positions of operands that must not occur there (A1 to A3).
    """

    kind: ClassVar[str] = "sequence"
    rule: ClassVar[str] = "sequence"
    symbol: ClassVar[str] = ";"
    sign: ClassVar[str] = ";"
    infix: ClassVar[bool] = True
    takes: ClassVar[frozenset[str]] = (
        CHOOSING | DEFERRABLE | {"within", "gap", "having", "strict"}
    )  # fmt: skip
    operands: tuple[Expression, ...]
    options: Options = NO_OPTIONS
    at: Position = field(default=NOWHERE, compare=False, repr=False)
    negated: tuple[int, ...] = ()

    @classmethod
    def read(
        cls, operands: tuple[Expression, ...], arguments: OperandSequence[Argument], options: Options,
        at: Position, report: Report,
    ) -> Self:  # fmt: skip
        return cls(operands, options, at)

    def written_operands(self, write: Writer) -> Iterator[str]:
        for k, operand in enumerate(self.operands):
            yield f"{'not ' if k in self.negated else ''}{write.operand(operand)}"

    @property
    def title(self) -> str:
        return f"{self.kind} ({self.symbol})"

    @property
    def leaves_out(self) -> bool:
        return True

    @property
    def positive(self) -> tuple[int, ...]:
        """The positions of the operands that have to occur."""
        return tuple(k for k in range(len(self.operands)) if k not in self.negated)

    @property
    def trailing(self) -> tuple[int, ...]:
        """The positions of the negated operands behind the last that has to occur (A3)."""
        positive = self.positive
        return tuple(k for k in self.negated if positive and k > positive[-1])

    @property
    def has_timers(self) -> bool:
        """A trailing absence with a window is known when the window has passed (A3)."""
        return bool(self.trailing) and self.options.within is not None

    @property
    def turns(self) -> tuple[int, ...]:
        """A1: negated operands are fed before the others."""
        return (*self.negated, *self.positive)

    def problems(self) -> Iterator[tuple[str, str]]:
        if not self.positive:
            yield (
                "a sequence of nothing but 'not' never begins (A5)",
                "write what it begins or ends with: a ; not b ; c, or not b ; a",
            )
            return
        if not self.trailing:
            return
        ends = self.options.end in (Termination.NON_LOCAL, Termination.CUSTOM)
        if not ends and self.options.within is None:
            yield (
                "nothing says until when the last 'not' has to hold (A3)",
                'give the sequence a window, {within="3 days"}, or an end: {end=custom} (of the transaction) or '
                "{end=non-local}",
            )
        elif ends and self.options.within is not None:
            yield (
                "the last 'not' has two ends, a window and a termination (A3)",
                "leave one of them out: within ends it by time, end at a release",
            )

    def choices(self, counts: OperandSequence[int]) -> Iterator[tuple[int, ...]]:
        """The last ones, from some operand on: what comes now comes behind what is there."""
        for length in range(len(self.required) + 1):
            yield self.required[len(self.required) - length :]

    def promise(self, operands: OperandSequence[Promise]) -> Promise:
        needed = of_all(operands[k] for k in self.positive)
        return Promise(needed.solid, needed.prompt and not self.trailing)
