"""Plus ``plus[a, "3 days"]``: a, and then so much time (W7; Snoop's PLUS)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Self

from path_types import PathType

from ...position import NOWHERE, Position
from ..expressions import (
    COMMON_OPTIONS,
    Argument,
    Expression,
    Operator,
    Parameter,
    ParameterKind,
    Report,
    Writer,
)
from ..options import NO_OPTIONS, SNOOP, ContextName, Options
from ..promises import Promise
from ..windows import Unit, Window
from .arguments import window_argument


@dataclass(frozen=True, slots=True)
class Plus(Operator):
    """``plus[a, w]``: raised when ``delay`` has passed since ``a`` was detected (W7)."""

    kind: ClassVar[str] = "plus"
    rule: ClassVar[str] = "plus"
    symbol: ClassVar[str] = "plus"
    syntax: ClassVar[str] = '"[" expression "," STRING "]" [options]'
    sign: ClassVar[str] = "+"
    takes: ClassVar[frozenset[str]] = COMMON_OPTIONS | {"by"}
    contexts: ClassVar[frozenset[ContextName]] = SNOOP - {ContextName.RECENT, ContextName.CUMULATIVE}
    fewest: ClassVar[int] = 1
    most: ClassVar[int | None] = 1
    parameters: ClassVar[tuple[Parameter, ...]] = (Parameter("delay", ParameterKind.WINDOW),)
    operands: tuple[Expression, ...]
    delay: Window
    options: Options = NO_OPTIONS
    at: Position = field(default=NOWHERE, compare=False, repr=False)

    @classmethod
    def read(
        cls, operands: tuple[Expression, ...], arguments: Sequence[Argument], options: Options, at: Position,
        report: Report,
    ) -> Self:  # fmt: skip
        delay = window_argument(arguments[0], report)
        for message, hint in cls(operands, delay, options, at).problems():
            report(arguments[0].at, message, hint)
            delay = Window(1, Unit.TIME)
        return cls(operands, delay, options, at)

    @property
    def arguments(self) -> tuple[str, ...]:
        return (str(self.delay),)

    def brackets(self) -> str:
        return f"[{self.delay}]"

    def notation(self, write: Writer, braces: str) -> str:
        return f"plus[{write.expression(self.operands[0])}, {write.quoted(str(self.delay))}]{braces}"

    def derived_path(self, paths: Sequence[PathType]) -> PathType | None:
        """W7: its operand's."""
        return paths[0]

    def problems(self) -> Iterator[tuple[str, str]]:
        if self.delay.unit is not Unit.TIME:
            yield (
                f"a delay of {self.delay}: plus waits for time to pass (W7)",
                'write a duration, such as "3 days"',
            )

    @property
    def durations(self) -> tuple[Window, ...]:
        return (self.delay,)

    @property
    def has_timers(self) -> bool:
        return True

    def promise(self, operands: Sequence[Promise]) -> Promise:
        return Promise(operands[0].solid, prompt=False)
