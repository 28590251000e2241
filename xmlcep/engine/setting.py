"""What the running states of a detector share: clock, timers, the document that expressions ask, limits."""

from __future__ import annotations

from contexts.search import Tries

from .clock import Clock
from .timers import Timers

MOST_TRIES = 1_000_000
"""How many combinations are tried for one arrival (Q5), unless told otherwise."""


class Setting:
    """One for each detector."""

    def __init__(self, *, follows_time: bool, tries: int = MOST_TRIES) -> None:
        self.clock = Clock(follows_time=follows_time)
        self.timers = Timers()
        self.expiries = Timers()
        """When what has become too old for every window can be freed (W11)."""
        self.tries = Tries(tries)

    def reset(self) -> None:
        """As before the first record."""
        self.clock.reset()
        self.timers.clear()
        self.expiries.clear()
