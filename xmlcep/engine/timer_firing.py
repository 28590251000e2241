"""What is due fires between two records (W5), and what has become too old is freed (G4)."""

from __future__ import annotations

from collections.abc import Iterator

from ..algebra import Unit
from ..events import PrimitiveEvent, TimePoint
from ..timestamps import timestamp
from .edits import Edit
from .evaluation import Evaluation
from .release import Release
from .setting import Setting
from .timers import NEVER, ORDER, Due, by_tree


class TimerFiring:
    """Takes the timers of a detector when its clock has reached them, and has the trees evaluate them."""

    def __init__(self, evaluation: Evaluation, setting: Setting, edit: Edit) -> None:
        self._evaluation = evaluation
        self._setting = setting
        self._edit = edit

    def is_due_before(self, event: PrimitiveEvent) -> bool:
        """Whether anything can be due before a record to which the clock has not moved yet."""
        clock, timers = self._setting.clock, self._setting.timers
        for _ in range(2):
            if not (
                timers.changes < event[0]
                or timers.transactions <= clock.transaction  # at most one more begins
                or (timers.time != NEVER and timers.is_due(event[0], clock.latest(event), 0))
            ):
                return False
            timers.drop_first(self._is_over)
            self._look()
        return True

    def _is_over(self, due: Due) -> bool:
        """Whether nobody waits for it any more."""
        return not self._evaluation.trees[due.tree].states[due.operator].awaits(due)

    def fire_before(self, event: PrimitiveEvent) -> None:
        """Fires what is due before a record: always what comes first (W5), as what fires can make more due (W5)."""
        clock, timers = self._setting.clock, self._setting.timers
        ts = event[0]
        if not timers.is_due(ts, clock.time, clock.transaction):
            return
        clock.ts = ts
        while timers.is_due(ts, clock.time, clock.transaction):
            first = timers.take_first({unit: clock.reading(unit, ts) for unit in ORDER})
            assert first is not None
            self._fire(*first, ts, event[8])

    def fire_until(self, time: int, doc: str) -> None:
        """Fires what is due by time until then, that time included, although nothing has changed (W6)."""
        clock = self._setting.clock
        for at, together in self._setting.timers.take(Unit.TIME, time + 1):
            self._fire(Unit.TIME, at, together, clock.ts, doc)
        clock.fired = None  # what comes next is of the time that was said

    def _fire(self, unit: Unit, at: int, together: list[Due], ts: int, doc: str) -> None:
        """What is due at one time is one round through the trees, a time point of its own (W5); none if nobody waits
        for it any more."""
        together = [due for due in together if not self._is_over(due)]
        if not together:
            self._look()
            return
        by_time = unit is Unit.TIME
        self._setting.clock.fire(at if by_time else None)
        cause = TimePoint(ts, timestamp(at) if by_time else None, doc)
        due = by_tree(together)
        timers = self._setting.timers
        timers.begin_round((unit, at))
        try:
            if self._edit.is_open():
                self._edit.hold_due(cause, due)
            else:
                self._evaluation.run(cause, {}, {}, Release.NOTHING, due)
        finally:
            timers.end_round()
        self._look()

    def _look(self) -> None:
        """What only a timer could come to is freed with the last one, even if nobody waited for that any more (G4)."""
        if not self._edit.is_open():  # what is held may be due
            self._evaluation.departed.look_if_no_timer_is_left()

    def take_by_transactions(self) -> dict[int, list[Due]]:
        """Takes what is due by transactions once the present one is over, by tree: a flush evaluates it (W5)."""
        timers, now = self._setting.timers, self._setting.clock.transaction
        return by_tree(due for _, all_ in timers.take(Unit.TRANSACTIONS, now + 1) for due in all_)

    def by_time(self) -> Iterator[Due]:
        """What is due by time, in microseconds since 1970, in no particular order."""
        return (due for due in self._setting.timers.pending(Unit.TIME) if not self._is_over(due))

    def expire(self) -> None:
        """Frees what has become too old to matter (G4)."""
        clock, expiries, trees = self._setting.clock, self._setting.expiries, self._evaluation.trees
        for unit in ORDER:
            for _, together in expiries.take(unit, clock.reading(unit, clock.ts)):
                for due in together:
                    trees[due.tree].states[due.operator].expire(due)
