"""Conjunction ``a & b & …``: all operands have occurred, in any order (Q1), but for those aside (A7)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Self

from ...position import NOWHERE, Position
from ..expressions import CHOOSING, DEFERRABLE, Argument, Collected, Expression, Report
from ..options import NO_OPTIONS, Options, Termination
from ..promises import Promise, of_all
from .aside import WithAside


@dataclass(frozen=True, slots=True)
class Conjunction(WithAside):
    """``a & b & …``: all operands have occurred, in any order (Q1).

    ``negated`` are the positions of operands that must not occur around them, ``collected`` those of which all that
    does is taken along (A7).
    """

    kind: ClassVar[str] = "conjunction"
    rule: ClassVar[str] = "all"
    symbol: ClassVar[str] = "&"
    sign: ClassVar[str] = "△"
    infix: ClassVar[bool] = True
    takes: ClassVar[frozenset[str]] = CHOOSING | DEFERRABLE | {"within", "having"}
    aside_words: ClassVar[frozenset[str]] = frozenset({"not", "all"})
    other_ends: ClassVar[str] = ""
    operands: tuple[Expression, ...]
    options: Options = NO_OPTIONS
    at: Position = field(default=NOWHERE, compare=False, repr=False)
    negated: tuple[int, ...] = ()
    collected: tuple[Collected, ...] = ()

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

    @property
    def trailing(self) -> tuple[int, ...]:
        """All that stand aside do so until an end."""
        return self.aside

    def problems(self) -> Iterator[tuple[str, str]]:
        yield from WithAside.problems(self)
        if 0 in self.aside and self.positive:
            yield (
                f"a conjunction does not begin with {self.word_before(0).strip()!r} (A5)",
                "write it after another operand: a & not b",
            )
        if self.aside and self.options.end is Termination.NON_LOCAL:
            yield (
                "in any order nothing stands aside until work goes on elsewhere (A7)",
                "write end=custom, or give the conjunction a window, or an order: a ; not b",
            )

    def promise(self, operands: Sequence[Promise]) -> Promise:
        needed = of_all(operands[k] for k in self.positive)
        return Promise(needed.solid, needed.prompt and not self.aside)
