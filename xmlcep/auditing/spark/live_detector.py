"""The detector of a pass and document while its rows are replayed."""

from __future__ import annotations

from bisect import bisect_left

from ...engine import Detector
from .chunk_reading import RowRun
from .document_clock import DocumentTime


class LiveDetector:
    """The detector of a pass and document, and how far it is.

    ``edit`` is the number of the edit that it is in (U1). What that raises may come when the next one is reached, in a
    later segment. ``fired`` is the ts of the last row before which timers have fired. ``end`` is the segment in which
    the document ends, ``time`` what is known of its clock, if the pass reads that.
    """

    __slots__ = ("_checked", "_ends", "_fed", "_segments", "detector", "edit", "end", "fired", "time")

    def __init__(self, detector: Detector, end: int, time: DocumentTime | None = None) -> None:
        self.detector = detector
        self.end = end
        self.time = time
        self.edit: int | None = None
        self.fired = 0
        self._fed = self._checked = 0  # how many rows, and at how many it was seen that something waits
        # The last time point of each segment that was fed since the edit began.
        self._ends: list[int] = []
        self._segments: list[int] = []

    def begin_edit(self, number: int) -> None:
        """The next edit: nothing is raised any more at what was fed so far."""
        self.edit = number
        self._ends.clear()
        self._segments.clear()

    def fed(self, segment: int, run: RowRun) -> None:
        """It has been fed with these rows of this segment."""
        ts = run.last
        self._fed += run.end - run.start
        if self._segments[-1:] == [segment]:
            self._ends[-1] = ts
        else:
            self._ends.append(ts)
            self._segments.append(segment)

    def is_free(self) -> bool:
        """Whether nothing waits in it; asked again only after as many rows more, for it may take a while to tell."""
        if self._fed < 2 * self._checked:
            return False
        if self.detector.is_as_new():
            return True
        self._checked = self._fed
        return False

    def segment_of(self, ts: int, current: int) -> int:
        """In which segment a time point of the edit is: in one before, or the current one."""
        place = bisect_left(self._ends, ts)
        return self._segments[place] if place < len(self._ends) else current
