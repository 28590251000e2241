"""The periodic operators ``periodic[a, "10 min", c]`` and ``periodic*[…]``: a beat between a and c (W10)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Self

from ...position import NOWHERE, Position
from ..expressions import (
    CHOOSING,
    Argument,
    Expression,
    Operator,
    Parameter,
    ParameterKind,
    Report,
    Writer,
)
from ..options import NO_OPTIONS, SNOOP, ContextName, Options
from ..promises import Promise, of_all
from ..windows import Unit, Window
from .arguments import window_argument

SHORTEST_BEAT = 1_000
"""In microseconds (W10)."""


@dataclass(frozen=True, slots=True)
class Periodic(Operator):
    """``periodic[a, w, c]``: again and again after ``beat``, in a window that a opens and c closes (W10)."""

    kind: ClassVar[str] = "periodic"
    rule: ClassVar[str] = "periodic"
    symbol: ClassVar[str] = "periodic"
    syntax: ClassVar[str] = '"[" expression "," STRING "," expression "]" [options]'
    sign: ClassVar[str] = "P"
    takes: ClassVar[frozenset[str]] = CHOOSING
    contexts: ClassVar[frozenset[ContextName]] = SNOOP
    most: ClassVar[int | None] = 2
    parameters: ClassVar[tuple[Parameter, ...]] = (Parameter("beat", ParameterKind.WINDOW),)
    operands: tuple[Expression, ...]
    beat: Window
    options: Options = NO_OPTIONS
    at: Position = field(default=NOWHERE, compare=False, repr=False)

    @classmethod
    def read(
        cls, operands: tuple[Expression, ...], arguments: Sequence[Argument], options: Options, at: Position,
        report: Report,
    ) -> Self:  # fmt: skip
        beat = window_argument(arguments[0], report)
        for message, hint in cls(operands, beat, options, at).problems():
            report(arguments[0].at, message, hint)
            beat = Window(SHORTEST_BEAT, Unit.TIME)
        return cls(operands, beat, options, at)

    @property
    def arguments(self) -> tuple[str, ...]:
        return (str(self.beat),)

    def brackets(self) -> str:
        return f"[{self.beat}]"

    def notation(self, write: Writer, braces: str) -> str:
        opens, closes = self.operands
        beat = write.quoted(str(self.beat))
        return f"{self.symbol}[{write.expression(opens)}, {beat}, {write.expression(closes)}]{braces}"

    def problems(self) -> Iterator[tuple[str, str]]:
        if self.beat.unit is not Unit.TIME:
            yield (
                f"a beat of {self.beat}: {self.kind} beats in time (W10)",
                'write a duration, such as "10 min"',
            )
        elif self.beat.amount < SHORTEST_BEAT:
            yield (f"a beat of {self.beat} is too short (W10)", 'write "1 ms" or more')

    @property
    def durations(self) -> tuple[Window, ...]:
        return (self.beat,)

    @property
    def optional_binders(self) -> tuple[int, ...]:
        """V4: what closes windows closes those of all values, unless it says which."""
        return (1,)

    @property
    def constituent_operands(self) -> tuple[int, ...]:
        return (0,)

    @property
    def turns(self) -> tuple[int, ...]:
        """As W8: c, then a."""
        return (1, 0)

    @property
    def has_timers(self) -> bool:
        return True

    @property
    def watches_group(self) -> bool:
        """W10: a window may beat so often without a record of its group."""
        return True

    @property
    def required(self) -> tuple[int, ...]:
        """What opens; the rest is time."""
        return (0,)

    def promise(self, operands: Sequence[Promise]) -> Promise:
        return Promise(operands[0].solid, prompt=False)


@dataclass(frozen=True, slots=True)
class PeriodicStar(Periodic):
    """``periodic*[a, w, c]``: at c, with the times that have passed since a (W10)."""

    kind: ClassVar[str] = "periodic_star"
    rule: ClassVar[str] = "periodic_star"
    symbol: ClassVar[str] = "periodic*"
    sign: ClassVar[str] = "P*"
    own_variables: ClassVar[tuple[str, ...]] = ("times",)

    @property
    def constituent_operands(self) -> tuple[int, ...]:
        return (0, 1)

    @property
    def has_timers(self) -> bool:
        """It is raised by c."""
        return False

    @property
    def watches_group(self) -> bool:
        return False

    @property
    def required(self) -> tuple[int, ...]:
        """Both: it raises when the last closes."""
        return (0, 1)

    def promise(self, operands: Sequence[Promise]) -> Promise:
        return of_all(operands)
