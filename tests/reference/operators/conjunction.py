"""Conjunction ``a & b & …`` (Q1), and what stands aside around it (A7)."""

from __future__ import annotations

from ..events import Entry, span
from .aside import Candidate, WithAside


class ConjunctionState(WithAside):
    """All operands, in any order."""

    @property
    def behind(self) -> list[int]:
        return self.beside

    def start_over_before(self, absent: int, key: int | None, values: dict[str, str], event: Entry) -> None:
        """Q4: without an order nothing is made impossible."""

    def lies_around(self, candidate: Candidate, entry: Entry) -> bool:
        """No further back than the window from its end, or the flush before it came to be."""
        if candidate.due is None:
            return entry.stored_at.flushes >= candidate.since
        whole, own = span(candidate.entries), span([entry])
        assert self.within is not None
        return whole is None or own is None or self.around.clock.fits(self.within, own[0], whole[1])


STATE = ConjunctionState
