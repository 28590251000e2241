"""What lies between neighbours (A1, A6), or before the first event (A2): nothing, or as much as there may be."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, TypeAlias

from ..entry import EMPTY_START, END, EVENT, FIRST, LAST, START, Entry
from ..group import Group
from ..grouping import Key, KeysByPlace, drop_key, note_key
from .constraint import REFUSED, Constraint, Objection, State


class Violations:
    """The events of one negated operand, by the group in which they forbid (V4); all that was ever stored counts, for
    what comes to be withdrawn has violated nonetheless (Q1)."""

    def __init__(self, *, one_is_enough: bool = True) -> None:
        self.one_is_enough = one_is_enough
        """Whether each of them is known to forbid by itself."""
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
        """Whether these events, which lie where none must, forbid: one is enough, unless they are counted (A1)."""
        return bool(events)

    def is_too_much(self, events: list[Entry]) -> bool:
        """Whether they forbid whatever comes beside them."""
        return self.forbid(events)

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


class Collection(Violations):
    """The events of one operand of which all is taken along, if there are ``least`` to ``most`` of them (A6)."""

    def __init__(self, least: int, most: int | None) -> None:
        super().__init__(one_is_enough=False)
        self.least = least
        self.most = most

    def forbid(self, events: list[Entry]) -> bool:
        return len(events) < self.least or self.is_too_much(events)

    def is_too_much(self, events: list[Entry]) -> bool:
        return self.most is not None and len(events) > self.most

    def take_out(self, key: Key, events: Iterable[object]) -> list[Entry]:
        """Takes the entries of these very events out; returns those that were there."""
        identities = set(map(id, events))
        stored = self.of(key)
        found = [entry for entry in stored if id(entry[EVENT]) in identities]
        if len(found) == len(stored):
            self.forget(self.project(key))
        elif found:
            stored[:] = [entry for entry in stored if id(entry[EVENT]) not in identities]
        return found


class _Passed(NamedTuple):
    """What has been passed of a combination: ``end`` of the nearest event that is not empty, whether the forbidden
    place is ``passed``, where the first event behind a leading one starts, and the ``latest`` moment, if there is a
    window."""

    end: float | None = None
    passed: bool = False
    start: float | None = None
    latest: int | None = None


Among: TypeAlias = Callable[[Sequence[Entry], Sequence[Entry]], list[Entry]]
"""Which of some events count beside a combination (A8)."""


class Absence(Constraint):
    """No event of ``violations``, or as many as it allows, lies between operand ``before`` and the next (A1, A6); -1:
    before the first (A2).

    Neighbours that are empty or left out are replaced by the next ones that are not. Where there is none before, it is
    as before the first event: then, with a window, only those count that start at most ``amount`` before the end of the
    combination, by the measure ``unit`` (``amount`` None: all). Where there is none behind, nothing must lie behind
    (A1). With ``among`` only those count that it chooses; then `lying` is asked of whole combinations.
    """

    reason = "absence-violated"

    def __init__(
        self, violations: Violations, before: int, amount: int | None = None, unit: int = 0, among: Among | None = None
    ) -> None:  # fmt: skip
        self.violations = violations
        self.before = before
        self.amount = amount
        self.unit = unit
        self.among = among

    def lying(self, group: Group, combination: Sequence[Entry | None]) -> list[Entry]:
        """What lies there in a whole combination, given without what is taken along."""
        solid = [
            (k, entry)
            for k, entry in enumerate(combination)
            if entry is not None and entry[START] != EMPTY_START
        ]
        left = next((entry for k, entry in reversed(solid) if k <= self.before), None)
        right = next((entry for k, entry in solid if k > self.before), None)
        found = self.between(
            group,
            float("-inf") if left is None else left[END],
            float("inf") if right is None else right[START],
        )
        if left is None and self.amount is not None and solid:
            earliest = max(entry[LAST][self.unit] for _, entry in solid) - self.amount
            found = [entry for entry in found if entry[FIRST][self.unit] >= earliest]
        return found if self.among is None else self.among(found, [e for e in combination if e is not None])

    def admits(self, group: Group, combination: Sequence[Entry | None]) -> bool:
        """Whether what lies there is as much as there may be."""
        return not self.violations.forbid(self.lying(group, combination))

    def of_one(self, key: Key, entry: Entry) -> Absence:
        """That this very event lies there."""
        one = Collection(1, None)
        one.add(key, (entry,))
        return Absence(one, self.before, self.amount, self.unit, self.among)

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
        return passed.start is None or not self.violations.forbid(self._too_soon(group, passed))

    def objection(self, group: Group, state: State, operand: int, entry: Entry) -> Objection:
        passed: _Passed = state
        return Objection(self.reason, tuple(self.between(group, self._open_from(passed), entry[START])))

    def objection_at_end(self, group: Group, state: State) -> Objection:
        passed: _Passed = state
        behind = self.between(group, self._open_from(passed), float("inf")) if not passed.passed else []
        return Objection(self.reason, tuple(behind or self._too_soon(group, passed)))

    def _open_from(self, passed: _Passed) -> float:
        return float("-inf") if passed.end is None else passed.end

    def _too_soon(self, group: Group, passed: _Passed) -> list[Entry]:
        """Those before the first event that the window does not excuse (A1)."""
        if passed.start is None or self.amount is None or passed.latest is None:
            return []
        earliest = passed.latest - self.amount
        return [
            violation
            for violation in self.violations.of(group.key)
            if violation[END] < passed.start and violation[FIRST][self.unit] >= earliest
        ]

    def _forbidden(self, group: Group, after: float, before: float) -> bool:
        return self.violations.forbid(self.between(group, after, before))

    def between(self, group: Group, after: float, before: float) -> list[Entry]:
        """What lies between two times."""
        return [
            entry for entry in self.violations.of(group.key) if after < entry[START] and entry[END] < before
        ]


def _same(key: Key) -> Key:
    return key
