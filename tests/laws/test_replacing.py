"""Rules A over the beginning of a history, replaced by B: kept trees over all of it, new ones from there (rule G7).

`tests.laws.replacing` looks through many more.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from path_types import PathType
from tests.laws.replacing import cases, difference
from xmlcep.engine import Detector
from xmlcep.events import PrimitiveEvent
from xmlcep.rules import parse_rules


@pytest.mark.parametrize("mode", ["levels-timed", "meet", "external", "patterns"])
@settings(max_examples=12, deadline=None)
@given(data=st.data())
def test_kept_trees_over_all_and_new_ones_from_there(mode: str, data: st.DataObject) -> None:
    assert not difference(data.draw(cases(mode)))


@pytest.mark.parametrize("past", [False, True], ids=["kept", "since the beginning"])
@pytest.mark.parametrize("flushes", [0, 3])
def test_what_came_before_the_last_flush_does_not_count(past: bool, flushes: int) -> None:
    """A7: `& not` counts what has come since the flush before, whoever has counted how many flushes."""

    def change(ts: int, name: str) -> PrimitiveEvent:
        return PrimitiveEvent(ts, "ins", PathType.parse(f"/order/{name}"), (1, ts + 1))

    rules = parse_rules("event Alone(order) {end=custom} = ins(order/item) & not ins(order/price)")
    seen = Detector(rules)
    for _ in range(flushes):
        seen.flush()
    seen.feed(change(1, "price"))
    seen.flush()
    now = Detector(parse_rules("event Other = ins(comment)")) if past else seen
    now.replace(rules, past=seen if past else None)
    now.feed(change(2, "item"))
    assert [each.ts for each in now.flush()] == [2]
    now.feed(change(3, "item"))
    now.feed(change(4, "price"))
    assert not now.flush()
