"""What an engine tells of an event tree besides what it has stored (rule Y3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from ..events import CompositeEvent, Event, PrimitiveEvent
from ..rules.programs import LeafProgram


class Witness(Protocol):
    """Hears of what leaves no trace in what is stored, where it happens. Nobody needs one who asks no questions."""

    def filtered(self, program: LeafProgram, event: Event) -> None:
        """The filter of this leaf did not let an event in (F1)."""

    def refused(self, program: LeafProgram, event: PrimitiveEvent, said: Mapping[str, Any] | None) -> None:
        """The language of this opaque leaf said no (``said`` is None), or its filter to what that said (O1)."""

    def answered(self, program: LeafProgram, event: PrimitiveEvent, bound: Mapping[str, Any]) -> None:
        """The language of this opaque leaf let an event in, which binds these variables. It is not asked again."""

    def guarded(self, operator: int, event: CompositeEvent) -> None:
        """The guard of this operator forbade a composite (D4)."""
