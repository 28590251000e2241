"""What is due, in heaps: what a round takes of what is set in it."""

from __future__ import annotations

import pytest

from xmlcep.algebra import Unit
from xmlcep.engine.timers import Due, Timers


class Moment(int):
    """A time that counts how often any is compared."""

    compared = 0

    def __eq__(self, other: object) -> bool:
        Moment.compared += 1
        return int(self) == other

    __hash__ = int.__hash__


def due(at: int, tree: int, operator: int = 0, key: int = 0) -> Due:
    return Due(at, tree, operator, key)


@pytest.fixture
def timers() -> Timers:
    """Many wait, and a round begins about what is due at 5."""
    made = Timers()
    for at in range(6, 1006):
        made.set(Unit.TIME, due(Moment(at), 0, 0, at))
    made.begin_round((Unit.TIME, 5))
    return made


def test_a_round_takes_what_is_set_in_it_and_due_at_once(timers: Timers) -> None:
    ours, other, later = due(5, 1), due(5, 2), due(6, 1)
    for each in (other, ours, later):
        timers.set(Unit.TIME, each)
    assert timers.take_set_now(1, 0) == [ours]
    assert timers.take_set_now(1, 0) == []
    assert timers.take_set_now(2, 0) == [other]
    assert timers.size == 1001 and timers.time == 6


def test_a_round_does_not_look_through_what_waits(timers: Timers) -> None:
    """Work per event must not grow with what waits."""
    timers.set(Unit.TIME, due(5, 1))
    Moment.compared = 0
    assert len(timers.take_set_now(1, 0)) == 1
    assert Moment.compared < 50


def test_a_round_takes_nothing_that_was_set_by_another_measure_or_too_late(timers: Timers) -> None:
    timers.set(Unit.CHANGES, due(5, 1))
    assert timers.take_set_now(1, 0) == []
    timers.end_round()
    timers.set(Unit.TIME, due(5, 1))
    assert timers.take_set_now(1, 0) == []
    assert timers.time == timers.changes == 5


def test_what_is_late_stays_for_a_round_of_its_own(timers: Timers) -> None:
    late, ours = due(4, 1), due(5, 1)
    timers.set(Unit.TIME, late)
    timers.set(Unit.TIME, ours)
    assert timers.take_set_now(1, 0) == [ours]
    assert list(timers.take(Unit.TIME, 6)) == [(4, [late])]
