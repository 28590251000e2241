"""What rules have seen of a document: a detector whose last steps can be taken back (rule L4).

A copy of the detector is kept as it was some time ago, with the steps since then. To take steps back, the copy is
copied and goes through those that stay. So a step costs no more than an entry in a list, taking back costs what has
been stored and at most `MOST` steps, and a new copy is made only when the steps have become many.
"""

from __future__ import annotations

from collections.abc import Callable

from ..engine import Detector
from ..events import CompositeEvent, PrimitiveEvent

MOST = 10_000
"""How many steps are kept before a new copy is made; more if more events are stored."""


class EventHistory:
    """A detector, and how it came to be what it is.

    ``position`` counts the steps it has taken; `back_to` an earlier position takes them back.
    """

    __slots__ = ("_base", "_first", "_steps", "detector")

    def __init__(self, detector: Detector) -> None:
        self.detector = detector
        self._base = detector.copy()
        self._first = 0  # the position of the copy
        self._steps: list[tuple[Callable[..., list[CompositeEvent]], tuple[object, ...]]] = []

    @property
    def position(self) -> int:
        """How many steps it has taken."""
        return self._first + len(self._steps)

    def feed(self, event: PrimitiveEvent) -> list[CompositeEvent]:
        """As `Detector.feed`."""
        return self._step(Detector.feed, event)

    def flush(self) -> list[CompositeEvent]:
        """As `Detector.flush`."""
        return self._step(Detector.flush)

    def end_edit(self) -> list[CompositeEvent]:
        """As `Detector.end_edit`."""
        return self._step(Detector.end_edit)

    def advance(self, time: str) -> list[CompositeEvent]:
        """As `Detector.advance`."""
        return self._step(Detector.advance, time)

    def raise_external(self, event: CompositeEvent) -> list[CompositeEvent]:
        """As `Detector.raise_external`."""
        return self._step(Detector.raise_external, event)

    def _step(self, call: Callable[..., list[CompositeEvent]], *arguments: object) -> list[CompositeEvent]:
        self._steps.append((call, arguments))
        return call(self.detector, *arguments)

    def back_to(self, position: int) -> None:
        """Takes back all steps behind a position; raises `ValueError` if that is too long ago (see `settle`)."""
        if position < self._first:
            raise ValueError(
                f"position {position} is before {self._first}, up to which everything is settled"
            )
        if position == self.position:
            return
        del self._steps[position - self._first :]
        self.detector = self._base.copy()
        for call, arguments in self._steps:
            call(self.detector, *arguments)

    def settle(self) -> None:
        """Says that nothing up to here will be taken back any more; makes a new copy if the steps have become many."""
        if len(self._steps) > MOST and len(self._steps) > 8 * self.detector.size():
            self._first += len(self._steps)
            self._steps.clear()
            self._base = self.detector.copy()
