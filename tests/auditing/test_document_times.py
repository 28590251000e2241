"""What is known of documents and of their clocks is bytes, or on disk, for there may be many; none of it is lost."""

from __future__ import annotations

import gc
import pickle
import tracemalloc
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

pytest.importorskip("pyarrow")

from hypothesis import given
from hypothesis import strategies as st
from xmlcep.auditing.spark.document_clock import UNKNOWN, DocumentClock, DocumentTime
from xmlcep.auditing.spark.finding_chunks import FindingRanges
from xmlcep.auditing.spark.segment_summary import ClockReading

from tests.auditing.logs import LogItem
from tests.auditing.test_summary_tables import merged
from tests.auditing.test_time import at
from tests.auditing.test_timers_in_keys import order
from xmlcep.events import PrimitiveEvent
from xmlcep.log.json_codec import FASTEST
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
    shown = ClockRecord("two", 1, "2026-01-01T10:00:30Z")
    merge = merged(
        tmp_path,
        [
            [first, *order(("item", 2, "09:00"), doc="one")],
            [shown, second],
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
        half = microseconds(shown.at)
        assert one.clock.times == (nine,) and one.readings == {each.segment("one"): (None, None, 0)}
        assert two.clock.advances == (half,) and [r.time for r in two.readings.values()] == [None, half]
        assert two.clock.times == (ten, microseconds(at("10:01")))


def priced(doc: str, txn: int | None = None) -> list[PrimitiveEvent]:
    return order(("item", 2, "10:00"), ("price", 2, "10:01"), ("quantity", 2, "10:02"), doc=doc, txn=txn)


def clock(doc: str, ts: int = 3) -> ClockRecord:
    return ClockRecord(doc, ts, "2026-01-01T11:00:00Z")


def seen(doc: str, ts: int) -> bytes:
    told = {"xmlcep": 1, "control": "raised", "doc": doc, "ts": ts, "name": "Seen", "path": "/order/item"}
    return FASTEST.dumps(told | {"ids": [1, 2], "txn": None, "meta": None})


PERIODIC = 'event Every(item) = periodic[ins(item/price), "1 h", del(item)]'
SEEN = "event Seen(item) = external\n"
BY_DOCUMENT = SEEN + 'event After = plus[Seen(item), "5 s"]'
UNTIL = "2026-01-02T00:00:00Z"
Parts = Callable[[str], tuple[Sequence[LogItem | bytes], Sequence[LogItem | bytes]]]


@pytest.mark.parametrize(
    ("rules", "until", "parts"),
    [
        pytest.param(QUIET, None, lambda doc: (priced(doc), []), id="timers"),
        pytest.param(PERIODIC, UNTIL, lambda doc: (priced(doc), []), id="until"),
        pytest.param(PERIODIC, None, lambda doc: ([*priced(doc), clock(doc)], []), id="clock records"),
        pytest.param(BY_DOCUMENT, UNTIL, lambda doc: (priced(doc), []), id="by document, until"),
        pytest.param(BY_DOCUMENT, None, lambda doc: (priced(doc), [clock(doc)]), id="by document, clock records"),
        pytest.param(
            SEEN, None, lambda doc: (priced(doc)[:2], [seen(doc, 2), priced(doc)[2]]), id="external events"
        ),
        pytest.param(
            'event Priced(item) {when="price"} = ins(item)', None,
            lambda doc: ([priced(doc)[0], priced(doc)[1]._replace(more=True)], [priced(doc)[2]]), id="edits",
        ),
        pytest.param(
            "event Both {end=non-local} = ins(item) & ins(item/price)", None,
            lambda doc: (priced(doc)[:2], [priced(doc)[2]]), id="ends",
        ),
        pytest.param(
            BY_DOCUMENT, None, lambda doc: ([*priced(doc, 1)[:2], clock(doc, 2)], [priced(doc, 1)[2]]),
            id="clock records in transactions",
        ),
        pytest.param(
            SEEN, None, lambda doc: (priced(doc)[:2], [seen(doc, 1), priced(doc)[2]]), id="misplaced events"
        ),
    ],
)  # fmt: skip
def test_a_document_costs_the_driver_no_objects(
    tmp_path: Path, rules: str, until: str | None, parts: Parts
) -> None:
    """Whatever there is to know of it until the audit is over; what there is without documents is no part of it."""
    few, many = (
        kept_of(tmp_path, [f"d{number}" for number in range(count)], rules, until, parts)
        for count in (100, 250)
    )
    assert many - few < 150 * 150


def kept_of(folder: Path, documents: Sequence[str], rules: str, until: str | None, parts: Parts) -> int:
    """Bytes of Python's that are kept of so many documents, each with something to know of it."""
    files = [[item for doc in documents for item in parts(doc)[place]] for place in range(2)]
    tracemalloc.start()
    try:
        merge = merged(folder, [file for file in files if file], rules, until)
        whole = merge.whole(FindingRanges([]))
        gc.collect()
        kept = tracemalloc.take_snapshot().filter_traces([tracemalloc.Filter(True, "*/auditing/*")])
    finally:
        tracemalloc.stop()
    assert len(whole.ends) == len(documents)
    return sum(each.size for each in kept.statistics("filename"))
