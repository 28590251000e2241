"""Absence: no event of a negated operand lies between its neighbours (A1), or before the first event (A2)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from ..entry import EMPTY_START, END, FIRST, LAST, START, Entry
from ..group import Group
from ..grouping import Key, KeysByPlace, drop_key, note_key
from .constraint import REFUSED, Constraint, Objection, State


class Violations:
    """The events of one negated operand, by the group in which they forbid (V4); all that was ever stored counts, for
    what comes to be withdrawn has violated nonetheless (Q2)."""

    one_is_enough = True
    """Whether each of them forbids by itself."""

    def __init__(self) -> None:
        self.stored: dict[Key, list[Entry]] = {}
        self.at: KeysByPlace = {}  # where keys are not the places themselves
        self.project: Callable[[Key], Key] = _same
        """From the key of a group of the sequence to that of the events which forbid in it."""

    def add(self, key: Key, entries: Iterable[Entry]) -> None:
        """Events of the operand; an empty one never forbids (A1)."""
        solid = [entry for entry in entries if entry[START] != EMPTY_START]
        if solid:
            self.stored.setdefault(key, []).extend(solid)
            if isinstance(key, tuple):
                note_key(self.at, key)

    def of(self, key: Key) -> list[Entry]:
        """Those that forbid in the group of this key."""
        return self.stored.get(self.project(key), [])

    def forbid(self, events: list[Entry]) -> bool:
        """Whether these events, which lie where none must, forbid: one is enough, unless they are counted (Z5)."""
        return bool(events)

    def forget(self, key: Key) -> None:
        """Frees those of one key."""
        if self.stored.pop(key, None) is not None and isinstance(key, tuple):
            drop_key(self.at, key)

    def forget_at(self, place: int) -> None:
        """Frees all at a place, of whatever values."""
        for key in (place, *self.at.get(place, ())):
            self.forget(key)

    def clear(self) -> None:
        """Frees all."""
        self.stored.clear()
        self.at.clear()

    def size(self) -> int:
        """How many are stored."""
        return sum(map(len, self.stored.values()))


class _Passed(NamedTuple):
    """What has been passed of a combination: ``end`` of the nearest event that is not empty, whether the forbidden
    place is ``passed``, where the first event behind a leading one starts, and the ``latest`` moment, if there is a
    window."""

    end: float | None = None
    passed: bool = False
    start: float | None = None
    latest: int | None = None


class Absence(Constraint):
    """No event of ``violations`` lies between operand ``before`` and the next (A1); -1: before the first (A2).

    Neighbours that are empty or left out are replaced by the next ones that are not. Where there is none before, it is
    as before the first event: then, with a window, only those count that start at most ``amount`` before the end of the
    combination, by the measure ``unit`` (``amount`` None: all). Where there is none behind, nothing must lie behind
    (Z6).
    """

    reason = "absence-violated"

    def __init__(self, violations: Violations, before: int, amount: int | None = None, unit: int = 0) -> None:
        self.violations = violations
        self.before = before
        self.amount = amount
        self.unit = unit

    def begin(self, group: Group) -> State:
        return _Passed()

    def step(self, group: Group, state: State, operand: int, entry: Entry) -> State:
        passed: _Passed = state
        if entry[START] == EMPTY_START:
            return passed
        start, is_behind = passed.start, operand > self.before
        if is_behind and not passed.passed:
            if passed.end is not None:
                if self._forbidden(group, passed.end, entry[START]):
                    return REFUSED
            elif self.amount is not None:
                start = entry[START]
            elif self._forbidden(group, float("-inf"), entry[START]):
                return REFUSED
        latest = passed.latest
        if self.amount is not None:
            last = entry[LAST][self.unit]
            latest = last if latest is None else max(latest, last)
        return _Passed(entry[END], is_behind, start, latest)

    def ends(self, group: Group, state: State) -> bool:
        passed: _Passed = state
        if not passed.passed and self._forbidden(group, self._open_from(passed), float("inf")):
            return False
        return not self.violations.forbid(self._too_soon(group, passed))

    def objection(self, group: Group, state: State, operand: int, entry: Entry) -> Objection:
        passed: _Passed = state
        return Objection(self.reason, tuple(self._between(group, self._open_from(passed), entry[START])))

    def objection_at_end(self, group: Group, state: State) -> Objection:
        passed: _Passed = state
        behind = self._between(group, self._open_from(passed), float("inf")) if not passed.passed else []
        return Objection(self.reason, tuple(behind or self._too_soon(group, passed)))

    def _open_from(self, passed: _Passed) -> float:
        return float("-inf") if passed.end is None else passed.end

    def _too_soon(self, group: Group, passed: _Passed) -> list[Entry]:
        """Those before the first event that the window does not excuse (Z6)."""
        if passed.start is None or self.amount is None or passed.latest is None:
            return []
        earliest = passed.latest - self.amount
        return [
            violation
            for violation in self.violations.of(group.key)
            if violation[END] < passed.start and violation[FIRST][self.unit] >= earliest
        ]

    def _forbidden(self, group: Group, after: float, before: float) -> bool:
        return self.violations.forbid(self._between(group, after, before))

    def _between(self, group: Group, after: float, before: float) -> list[Entry]:
        return [
            entry for entry in self.violations.of(group.key) if after < entry[START] and entry[END] < before
        ]


def _same(key: Key) -> Key:
    return key
