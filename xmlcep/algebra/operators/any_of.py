"""Any ``any[m](a, b, …)``: m of the operands have occurred, in any order (S1; Snoop's ANY)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import ClassVar, Self

from ...position import NOWHERE, Position
from ..expressions import (
    CHOOSING,
    DEFERRABLE,
    Argument,
    Expression,
    Operator,
    Parameter,
    ParameterKind,
    Report,
    Writer,
)
from ..options import NO_OPTIONS, Options
from ..promises import Promise, of_one
from ..shares import Share, begun, most_complete, together


@dataclass(frozen=True, slots=True)
class AnyOf(Operator):
    """``any[m](a, b, …)``: ``count`` of the operands have occurred, by different events, in any order (S1)."""

    kind: ClassVar[str] = "any"
    rule: ClassVar[str] = "any_of"
    symbol: ClassVar[str] = "any"
    syntax: ClassVar[str] = '"[" INT "]" [options] "(" expression ("," expression)* ")"'
    sign: ClassVar[str] = "any"
    takes: ClassVar[frozenset[str]] = CHOOSING | DEFERRABLE | {"within", "having"}
    fewest: ClassVar[int] = 1
    parameters: ClassVar[tuple[Parameter, ...]] = (Parameter("count", ParameterKind.COUNT),)
    operands: tuple[Expression, ...]
    count: int
    options: Options = NO_OPTIONS
    at: Position = field(default=NOWHERE, compare=False, repr=False)

    @classmethod
    def read(
        cls, operands: tuple[Expression, ...], arguments: Sequence[Argument], options: Options, at: Position,
        report: Report,
    ) -> Self:  # fmt: skip
        (given,) = arguments
        assert isinstance(given.value, int)
        count = given.value
        if not 1 <= count <= len(operands):
            report(
                given.at, f"any[{count}] of {len(operands)} operands never happens (S1)", _possible(len(operands)),
            )  # fmt: skip
            count = 1
        return cls(operands, count, options, at)

    @property
    def arguments(self) -> tuple[str, ...]:
        return (str(self.count),)

    def brackets(self) -> str:
        return f"[{self.count}]"

    def notation(self, write: Writer, braces: str) -> str:
        return f"any[{self.count}]{braces}({', '.join(map(write.expression, self.operands))})"

    def problems(self) -> Iterator[tuple[str, str]]:
        if not 1 <= self.count <= len(self.operands):
            yield (
                f"any[{self.count}] of {len(self.operands)} operands never happens (S1)",
                _possible(len(self.operands)),
            )

    def may_raise(self, there: Sequence[bool]) -> bool:
        return sum(there) >= self.count

    def share(self, operands: Sequence[Share], counts: Sequence[int]) -> Share:
        """The best branches, as many as it takes."""
        return together(most_complete(begun(operands, counts), self.count))

    def choices(self, counts: Sequence[int]) -> Iterator[tuple[int, ...]]:
        """As many as are missing, of operands of which there is nothing; then of any."""
        missing = [k for k in range(len(self.operands)) if not counts[k]]
        for length in range(max(1, self.count - len(self.operands) + len(missing)), self.count + 1):
            yield from combinations(missing, length)
            yield from combinations(range(len(self.operands)), length)

    def promise(self, operands: Sequence[Promise]) -> Promise:
        # Which operands take part is not known: with m of n at least one solid one does if fewer than m are not.
        solid = sum(not operand.solid for operand in operands) < self.count
        return Promise(solid, of_one(operands).prompt)


def _possible(operands: int) -> str:
    """Which numbers there can be."""
    return f"write a number from 1 to {operands}; any[{operands}] asks for all of them"
