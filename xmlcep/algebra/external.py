"""External events: nothing in the document makes them; the action ``raise`` of a rule does (rule L7)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Self

from path_types import PathType

from ..position import NOWHERE, Position
from .expressions import Argument, Expression, Operator, Report, Writer
from .options import NO_OPTIONS, Options
from .promises import ALL, Promise


@dataclass(frozen=True, slots=True)
class External(Operator):
    """``event NAME(path) = external``: an event tree without operands. It is alone, never in an expression."""

    kind: ClassVar[str] = "external"
    rule: ClassVar[str] = "external"
    symbol: ClassVar[str] = "external"
    sign: ClassVar[str] = "external"
    takes: ClassVar[frozenset[str]] = frozenset({"path"})
    fewest: ClassVar[int] = 0
    most: ClassVar[int | None] = 0
    operands: tuple[Expression, ...] = ()
    options: Options = NO_OPTIONS
    at: Position = field(default=NOWHERE, compare=False, repr=False)

    @classmethod
    def read(
        cls, operands: tuple[Expression, ...], arguments: Sequence[Argument], options: Options, at: Position,
        report: Report,
    ) -> Self:  # fmt: skip
        return cls(options=options, at=at)

    def notation(self, write: Writer, braces: str) -> str:
        return self.symbol

    def derived_path(self, paths: Sequence[PathType]) -> PathType | None:
        return None

    def no_derived_path(self, paths: Sequence[PathType]) -> str:
        return "it has no operands"

    def promise(self, operands: Sequence[Promise]) -> Promise:
        return ALL
