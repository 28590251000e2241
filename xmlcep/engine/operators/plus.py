"""Plus at run time: an event, and then so much time (W7)."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort_right
from collections.abc import Sequence
from operator import itemgetter

from contexts import Entry
from contexts.entry import EVENT
from contexts.grouping import Key

from ...algebra import Plus, Unit
from ...events import Cause
from ..timers import Due
from .state import Account, Blueprint, Kept, OperatorState


class PlusState(OperatorState):
    """What has arrived and is not due yet, by group, each with the time at which it is.

    They are in the order in which they are due, which need not be that in which they came: what fires late was detected
    when it was due (W5).
    """

    comes_late = True

    def __init__(self, of: Blueprint) -> None:
        super().__init__(of)
        definition = of.node.definition
        assert isinstance(definition, Plus)
        self.delay = definition.delay.amount
        self.waiting: dict[Key, list[tuple[int, Entry]]] = {}

    def arrive(self, child: int, key: Key, arrivals: Sequence[Entry], cause: Cause) -> None:
        at = self.clock.now() + self.delay
        waiting = self.waiting.setdefault(key, [])
        self.note_key(key)
        for entry in arrivals:
            insort_right(waiting, (at, entry), key=itemgetter(0))
            self.setting.timers.set(Unit.TIME, self.due(at, key))

    def fire(self, due: Due, cause: Cause) -> None:
        waiting = self.waiting.get(due.key)
        if not waiting or waiting[0][0] > due.at:
            return
        over = [entry for _, entry in waiting[: bisect_right(waiting, due.at, key=itemgetter(0))]]
        del waiting[: len(over)]
        if not waiting:
            del self.waiting[due.key]
            self.drop_key(due.key)
        for entry in over:
            self.raise_combination((entry,), due.key, cause)
        self.consumed_by(0, over)

    def kept(self) -> Kept:
        return (self.waiting,)

    def account(self, key: Key) -> Account:
        waiting = self.waiting.get(key, ())
        return Account(([entry for _, entry in waiting],), due=waiting[0][0] if waiting else None)

    def awaits(self, due: Due) -> bool:
        waiting = self.waiting.get(due.key, ())
        first = bisect_left(waiting, due.at, key=itemgetter(0))
        return first < len(waiting) and waiting[first][0] == due.at

    def withdraw(self, child: int, entry: Entry) -> None:
        key = self.groupings[child].key_of(entry)
        waiting = self.waiting.get(key)
        if waiting is not None:
            waiting[:] = [(at, other) for at, other in waiting if other is not entry]
            if not waiting:
                del self.waiting[key]
                self.drop_key(key)

    def outlasts(self, node: int) -> bool:
        if self.flat:
            return any(node in entry[EVENT][3] for waiting in self.waiting.values() for _, entry in waiting)
        return any(key in self.waiting for key in self.keys_at(node))

    def forget(self, key: Key) -> None:
        """Nothing: what has happened has, and its time comes (W7)."""


new_state = PlusState
