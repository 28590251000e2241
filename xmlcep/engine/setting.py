"""What the running states of a detector share: clock, timers, the document that expressions ask, limits."""

from __future__ import annotations

from collections.abc import Sequence

from contexts.search import Tries

from ..documents import Replica
from ..rules.programs import OperatorProgram
from .clock import Clock
from .references import NO_REFERENCES, References
from .timers import Timers
from .waiting import Waiting
from .witness import Witness

MOST_TRIES = 1_000_000
"""How many combinations are tried for one arrival (Q5), unless told otherwise."""


class Setting:
    """One for each detector.

    ``programs`` are those of the operators of all trees, by their index, then by postorder; ``document`` is what
    expressions ask, None if none does; ``references`` are the reference documents.
    """

    def __init__(
        self,
        programs: Sequence[Sequence[OperatorProgram]],
        *,
        follows_time: bool,
        uses_time: bool,
        document: Replica | None = None,
        references: References = NO_REFERENCES,
        tries: int = MOST_TRIES,
    ) -> None:
        self.programs = programs
        self.document = document
        self.references = references
        self.clock = Clock(follows_time=follows_time, uses_time=uses_time)
        self.timers = Timers()
        self.expiries = Timers()
        """When what has become too old for every window can be freed (W11)."""
        self.tries = Tries(tries)
        self.waiting = Waiting()
        self.witness: Witness | None = None
        self.gone: set[tuple[int, int]] = set()
        """The nodes that are gone for a tree (by its index) in which something may still be raised there (G4)."""

    def reset(self) -> None:
        """As before the first record."""
        self.clock.reset()
        self.timers.clear()
        self.expiries.clear()
        self.waiting.clear()
        self.gone.clear()
