"""What all operators of some trees share: the clock, the moment, the document, deleted nodes, numbering."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import count
from typing import Any

from xmlcep.events import PrimitiveEvent

from ..clock import Clock
from ..document import NaiveDocument
from ..events import Cause, Instant


class Surroundings:
    """The state of the world at one round through the trees.

    ``round`` counts the rounds (W5), ``now`` is the document time in this one. ``before`` and ``after`` are the
    document as it is before and after the edit (U2), ``edit`` its records. ``references`` are elements that hold the
    root of a document (V8), ``languages`` compile what opaque leaves say (O1).
    """

    def __init__(
        self,
        clock: Clock,
        references: Mapping[str, Any],
        languages: Mapping[str, Callable[[str], Callable[..., Any]]],
    ) -> None:
        self.clock = clock
        self.references = references
        self.languages = languages
        self.round = 0
        self.now: int | None = None
        self.current: PrimitiveEvent | None = None
        self.cause: Cause | None = None
        self.ts = 0
        self.ordinal = 0
        self.flushes = 0
        self.history: list[PrimitiveEvent] = []
        self.deleted: set[int] = set()
        self.numbers: Iterator[int] = count()
        self.before = NaiveDocument()
        self.after = NaiveDocument()
        self.edit: list[PrimitiveEvent] = []

    def go_on_behind(self, other: Surroundings) -> None:
        """What is stored from now on comes behind what the operators of both have stored."""
        self.round = max(self.round, other.round)
        self.numbers = count(max(next(self.numbers), next(other.numbers)))

    def exists(self, node: int | None) -> bool:
        """Whether the node exists, that is: was not seen to be deleted; always in flat context."""
        return node not in self.deleted

    def instant(self) -> Instant:
        """When something stored now is stored."""
        return Instant(self.now, self.ts, self.ordinal, self.flushes)
