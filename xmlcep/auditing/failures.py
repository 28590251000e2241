"""Documents that cannot be replayed to their end: which of them an audit names, whatever the engine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ..engine import EvaluationError
from ..errors import XmlCepError
from ..rules import Rules


class ReplayError(XmlCepError, RuntimeError):
    """A document cannot be replayed; says which, at which time point, and what happened there."""


BEFORE, AT, BEHIND = -1, 0, 1
"""How something is raised at a time point: by a timer before its record (W5), by that, or by a timer when a clock
record comes behind it (W6)."""


class Failure(NamedTuple):
    """Why a document cannot be replayed any further: the time point, the event that cannot be evaluated, in words; on
    which side of the record that was, and when the timer was due that raised it."""

    ts: int
    event: str
    problem: str
    side: int = AT
    due: int = 0

    @classmethod
    def of(cls, error: EvaluationError) -> Failure:
        """The failure that an error of the engine is."""
        return cls(error.ts, error.event, str(error))


class Failures:
    """The first failure of each document.

    A document that failed is left alone, and the others are replayed all the same: which of several failures is found
    first depends on the engine, which one is told must not.
    """

    def __init__(self, rules: Rules) -> None:
        self._places = {tree.name: tree.index for tree in rules.graph.trees}
        self._found: dict[str, Failure] = {}

    def add(self, doc: str, failure: Failure) -> None:
        """A document has failed, perhaps once more."""
        known = self._found.get(doc)
        if known is None or self._place(failure) < self._place(known):
            self._found[doc] = failure

    @property
    def by_document(self) -> Mapping[str, Failure]:
        """The failures by document."""
        return self._found

    def check(self) -> None:
        """Raises `ReplayError` for the first document by name, if any has failed."""
        if self._found:
            doc = min(self._found)
            others = len(self._found) - 1
            more = f" (and {others:,} more document{'s' if others > 1 else ''})" if others else ""
            raise ReplayError(f"document {doc!r}{more} cannot be replayed: {self._found[doc].problem}")

    def _place(self, failure: Failure) -> tuple[int, int, int, int]:
        return failure.ts, failure.side, failure.due, self._places[failure.event]
