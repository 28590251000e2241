"""What is not a record and what are no rules."""

from __future__ import annotations

import pytest

from xmlcep.engine import Detector
from xmlcep.errors import RecordError
from xmlcep.events import PrimitiveEvent


@pytest.mark.parametrize("given", [None, [], "{}", 5])
def test_what_is_no_dict_at_all(given: object) -> None:
    with pytest.raises(RecordError, match="expected a dict with the fields ts, op, path, ids"):
        PrimitiveEvent.from_record(given)  # type: ignore[arg-type]


def test_more_stands_in_a_record_only_where_it_is_true() -> None:
    record = {"ts": 1, "op": "ins", "path": "/a", "ids": [1]}
    for more in ({}, {"more": None}, {"more": False}):
        event = PrimitiveEvent.from_record(record | more)
        assert event.more is False and "more" not in event.to_record()
    event = PrimitiveEvent.from_record(record | {"more": True})
    assert event.more is True and event.to_record()["more"] is True
    assert PrimitiveEvent.from_record(event.to_record()) == event


@pytest.mark.parametrize("given", [1, "true", []])
def test_more_is_true_or_absent(given: object) -> None:
    record = {"ts": 1, "op": "ins", "path": "/a", "ids": [1], "more": given}
    with pytest.raises(RecordError, match=r"more is .*: expected true"):
        PrimitiveEvent.from_record(record)


@pytest.mark.parametrize("given", ["event A = ins(item)", None])
def test_a_detector_of_something_else_than_rules(given: object) -> None:
    with pytest.raises(
        TypeError, match=r"needs rules, not .*: use load_rules\(file\) or parse_rules\(text\)"
    ):
        Detector(given)  # type: ignore[arg-type]
