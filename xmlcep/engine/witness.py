"""What an engine that is asked for reasons tells besides what it has stored (rule Y3)."""

from __future__ import annotations

from typing import Protocol

from ..events import CompositeEvent, Event
from ..rules.programs import LeafProgram


class Witness(Protocol):
    """Hears of what leaves no trace in what is stored, where it happens. Nobody needs one who asks no questions."""

    def filtered(self, program: LeafProgram, event: Event) -> None:
        """The filter of this leaf did not let an event in (F1)."""

    def guarded(self, tree: int, operator: int, event: CompositeEvent) -> None:
        """The guard of this operator forbade a composite (U5)."""
