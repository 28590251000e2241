"""Interval relations ``a during b``: both have occurred, and their intervals lie so (R1; Allen, ETALIS)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
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
)
from ..options import NO_OPTIONS, Options
from ..promises import Promise, of_all


@dataclass(frozen=True, slots=True)
class Relation(Operator):
    """``a REL b``: a conjunction of two whose intervals satisfy the relation called ``word`` (R1)."""

    kind: ClassVar[str] = "relation"
    rule: ClassVar[str] = "related"
    symbol: ClassVar[str] = ""
    sign: ClassVar[str] = ""
    infix: ClassVar[bool] = True
    takes: ClassVar[frozenset[str]] = CHOOSING | DEFERRABLE | {"within", "having"}
    most: ClassVar[int | None] = 2
    parameters: ClassVar[tuple[Parameter, ...]] = (Parameter("is", ParameterKind.RELATION),)
    operands: tuple[Expression, ...]
    word: str
    options: Options = NO_OPTIONS
    at: Position = field(default=NOWHERE, compare=False, repr=False)

    @classmethod
    def read(
        cls, operands: tuple[Expression, ...], arguments: Sequence[Argument], options: Options, at: Position,
        report: Report,
    ) -> Self:  # fmt: skip
        return cls(operands, str(arguments[0].value), options, at)

    @property
    def arguments(self) -> tuple[str, ...]:
        return (self.word,)

    @property
    def infix_sign(self) -> str:
        return self.word

    @property
    def drawn(self) -> str:
        return self.word

    @property
    def title(self) -> str:
        return f"{self.kind} ({self.word})"

    def choices(self, counts: Sequence[int]) -> Iterator[tuple[int, ...]]:
        """One of them, or both in either order."""
        yield from ((0,), (1,), (0, 1), (1, 0))

    def promise(self, operands: Sequence[Promise]) -> Promise:
        # Empty intervals satisfy before and after (E5): one operand is enough to make it solid.
        return of_all(operands)
