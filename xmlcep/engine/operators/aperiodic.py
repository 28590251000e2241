"""The aperiodic operator at run time: b in a window that a opens and c closes (W8)."""

from __future__ import annotations

from contexts import Entry
from contexts.grouping import Key

from ...events import Cause
from .opened import OpenedState


class AperiodicState(OpenedState):
    """Each b raises with the windows in effect, and is consumed, in whatever window or none."""

    def occur(self, key: Key, entry: Entry, cause: Cause) -> None:
        for window in self.before(key, entry):
            self.raise_combination([*window, entry], key, cause)
        self.consumed_by(1, (entry,))

    def close(self, key: Key, entry: Entry, cause: Cause) -> None:
        for window in self.before(key, entry):
            self.shut(key, window)


new_state = AperiodicState
