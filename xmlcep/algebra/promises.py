"""What can be said beforehand about the composites that an expression raises, so that less has to be kept (G4)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Promise:
    """What is promised of what an operand, an operator or a tree raises.

    ``solid``: never empty (E5). ``prompt``: solid, and its interval ends at the time point at which it is
    raised. A sequence knows that nothing prompt can come any more before an event that has arrived.
    """

    solid: bool
    prompt: bool

    def __and__(self, other: Promise) -> Promise:
        return Promise(self.solid and other.solid, self.prompt and other.prompt)


ALL = Promise(solid=True, prompt=True)
