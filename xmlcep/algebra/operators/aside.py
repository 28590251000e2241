"""Operators some of whose operands stand aside, so that no combination chooses of them (A1, A6, A7).

What is *negated* must not occur; of what is *collected* all is taken along, if it is as much as its bounds say.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self, cast

from ..expressions import Collected, Operator, Writer
from ..options import Termination

NO_BOUNDS = (0, 0)
"""Of what is negated: nothing."""


class WithAside(Operator):
    """``negated`` are the positions of operands that must not occur; ``collected`` says of which all is taken along."""

    __slots__ = ()
    other_ends: ClassVar[str] = " or {end=non-local}"
    """Which ends it can have besides, as a hint says it."""

    @property
    def aside(self) -> tuple[int, ...]:
        return tuple(sorted((*self.negated, *(each.operand for each in self.collected))))

    @property
    def positive(self) -> tuple[int, ...]:
        """The positions of the operands of which combinations choose an event."""
        return tuple(k for k in range(len(self.operands)) if k not in self.aside)

    @property
    def trailing(self) -> tuple[int, ...]:
        """The positions of those that stand aside until an end: a window, or a release (A3)."""
        positive = self.positive
        return tuple(k for k in self.aside if positive and k > positive[-1])

    @property
    def required(self) -> tuple[int, ...]:
        return tuple(k for k in range(len(self.operands)) if k in self.positive or self.bounds(k)[0])

    @property
    def has_timers(self) -> bool:
        """What stands aside until a window is over is known then (A3)."""
        return bool(self.trailing) and self.options.within is not None

    def bounds(self, operand: int) -> tuple[int, int | None]:
        """How many events there may be of an operand that stands aside; None: there is no upper bound."""
        return next((each.bounds for each in self.collected if each.operand == operand), NO_BOUNDS)

    def standing_aside(self, negated: Sequence[int], collected: Sequence[Collected]) -> Self:
        given = cast("Any", self)
        return cast("Self", replace(given, negated=tuple(negated), collected=tuple(collected)))

    def written_operands(self, write: Writer) -> Iterator[str]:
        for k, operand in enumerate(self.operands):
            yield f"{self.word_before(k)}{write.operand(operand)}"

    def problems(self) -> Iterator[tuple[str, str]]:
        if not self.positive:
            words = "'not'" if not self.collected else "'not' and 'all'" if self.negated else "'all'"
            yield (
                f"a {self.kind} of nothing but {words} never begins (A5)",
                "write what it begins or ends with: a ; not b ; c, or not b ; a",
            )
            return
        if not self.trailing:
            return
        first = self.trailing[0]
        word = "'not'" if first in self.negated else "'all'"
        ends = self.options.end in (Termination.NON_LOCAL, Termination.CUSTOM)
        if not ends and self.options.within is None:
            yield (
                f"nothing says until when the last {word} has to hold (A3)",
                f'give the {self.kind} a window, {{within="3 days"}}, or an end: {{end=custom}} (of the transaction)'
                f"{self.other_ends}",
            )
        elif ends and self.options.within is not None:
            yield (
                f"the last {word} has two ends, a window and a termination (A3)",
                "leave one of them out: within ends it by time, end at a release",
            )
