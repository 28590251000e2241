"""Where a detector is in the history of its document, and how it moves on to the next record (rules W1, W5, U1).

A record may be all of its edit or a part of one; before it something may be due, after it something too old; and what
asks the document sees it when the edit is over.
"""

from __future__ import annotations

from ..events import Cause, PrimitiveEvent, as_event
from .bound_dispatch import BoundDispatch
from .edits import Edit
from .evaluation import Evaluation, Outside
from .setting import Setting
from .timer_firing import TimerFiring
from .timers import NEVER


class Timeline:
    """Moves clock, document and edit of a detector on, record by record; ``more``: the last record's edit goes on.

    Not asked where rules look neither at time nor at the document.
    """

    def __init__(self, evaluation: Evaluation, setting: Setting, edit: Edit, timers: TimerFiring) -> None:
        self._evaluation = evaluation
        self._setting = setting
        self._clock = setting.clock
        self._edit = edit
        self._timers = timers
        self.more = False

    def passes(self, event: PrimitiveEvent, bound: BoundDispatch | None) -> bool:
        """Moves on to a record that is an edit of its own, before which nothing is due, and that no condition which
        waits can have an eye on: trees take it as if nobody measured or asked the document. Does nothing, and returns
        False, for others."""
        clock, setting, edit = self._clock, self._setting, self._edit
        document = setting.document
        if event[11] or self.more or setting.general:
            return False
        if document is not None:  # otherwise nothing waits for a condition
            # What `holds` says, without its call.
            if edit.held or (edit.asks_before and event[1] == "del") or edit.becoming.concerns(event):
                return False
            if bound is not None:
                ids = event[3]
                for waiting, index in bound.readers:
                    if ids[index] in waiting:
                        return False
        if clock.follows_time:
            timers, expiries = setting.timers, setting.expiries
            if (
                timers.size
                # What is asked there first, without the call.
                and (
                    timers.changes < event[0]
                    or timers.transactions <= clock.transaction
                    or timers.time != NEVER
                )
                and self._timers.is_due_before(event)
            ):
                return False
            clock.move(event)
            if expiries.size and (
                # What `is_due` says, without its call.
                expiries.changes < event[0]
                or expiries.transactions < clock.transaction
                or (clock.time is not None and expiries.time < clock.time)
            ):
                self._timers.expire()
        else:
            # A record of a new edit, where nobody follows time and transactions.
            ts, point = event[0], clock.point + 1
            clock.ts, clock.point = ts, point if point > ts else ts
            clock.edit += 1
        if document is not None:
            document.apply(event)
        return True

    def move(self, event: PrimitiveEvent, last: Cause | None) -> None:
        """Moves the clock on to any record: in one go if it is the first of its edit and nothing is due before it.

        ``last`` is what the detector was fed before.
        """
        clock, setting = self._clock, self._setting
        if self.more or setting.general or (setting.timers.size and self._timers.is_due_before(event)):
            self.begin(event, last)
            return
        clock.move(event)
        self.more = event[11]
        if setting.expiries.size and setting.expiries.is_due(event[0], clock.time, clock.transaction):
            self._timers.expire()

    def begin(self, event: PrimitiveEvent, last: Cause | None) -> None:
        """`move` in full; before the record it fires what is due by then (W5)."""
        clock, setting, document = self._clock, self._setting, self._setting.document
        is_new = not self.more or last is None or last.txn != event[9]
        if is_new:
            if document is not None and self._edit.is_open():
                self._edit.end(document)
            clock.begin_edit(event)
        self.more = event[11]
        if setting.timers.size:
            self._timers.fire_before(event)
        if document is not None and self._evaluation.report:
            self._evaluation.say()
        clock.edit += is_new  # what is due before it is not of it (U2)
        clock.record(event)
        if (
            setting.expiries.size
            and not self._edit.is_open()
            and setting.expiries.is_due(event[0], clock.time, clock.transaction)
        ):
            self._timers.expire()  # what is held back may still need what is old

    def take(self, event: PrimitiveEvent, outside: Outside) -> None:
        """Has the trees take any record, to which the clock has moved."""
        evaluation, edit, document = self._evaluation, self._edit, self._setting.document
        if document is not None and edit.holds(event):
            edit.hold(as_event(event), outside)
            if not event[11]:
                edit.end(document)
            return
        # An edit of one record, and nothing to ask before it.
        bound = evaluation.dispatch[event[1]][event[2]]
        waiting, touched = evaluation.waiting, False
        if document is not None:
            document.apply(event)
            touched = bool(waiting.blocked) and bound is not None and evaluation.touch(event, bound)
        if touched or outside or waiting.elsewhere:
            evaluation.process(as_event(event), bound, outside)
        elif bound is None:
            return
        elif bound.is_silent:
            pass
        elif bound.direct is not None:
            evaluation.deliver(as_event(event), bound)
        else:
            evaluation.process(as_event(event), bound, outside)
        if touched:
            evaluation.end_edit()

    def end_edit(self) -> None:
        """The edit is over, whatever its last record said (U1)."""
        self.more = False
        document = self._setting.document
        if document is not None and self._edit.is_open():
            self._edit.end(document)
