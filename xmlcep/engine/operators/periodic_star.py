"""The cumulating periodic operator at run time: at c, with the times that have passed since a (W10)."""

from __future__ import annotations

from contexts import Entry
from contexts.grouping import Key

from ...events import Cause
from .periodic import BeatState


class PeriodicStarState(BeatState):
    """c raises with the windows in effect, and closes them. The variable ``times`` counts the beats before it."""

    def close(self, key: Key, entry: Entry, cause: Cause) -> None:
        windows = self.before(key, entry)
        for window in windows:
            times = self._times(key, window[0])
            if times:
                self.raise_combination([*window, entry], key, cause, {"times": times})
        for window in windows:
            self.shut(key, window)

    def _times(self, key: Key, entry: Entry) -> int:
        """How many beats lie before the present, from the end of a on (W10)."""
        return max(0, (self.clock.now() - self.begin(key, entry) - 1) // self.beat)


new_state = PeriodicStarState
