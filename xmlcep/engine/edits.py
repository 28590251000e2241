"""Edits: what asks the document sees it as it is after an edit, so it waits for the edit's end (rules U1, U2).

The trees that ask nothing are not held up: they take each record as it comes.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from ..algebra import Unit
from ..documents import Replica
from ..events import Cause, CompositeEvent, PrimitiveEvent, TimePoint
from ..timestamps import microseconds, timestamp
from .becoming import Becoming
from .dispatch import ActiveTrees
from .evaluation import NOTHING_DUE, Evaluation, Outside
from .release import Release
from .setting import Setting
from .timers import ORDER, Due, by_tree
from .tree import Answers


class HeldRecord(NamedTuple):
    """A record of an edit that goes on: at which time point it was, the composites that came with it, what leaves have
    asked of the document before the edit."""

    event: PrimitiveEvent
    point: int
    outside: Outside
    before: Answers


class HeldTimePoint(NamedTuple):
    """A time point within an edit without a record: something was due (W5)."""

    cause: TimePoint
    point: int
    outside: Outside
    due: dict[int, list[Due]]


class Edit:
    """The records of the present edit, as far as trees that ask the document have not seen them.

    ``before`` is the record before it, None if a release came after that. Whether anything has happened at a node since
    the last release that concerned it can be seen from this one alone: if it was there (D2, D4).
    """

    def __init__(self, evaluation: Evaluation, setting: Setting, active: ActiveTrees) -> None:
        asking = active.asking
        self._evaluation = evaluation
        self._setting = setting
        self.asks_before = active.asks_before
        self.becoming = Becoming(active, evaluation.trees)
        self.asking = asking
        self.others = frozenset(evaluation.trees) - asking
        self.held: list[HeldRecord | HeldTimePoint] = []

    def is_open(self) -> bool:
        """Whether records are held."""
        return bool(self.held)

    def holds(self, event: PrimitiveEvent) -> bool:
        """Whether a record has to be held: its edit goes on or has begun before, or something is asked before it."""
        asks_before = (self.asks_before and event[1] == "del") or self.becoming.concerns(event)
        return event[11] or bool(self.held) or asks_before

    def hold(self, event: PrimitiveEvent, outside: Outside) -> None:
        """A record of an edit that goes on, or ends: the trees that ask nothing take it, the others have to wait."""
        before: Answers = {}
        evaluation, clock = self._evaluation, self._setting.clock
        clock.point += 1  # the one before is for what turns out to be due before this record
        bound = evaluation.dispatch[event.op][event.path]
        if event.op == "del" and bound is not None:
            for tree, plan in bound.steps:
                if tree.tree.index in self.asking:
                    tree.ask_before(event, plan, before)
        passed_on = evaluation.process(event, bound, outside, self.others)
        self.held.append(HeldRecord(event, clock.point, {**outside, **passed_on}, before))

    def hold_due(self, cause: TimePoint, due: dict[int, list[Due]]) -> None:
        """What is due within an edit, at a time point of its own."""
        now = {index: timers for index, timers in due.items() if index in self.others}
        passed_on = self._evaluation.run(cause, {}, {}, Release.NOTHING, now, self.others)
        later = {index: timers for index, timers in due.items() if index in self.asking}
        self.held.append(HeldTimePoint(cause, self._setting.clock.point, passed_on, later))

    def end(self, document: Replica) -> None:
        """The edit is over: the document changes, then the trees that ask it take what was held."""
        held, self.held = self.held, []
        if not held:
            return
        evaluation, clock, timers = self._evaluation, self._setting.clock, self._setting.timers
        events = [each.event for each in held if isinstance(each, HeldRecord)]
        asked = self.becoming.before(events)
        for event in events:
            document.apply(event)
        turns = self.becoming.after(asked, events)
        for event in events:
            bound = evaluation.dispatch[event.op][event.path]
            if bound is not None:
                evaluation.touch(event, bound)
        ts, point = clock.ts, clock.point
        later = 0  # by how many time points: those of timers that were not known when the records were held
        waiting = self._setting.waiting
        to_come = Counter(index for each in held for index in each.outside)
        for each in held:
            for index in each.outside:
                to_come[index] -= 1
                if not to_come[index]:
                    waiting.all_taken(index)
            clock.point = each.point + later
            if isinstance(each, HeldRecord):
                if timers.size:
                    later += self._fire_before(each.event)
                clock.ts, clock.point = each.event.ts, each.point + later
                bound = evaluation.dispatch[each.event.op][each.event.path]
                due = turns.get(each.event.ts, NOTHING_DUE)
                evaluation.process(each.event, bound, each.outside, self.asking, each.before, due)
            else:
                clock.ts, clock.fired = each.cause.ts, _fired(each)
                timers.begin_round(self._round_of(each))
                try:
                    evaluation.run(each.cause, {}, each.outside, Release.NOTHING, each.due, self.asking)
                finally:
                    timers.end_round()
                clock.fired = None
        clock.ts, clock.point = ts, point + later
        if to_come:
            evaluation.departed.look_after_releases()
        evaluation.end_edit()

    def _round_of(self, held: HeldTimePoint) -> tuple[Unit, int] | None:
        """What is due at a time point within an edit; None if nothing is."""
        fired = self._setting.clock.fired
        if fired is not None:
            return Unit.TIME, fired
        for together in held.due.values():
            return Unit.CHANGES, together[0].at
        return None

    def _fire_before(self, event: PrimitiveEvent) -> int:
        """What earlier records of the edit have made due before this one, by changes (W5) or, because it is known too
        late, by any measure (W5): each time a time point of its own (W5). Returns how many more there are than the one
        that is free before every record."""
        evaluation, timers, clock = self._evaluation, self._setting.timers, self._setting.clock
        ts, point = event.ts, clock.point
        if not timers.is_due(ts, clock.time, clock.transaction):
            return 0
        clock.ts, clock.point = ts, point - 2
        limits = {unit: clock.reading(unit, ts) for unit in ORDER}
        while (first := timers.take_first(limits, self.asking)) is not None:
            unit, at, together = first
            waiting = [due for due in together if evaluation.trees[due.tree].states[due.operator].awaits(due)]
            if waiting:
                by_time = unit is Unit.TIME
                clock.fire(at if by_time else None)
                cause = TimePoint(ts, timestamp(at) if by_time else None, event.doc)
                timers.begin_round((unit, at))
                try:
                    evaluation.run(cause, {}, {}, Release.NOTHING, by_tree(waiting), self.asking)
                finally:
                    timers.end_round()
        clock.fired = None
        return max(0, clock.point + 1 - point)

    def clear(self) -> None:
        """Forgets what is held."""
        self.held.clear()


def _fired(held: HeldTimePoint) -> int | None:
    """When what fires at a time point within an edit was due, if that was by time (W5)."""
    at = held.cause.at
    return None if at is None else microseconds(at)


def by_time_point(raised: list[CompositeEvent]) -> list[CompositeEvent]:
    """What an edit has raised, by time point; within one in raise order (U2)."""
    return sorted(raised, key=_time) if len(raised) > 1 else raised


def _time(composite: CompositeEvent) -> int:
    cause: Cause = composite.cause
    return cause.ts
