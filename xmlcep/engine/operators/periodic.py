"""The periodic operator at run time: a beat in a window that a opens and c closes (W10)."""

from __future__ import annotations

from collections.abc import Sequence

from contexts import Entry
from contexts.entry import EVENT, LAST
from contexts.grouping import Key

from ...algebra import Periodic, Unit
from ...events import Cause
from ..errors import EndlessBeatError
from ..timers import Due
from .opened import OpenedState
from .state import Account, Blueprint, Kept

MOST_BEATS = 10_000
"""Of one window, without a record of its group (W10)."""


class Window:
    """An open window that beats: the events it stands for, when it beats next, and how often since a record."""

    __slots__ = ("beats", "entries", "next")

    def __init__(self, entries: list[Entry], next_: int) -> None:
        self.entries = entries
        self.next = next_
        self.beats = 0


class BeatState(OpenedState):
    """What both periodic operators count from in a window: the end of what has opened it (W10).

    ``detections`` are, by group, the windows that an empty composite has opened, each with when that was.
    """

    def __init__(self, of: Blueprint) -> None:
        super().__init__(of)
        definition = of.node.definition
        assert isinstance(definition, Periodic)
        self.beat = definition.beat.amount
        self.detections: dict[Key, list[tuple[int, Entry]]] = {}

    def begin(self, key: Key, entry: Entry) -> int:
        """The time of the end of what has opened a window; what is empty has none, but it was detected."""
        last = entry[LAST]
        if last is None:
            return next(time for time, other in self.detections[key] if other is entry)
        time: int = last.time
        return time

    def open(self, key: Key, entry: Entry) -> None:
        """At a node that is gone it is closed already (W10)."""
        if (self.tree_index, self.grouping.place_of(key)) in self.setting.gone:
            self.consumed_by(0, (entry,))
            return
        super().open(key, entry)
        self._forget_closed(key)
        if entry[LAST] is None:
            self.detections.setdefault(key, []).append((self.clock.now(), entry))

    def shut(self, key: Key, closed: Sequence[Entry]) -> None:
        super().shut(key, closed)
        self._forget_closed(key)

    def leave(self, node: int) -> None:
        for key in self.keys_at(node):
            if key in self.opened:
                self.shut(key, self.opened[key])

    def withdraw(self, child: int, entry: Entry) -> None:
        super().withdraw(child, entry)
        self._forget_closed(self.groupings[child].key_of(entry))

    def _forget_closed(self, key: Key) -> None:
        """Of windows that are not open any more nobody asks when they began."""
        detections = self.detections.get(key)
        if detections is None:
            return
        opened = set(map(id, self.opened.get(key, ())))
        left = [detection for detection in detections if id(detection[1]) in opened]
        if left:
            self.detections[key] = left
        else:
            del self.detections[key]

    def kept(self) -> Kept:
        return (*super().kept(), self.detections)


class PeriodicState(BeatState):
    """Windows in effect beat; the context says which these are. ``beating`` has them by group."""

    def __init__(self, of: Blueprint) -> None:
        super().__init__(of)
        self.tree_name = of.tree.name
        self.beating: dict[Key, list[Window]] = {}

    def open(self, key: Key, entry: Entry) -> None:
        super().open(key, entry)
        self._update(key)

    def close(self, key: Key, entry: Entry, cause: Cause) -> None:
        for window in self.before(key, entry):
            self.shut(key, window)
        self._update(key)

    def shut(self, key: Key, closed: Sequence[Entry]) -> None:
        super().shut(key, closed)
        if key not in self.opened:
            self.beating.pop(key, None)

    @property
    def comes_late(self) -> bool:  # type: ignore[override]
        """Flat, a window is of no node that could be deleted."""
        return self.flat

    def outlasts(self, node: int) -> bool:
        return self.flat and any(
            node in entry[EVENT][3] for opened in self.opened.values() for entry in opened
        )

    def withdraw(self, child: int, entry: Entry) -> None:
        super().withdraw(child, entry)
        key = self.groupings[child].key_of(entry)
        if child == 0 and key in self.beating:
            self._update(key)

    def _update(self, key: Key) -> None:
        """The windows in effect are those there are now; one that begins leaves out beats before the present (W10)."""
        known = {id(window.entries[0]): window for window in self.beating.get(key, ())}
        beating = []
        for entries in self.context.windows(self.opened.get(key, ())):
            window = known.get(id(entries[0]))
            if window is None:
                window = Window(entries, self._first_beat(key, entries[0]))
                self.setting.timers.set(Unit.TIME, self.due(window.next, key))
            window.entries = entries
            beating.append(window)
        if beating:
            self.beating[key] = beating
        else:
            self.beating.pop(key, None)

    def _first_beat(self, key: Key, entry: Entry) -> int:
        """The first time, so and so many beats behind the end of a, that is not before the present."""
        base = self.begin(key, entry)
        return base + self.beat * max(1, -((base - self.clock.now()) // self.beat))

    def fire(self, due: Due, cause: Cause) -> None:
        for window in self.beating.get(due.key, ()):
            if window.next != due.at:
                continue
            window.beats += 1
            if window.beats > MOST_BEATS:
                raise EndlessBeatError(
                    self.tree_name, cause.ts, self.node.definition, MOST_BEATS,
                    time=self.clock.time or due.at, due=due.at,
                )  # fmt: skip
            self.raise_combination(window.entries, due.key, cause)
            window.next += self.beat
            self.setting.timers.set(Unit.TIME, self.due(window.next, due.key))

    def account(self, key: Key) -> Account:
        account = super().account(key)
        return account._replace(due=min((window.next for window in self.beating.get(key, ())), default=None))

    def awaits(self, due: Due) -> bool:
        return any(window.next == due.at for window in self.beating.get(due.key, ()))

    def happened(self, place: int, ts: int) -> None:
        for key in self.keys_at(place):
            for window in self.beating.get(key, ()):
                window.beats = 0

    def kept(self) -> Kept:
        return (*super().kept(), self.beating)


new_state = PeriodicState
