"""How the clock of a document went on, in what is kept of it: by segment."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from struct import Struct
from typing import NamedTuple

from .segment_summary import ClockReading

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
        known = tuple(map(_number, shown))
        return cls(
            segments, known, tuple(place for place, _ in advances), tuple(time for _, time in advances)
        )

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


class DocumentTime(NamedTuple):
    """What is known of the clock of a document: ``readings`` say what it shows where each of its segments begins,
    ``clock`` how it went on in them."""

    readings: Mapping[int, ClockReading]
    clock: DocumentClock

    def packed(self) -> bytes:
        """The same as bytes, for there may be many documents: most have one segment and no clock records, of them it is
        one number."""
        segments, times, places, advances = self.clock
        if len(segments) == 1 and not places and self.readings[segments[0]] == _AT_FIRST:
            return _numbers(1).pack(*times)
        numbers = [len(segments)]
        for segment, shown in zip(segments, times, strict=True):
            time, edit_time, transactions = self.readings[segment]
            numbers += (segment, shown, _number(time), _number(edit_time), transactions)
        numbers += (*places, *advances)
        return _numbers(len(numbers)).pack(*numbers)

    @classmethod
    def unpacked(cls, content: bytes, segment: int) -> DocumentTime:
        """From such bytes, of a document that ends in this segment."""
        count, *numbers = _numbers(len(content) // 8).unpack(content)
        if not numbers:
            return cls({segment: _AT_FIRST}, DocumentClock((segment,), (count,), (), ()))
        end = 5 * count
        half = (len(numbers) - end) // 2
        segments, times, *columns = (tuple(numbers[first:end:5]) for first in range(5))
        readings = {
            segment: ClockReading(_known(time), _known(edit_time), transactions)
            for segment, time, edit_time, transactions in zip(segments, *columns, strict=True)
        }
        places, advances = tuple(numbers[end : end + half]), tuple(numbers[end + half :])
        return cls(readings, DocumentClock(segments, times, places, advances))


_AT_FIRST = ClockReading(None, None, 0)
"""What the clock shows before the first record, if no clock record stands there."""


def _numbers(count: int) -> Struct:
    return Struct(f"<{count}q")


def _number(time: int | None) -> int:
    return UNKNOWN if time is None else time


def _known(number: int) -> int | None:
    return None if number == UNKNOWN else number
