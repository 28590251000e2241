"""What can be said beforehand about the composites that an expression raises, so that less has to be kept (G4)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Promise:
    """What is promised of what an operand, an operator or a tree raises.

    ``solid``: never empty (E5). ``prompt``: solid, and its interval ends at the time point at which it is
    raised. A sequence knows that nothing prompt can come any more before an event that has arrived.
    """

    solid: bool
    prompt: bool


ALL = Promise(solid=True, prompt=True)
NOTHING = Promise(solid=False, prompt=False)


def of_one(operands: Iterable[Promise]) -> Promise:
    """What is promised of whatever any one of these raises; of none of them, everything."""
    given = tuple(operands)
    return Promise(all(each.solid for each in given), all(each.prompt for each in given))


def of_all(operands: Iterable[Promise]) -> Promise:
    """What is promised of a composite that has an event of each of these."""
    given = tuple(operands)
    return Promise(any(each.solid for each in given), all(each.prompt for each in given))
