"""Multiplicity ``x[l,u] a``: l to u occurrences of the operand (M1 to M6)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Self

from path_types import PathType

from ...events import Scope
from ...position import NOWHERE, Position
from ..expressions import (
    COMMON_OPTIONS,
    DEFERRABLE,
    Argument,
    Expression,
    Leaf,
    Operator,
    Parameter,
    ParameterKind,
    Report,
)
from ..options import NO_OPTIONS, SNOOP, ContextName, Options
from ..promises import Promise
from ..shares import Share

_LARGEST = 999_999_999


@dataclass(frozen=True, slots=True)
class Multiplicity(Operator):
    """``x[l,u] a``: ``lower`` to ``upper`` (None: unbounded) occurrences of the operand (M1 to M6)."""

    kind: ClassVar[str] = "multiplicity"
    rule: ClassVar[str] = "multiplicity"
    symbol: ClassVar[str] = "x"
    sign: ClassVar[str] = "×"
    takes: ClassVar[frozenset[str]] = COMMON_OPTIONS | DEFERRABLE | {"within", "having", "by", "slide"}
    contexts: ClassVar[frozenset[ContextName]] = SNOOP
    gathers: ClassVar[bool] = True
    fewest: ClassVar[int] = 1
    most: ClassVar[int | None] = 1
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter("min", ParameterKind.COUNT),
        Parameter("max", ParameterKind.BOUND),
    )
    operands: tuple[Expression, ...]
    lower: int
    upper: int | None
    options: Options = NO_OPTIONS
    at: Position = field(default=NOWHERE, compare=False, repr=False)

    @property
    def operand(self) -> Expression:
        """The one operand."""
        return self.operands[0]

    @classmethod
    def read(
        cls, operands: tuple[Expression, ...], arguments: Sequence[Argument], options: Options, at: Position,
        report: Report,
    ) -> Self:  # fmt: skip
        """Wrong bounds (M6) are reported and replaced."""
        low, high = arguments
        assert isinstance(low.value, int) and not isinstance(high.value, str)
        lower, upper = low.value, high.value
        follows = high.at.line == low.at.line and high.at.column > low.at.column
        where = replace(low.at, width=high.at.column + high.at.width - low.at.column) if follows else low.at
        if max(lower, upper or 0) > _LARGEST:
            report(where, "a bound of a multiplicity is too large", "write * for no upper bound")
        elif lower < 0 or (upper is not None and upper < 1):
            report(
                where,
                f"x[{lower},{'*' if upper is None else upper}] counts below {'0' if lower < 0 else '1'}",
                "the lower bound is at least 0, the upper bound at least 1 or * for no bound (M6)",
            )
        elif upper is not None and lower > upper:
            report(
                where, f"the lower bound {lower} is above the upper bound {upper}",
                f"write x[{upper},{lower}], or * as the upper bound for no bound (M6)",
            )  # fmt: skip
        else:
            return cls(operands, lower, upper, options, at)
        return cls(operands, 1, None, options, at)

    @property
    def arguments(self) -> tuple[str, ...]:
        return (str(self.lower), "*" if self.upper is None else str(self.upper))

    def brackets(self) -> str:
        return f"[{','.join(self.arguments)}]"

    def derived_path(self, paths: Sequence[PathType]) -> PathType | None:
        """T2: its child's path type without the last step; of a leaf with ``//`` the path before that (F5)."""
        operand = self.operand
        if isinstance(operand, Leaf) and operand.type.scope is not Scope.NODE:
            return paths[0]
        return paths[0].parent

    def no_derived_path(self, paths: Sequence[PathType]) -> str:
        return f"{paths[0]} has only one step"

    def problems(self) -> Iterator[tuple[str, str]]:
        if self.lower < 0 or (self.upper is not None and (self.upper < 1 or self.upper < self.lower)):
            yield (
                f"the bounds {self.brackets()} of a multiplicity are impossible (M6)",
                "the lower bound is 0 or more, the upper bound 1 or more and not below the lower, or *",
            )
        if self.options.slide and self.upper is None:
            yield (
                f"x{self.brackets()} cannot slide: it has no upper bound (S4)",
                "write how many are to be kept, such as x[1,3]{slide}",
            )

    def may_raise(self, there: Sequence[bool]) -> bool:
        return self.lower == 0 or there[0]

    def share(self, operands: Sequence[Share], counts: Sequence[int]) -> Share:
        """As many as the lower bound says, at least one, those there are and the next one; of operands that need
        nothing each counts as one. What is raised of nothing (M4) is for those to say who know whether it is there."""
        (share,), (count,), lower = operands, counts, max(self.lower, 1)
        known = min(count, lower)
        if not share.needed:
            return Share(known, lower)
        begun = share.satisfied if known < lower else 0
        return Share(known * share.needed + begun, lower * share.needed)

    def choices(self, counts: Sequence[int]) -> Iterator[tuple[int, ...]]:
        """As many as are missing, at least one; then as many as it takes from the beginning."""
        lower = max(1, self.lower)
        if not self.lower:
            yield ()
        yield (0,) * max(1, lower - counts[0])
        yield (0,) * lower

    def promise(self, operands: Sequence[Promise]) -> Promise:
        return operands[0]

    @property
    def creates_empty(self) -> bool:
        return self.lower == 0

    @property
    def takes_back(self) -> bool:
        return True
