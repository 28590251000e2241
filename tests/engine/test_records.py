"""Records that are no events."""

from __future__ import annotations

import pytest

from xmlcep.errors import RecordError
from xmlcep.events import PrimitiveEvent


@pytest.mark.parametrize("given", [None, [], "{}", 5])
def test_what_is_no_dict_at_all(given: object) -> None:
    with pytest.raises(RecordError, match="expected a dict with the fields ts, op, path, ids"):
        PrimitiveEvent.from_record(given)  # type: ignore[arg-type]
