"""The schedule, without a document (rule L5)."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xmlcep.actions import Schedule


class Firing(NamedTuple):
    """A firing for tests."""

    name: str
    priority: int = 0
    order: int = 0


def run(start: list[Firing], triggers: dict[str, list[Firing]]) -> str:
    schedule: Schedule[Firing] = Schedule()
    schedule.put(start)
    done = ""
    while schedule:
        firing = schedule.take()
        done += firing.name
        schedule.put(triggers.get(firing.name, []))
    return done


def test_priority_then_order_of_definition_then_order_of_composites() -> None:
    start = [Firing("a", 0, 2), Firing("b", 0, 1), Firing("c", 7, 3), Firing("d", 0, 1), Firing("e", -1, 0)]
    assert run(start, {}) == "cbdae"


def test_what_is_triggered_goes_before_what_waits() -> None:
    """RDFTL's prefix: depth first, whatever the priorities."""
    triggers = {"a": [Firing("x", -5), Firing("y", -5, 1)], "x": [Firing("z", -9)]}
    assert run([Firing("a", 5), Firing("b", 4)], triggers) == "axzyb"


def test_nothing_waits_in_an_empty_schedule() -> None:
    schedule: Schedule[Firing] = Schedule()
    assert not schedule
    with pytest.raises(IndexError):
        schedule.take()
    schedule.put([Firing("a")])
    schedule.clear()
    assert len(schedule) == 0


@given(st.lists(st.tuples(st.integers(-2, 2), st.integers(0, 3))))
def test_one_batch_is_sorted_and_keeps_the_order_of_equals(given: list[tuple[int, int]]) -> None:
    batch = [Firing(str(number), priority, order) for number, (priority, order) in enumerate(given)]
    schedule: Schedule[Firing] = Schedule()
    schedule.put(batch)
    taken = [schedule.take() for _ in batch]
    assert taken == sorted(batch, key=lambda firing: (-firing.priority, firing.order, int(firing.name)))
