"""Places in the order of all documents, in place of time points (rule V11)."""

from __future__ import annotations

from ..events import Cause, CompositeEvent


class Place(int):
    """The number of a change, or of what was raised, in the order of all documents; ``of`` is that itself."""

    of: Cause | CompositeEvent

    @classmethod
    def at(cls, number: int, of: Cause | CompositeEvent) -> Place:
        """The place with this number."""
        place = cls(number)
        place.of = of
        return place

    def __str__(self) -> str:
        cause = self.of.cause if isinstance(self.of, CompositeEvent) else self.of
        return f"{cause.ts} of {cause.doc!r}"

    def __float__(self) -> float:
        """The time point in the document: what expressions see as ``$ts`` (F2)."""
        return float(self.of.ts)
