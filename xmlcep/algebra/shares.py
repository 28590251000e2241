"""How much of an expression has come to be: leaves that are satisfied, of those that are needed (rule Y1)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple


class Share(NamedTuple):
    """So many leaves of those that are needed; leaves that must not occur are none of them."""

    satisfied: int
    needed: int

    @property
    def fraction(self) -> float:
        """From 0 to 1; 1 if nothing is needed."""
        return self.satisfied / self.needed if self.needed else 1.0

    @property
    def is_full(self) -> bool:
        """Whether everything is there."""
        return self.satisfied >= self.needed

    def full(self) -> Share:
        """All of it."""
        return Share(self.needed, self.needed)


def begun(operands: Sequence[Share], counts: Sequence[int]) -> list[Share]:
    """How much there is of each operand: all of it where there is an event of it."""
    return [operand.full() if count else operand for operand, count in zip(operands, counts, strict=True)]


def together(shares: Iterable[Share]) -> Share:
    """All of these are needed."""
    satisfied = needed = 0
    for share in shares:
        satisfied += share.satisfied
        needed += share.needed
    return Share(satisfied, needed)


def most_complete(shares: Iterable[Share], count: int) -> list[Share]:
    """Those ``count`` of which least is missing; of equal ones the first."""
    return sorted(shares, key=lambda share: (-share.fraction, share.needed - share.satisfied))[:count]
