"""Times of records: what is read in a short way is what the pattern says."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from path_types import PathType
from xmlcep import Detector, PrimitiveEvent, parse_rules, timestamps
from xmlcep.errors import XmlCepError
from xmlcep.timestamps import TimeError, microseconds, timestamp


def read(text: str, reading: Callable[[str], int] = microseconds) -> int | str:
    try:
        return reading(text)
    except TimeError as error:
        return str(error)


times = st.builds(
    "{}-{}-{}{}{}:{}:{}{}{}".format,
    st.sampled_from(("2026", "1970", "0001", "0000", "9999", "26")),
    st.sampled_from(("01", "12", "13", "00", "2")), st.sampled_from(("01", "29", "31", "32")), st.sampled_from("Tt _"),
    st.sampled_from(("00", "23", "24")), st.sampled_from(("00", "59", "60")), st.sampled_from(("00", "59", "60", "61")),
    st.sampled_from(("", ".", ".5", ".123", ".123456", ".1234567", ".1234567:9", ",123")),
    st.sampled_from(("Z", "z", "+00:00", "-00:00", "+01:00", "+0100", "", "+24:00", "Z ")),
)  # fmt: skip


@settings(max_examples=1000)
@given(times)
def test_the_short_way_says_the_same(text: str) -> None:
    assert read(text, timestamps._read) == read(text)


@given(st.integers(0, 10**16))
def test_what_is_written_is_read(time: int) -> None:
    assert microseconds(timestamp(time)) == time


@pytest.mark.parametrize(
    "text",
    [
        "2026-W01-1T00:00:00Z",
        "２026-01-01T00:00:00Z",
        "2026-01-01T24:00:00Z",
        "2026-01-01T00:00:00.Z",
        "2026-01-01T00:00:00.1234567:9Z",
        "2026-01-01T00:00:00.+01:00",
    ],
)
def test_what_python_reads_but_rfc_3339_does_not(text: str) -> None:
    with pytest.raises(TimeError):
        microseconds(text)


def test_what_is_no_time_is_said_of_every_record_that_has_it() -> None:
    detector = Detector(parse_rules('event E = x[2,*]{within="1 h"} ins(a/b)'))
    for ts in (1, 2):
        event = PrimitiveEvent(ts, "ins", PathType.parse("/a/b"), (1, 2), None, None, 0, "noon", "d")
        with pytest.raises(XmlCepError, match="noon"):
            detector.feed(event)
