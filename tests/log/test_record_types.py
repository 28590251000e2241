"""Types of records: what is found in a short way is what the whole text says."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from path_types import PathType
from xmlcep.errors import RecordError
from xmlcep.events import record_path
from xmlcep.log.columns.blocks import RecordTypes

_STEPS = [
    "a",
    "b",
    "{urn:x}b",
    "{http://x/y}b",
    "@a",
    "@{http://x/y}b",
    "text()",
    "",
    "*",
    "a b",
    "y}b",
    "{http:",
    "@text()",
]


@settings(max_examples=150)
@given(st.lists(st.lists(st.sampled_from(_STEPS), max_size=4).map("/".join), min_size=1, max_size=12))
def test_a_path_below_one_that_was_read_is_the_path_of_its_text(texts: list[str]) -> None:
    types = RecordTypes(lambda op, path: True)
    for text in [f"/{text}" for text in texts] + texts:
        try:
            expected: PathType | str = record_path(text)
        except RecordError as error:
            expected = str(error)
        try:
            found: PathType | str = types["ins", text].path
        except RecordError as error:
            found = str(error)
        assert found == expected
