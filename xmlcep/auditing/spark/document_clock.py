"""How the clock of a document went on, in what is kept of it in memory: by segment."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from typing import NamedTuple

UNKNOWN = -(1 << 62)
"""Before all times: none is known yet."""
BEYOND = (1 << 63) - 1
"""A time point behind all."""


class DocumentClock(NamedTuple):
    """How the clock of a document went on.

    ``times`` says of each of the ``segments`` that have records of it what the clock showed in the last edit there
    (W1). ``advances`` are the times of the clock records that had an effect (W6), ``places`` the ts of the last change
    record before each.
    """

    segments: Sequence[int]
    times: Sequence[int]
    places: Sequence[int]
    advances: Sequence[int]

    @classmethod
    def of(
        cls, times: Iterable[tuple[int, int | None]], advances: Sequence[tuple[int, int]]
    ) -> DocumentClock:
        """From the segments with their times, and the places of clock records with theirs."""
        segments, shown = zip(*times, strict=True)
        known = [UNKNOWN if time is None else time for time in shown]
        return cls(segments, known, [place for place, _ in advances], [time for _, time in advances])

    def over(self, after: int, ts: int | None, time: int | None) -> int | None:
        """Up to which time, itself included, timers have fired that were set at record ``after`` or before, when record
        ``ts`` comes at which the clock shows ``time`` (None: when the document ends). None: no time is known."""
        if ts is None:
            found, last = self.times[-1], len(self.places)
        else:
            found, last = UNKNOWN if time is None else time, bisect_left(self.places, ts)
        if last > bisect_left(self.places, after):  # clock records between the two
            return max(self.advances[last - 1], found - 1)
        return None if found == UNKNOWN else found - 1

    def place(self, after: int, due: int) -> tuple[int, int]:
        """Where a timer fires that was due then, set at record ``after`` or before: at the first record behind that in
        this segment, or at a clock record that stands behind this ts if that comes first."""
        segment = min(bisect_right(self.times, due), len(self.segments) - 1)
        advance = max(bisect_left(self.places, after), bisect_left(self.advances, due))
        return self.segments[segment], self.places[advance] if advance < len(self.places) else BEYOND
