"""What is no record and what are no rules."""

from __future__ import annotations

import pytest

from xmlcep.engine import Detector
from xmlcep.errors import RecordError
from xmlcep.events import PrimitiveEvent


@pytest.mark.parametrize("given", [None, [], "{}", 5])
def test_what_is_no_dict_at_all(given: object) -> None:
    with pytest.raises(RecordError, match="expected a dict with the fields ts, op, path, ids"):
        PrimitiveEvent.from_record(given)  # type: ignore[arg-type]


@pytest.mark.parametrize("given", ["event A = ins(item)", None])
def test_a_detector_of_something_else_than_rules(given: object) -> None:
    with pytest.raises(
        TypeError, match=r"needs rules, not .*: use load_rules\(file\) or parse_rules\(text\)"
    ):
        Detector(given)  # type: ignore[arg-type]
