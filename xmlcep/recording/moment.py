"""A moment of a log: a time point, a time, or the end."""

from __future__ import annotations

from typing import TypeAlias

from ..events import PrimitiveEvent
from ..log.errors import LogError
from ..log.records import ClockRecord, Header
from ..timestamps import TimeError, microseconds, time_or_day

When: TypeAlias = int | str | None
"""A time point, an RFC 3339 time or a day such as ``2026-01-31``, or None for the end of the log."""


class Moment:
    """How far a log is to be read; keeps the time point and the time reached (W1). A day is its beginning, in UTC.

    Raises `LogError` for what is neither a time point nor a time, and if a time is asked of records without any.
    """

    def __init__(self, at: When) -> None:
        self.ts = 0
        self.time: str | None = None
        self._reached = -1
        self._limit: int | None = None  # microseconds
        self._last: int | None = None  # time point
        self._is_passed = False
        if isinstance(at, str):
            try:
                self._limit = time_or_day(at)
            except TimeError as error:
                number = " (a time point is a number, not text)" if at.isdecimal() else ""
                raise LogError(f"at: {error}, or a time point such as 17{number}") from None
        elif at is not None:
            if isinstance(at, bool) or not isinstance(at, int):
                raise LogError(f"at is {at!r}: expected a time point such as 17, or a time as text")
            self._last = at

    @property
    def last(self) -> int | None:
        """The time point; None: the end of the log, or a time."""
        return self._last

    @property
    def is_time(self) -> bool:
        return self._limit is not None

    @property
    def is_beyond(self) -> bool:
        """Whether it lies behind the last record of the log, all of which was asked about."""
        if self._is_passed:
            return False
        if self._limit is not None:
            return self._limit > self._reached
        return self._last is not None and self._last > self.ts

    def includes(self, item: Header | PrimitiveEvent | ClockRecord, origin: object) -> bool:
        """Whether a record is still to be taken; ``origin`` says where it is from."""
        if self._limit is None or isinstance(item, Header):
            if self._last is not None and item.ts > self._last:
                self._is_passed = True
                return False
        else:
            if item.at is None and self._reached < 0:
                raise LogError(
                    f"{origin}: the record has no time (at): say a time point, such as --at {item.ts}, at={item.ts}"
                )
            try:
                time = self._reached if item.at is None else microseconds(item.at)
            except TimeError as error:
                raise LogError(f"{origin}: at: {error}") from None
            if time > self._limit:
                self._is_passed = True
                return False
            self._reached = max(time, self._reached)
        self.ts = item.ts
        if not isinstance(item, Header) and item.at is not None:
            self.time = item.at
        return True
