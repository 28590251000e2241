"""What is known of the clocks of documents is bytes, for there may be many of them, and none is lost by that."""

from __future__ import annotations

import gc
import pickle
import tracemalloc
from pathlib import Path

import pytest

pytest.importorskip("pyarrow")

from hypothesis import given
from hypothesis import strategies as st

from tests.auditing.test_plain_documents import merged
from tests.auditing.test_time import at
from tests.auditing.test_timers_in_keys import order
from xmlcep.auditing.spark.document_clock import UNKNOWN, DocumentClock, DocumentTime
from xmlcep.auditing.spark.finding_chunks import FindingRanges
from xmlcep.auditing.spark.segment_summary import ClockReading
from xmlcep.log.records import ClockRecord
from xmlcep.timestamps import microseconds

QUIET = 'event Quiet(item) = plus[ins(item/price), "5 min"]'
NUMBERS = st.integers(UNKNOWN + 1, 1 << 62)
READINGS = st.builds(ClockReading, st.none() | NUMBERS, st.none() | NUMBERS, st.integers(0, 1 << 40))


@st.composite
def document_times(draw: st.DrawFn) -> DocumentTime:
    segments = sorted(draw(st.sets(st.integers(0, 1 << 63 - 1), min_size=1, max_size=3)))
    readings = {segment: draw(st.just(ClockReading(None, None, 0)) | READINGS) for segment in segments}
    times = [(segment, draw(st.none() | NUMBERS)) for segment in segments]
    advances = draw(st.lists(st.tuples(st.integers(0, 1 << 40), NUMBERS), max_size=3))
    return DocumentTime(readings, DocumentClock.of(times, advances))


@given(document_times())
def test_it_comes_back_as_it_was(time: DocumentTime) -> None:
    assert DocumentTime.unpacked(time.packed(), time.clock.segments[-1]) == time


def test_documents_whose_clock_matters_are_rows(tmp_path: Path) -> None:
    first, second = order(("item", 2, "10:00"), ("price", 2, "10:01"), doc="two")
    clock = ClockRecord("two", 1, "2026-01-01T10:00:30Z")
    merge = merged(
        tmp_path,
        [
            [first, *order(("item", 2, "09:00"), doc="one")],
            [clock, second],
            [*order(("item", 2, "soon"), doc="no")],
        ],
        QUIET,
    )
    ends = merge.whole(FindingRanges([])).ends
    for each in (ends, pickle.loads(pickle.dumps(ends))):
        assert each.keys() == {"one", "two"} and "three" not in each and each.segment("three") is None
        assert each.time("three") is None
        one, two = each.time("one"), each.time("two")
        assert one is not None and two is not None
        nine, ten = (microseconds(at(time)) for time in ("09:00", "10:00"))
        half = microseconds(clock.at)
        assert one.clock.times == (nine,) and one.readings == {each.segment("one"): (None, None, 0)}
        assert two.clock.advances == (half,) and [r.time for r in two.readings.values()] == [None, half]
        assert two.clock.times == (ten, microseconds(at("10:01")))


def test_such_a_document_costs_the_driver_no_objects(tmp_path: Path) -> None:
    log = [
        record
        for n in range(2000)
        for record in order(("item", 2, "10:00"), ("price", 2, "10:01"), doc=f"d{n}")
    ]
    tracemalloc.start()
    try:
        merge = merged(tmp_path, [log], QUIET)
        whole = merge.whole(FindingRanges([]))
        gc.collect()
        kept = tracemalloc.take_snapshot().filter_traces(
            [
                tracemalloc.Filter(True, f"*/auditing/spark/{name}.py")
                for name in ("document_*", "whole_log", "ipc")
            ]
        )
    finally:
        tracemalloc.stop()
    assert not merge.documents and len(whole.ends) == 2000
    assert sum(each.size for each in kept.statistics("filename")) < 200 * 2000
