"""What a document counts: time points, node ids, and what the wall clock says (rules E3, P7)."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from datetime import UTC, datetime


class Clock:
    """The clock of one document.

    ``ts`` is the time point of its last event, ``next_id`` the id of the next new node, ``at`` the wall clock as it
    was last looked at: RFC 3339 UTC, good from ``since`` until before ``until`` (the millisecond it is in).
    """

    __slots__ = ("at", "next_id", "now", "since", "ts", "until")

    def __init__(self, now: Callable[[], float]) -> None:
        self.now = now
        self.ts = 0
        self.next_id = 1
        self.at = ""
        self.since = self.until = 0.0

    def go_on(self, ts: int, next_id: int | None) -> None:
        """Continues a recorded history: after this time point, and with no id below ``next_id``."""
        self.ts = ts
        if next_id is not None:
            self.next_id = max(self.next_id, next_id)

    def stamp(self, now: float) -> None:
        """Writes the wall clock down as text. For what is not a moment, such as NaN, it warns, and takes the time of
        the machine: the edit has been made, and its events need one."""
        try:
            millisecond, written = _written(now)
        except (ValueError, OverflowError, OSError):
            warnings.warn(
                f"now() gave {now!r}: expected seconds since 1970. The time of this machine is used instead.",
                RuntimeWarning, stacklevel=2,
            )  # fmt: skip
            millisecond, written = _written(time.time())
        self.at = written
        self.since, self.until = millisecond / 1000, (millisecond + 1) / 1000

    def new_id(self) -> int:
        """A fresh node id (P7)."""
        number = self.next_id
        self.next_id = number + 1
        return number


def _written(now: float) -> tuple[int, str]:
    """A moment in milliseconds since 1970, and as RFC 3339 UTC."""
    millisecond = int(now * 1000)
    seconds, rest = divmod(millisecond, 1000)
    return millisecond, f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}.{rest:03d}Z"
