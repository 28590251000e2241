"""Rules A over the beginning of a history, replaced by B: kept trees over all of it, new ones from there (rule G7).

`tests.laws.replacing` looks through many more.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.laws.replacing import cases, difference


@pytest.mark.parametrize("mode", ["levels-timed", "meet", "external", "late-timed"])
@settings(max_examples=12, deadline=None)
@given(data=st.data())
def test_kept_trees_over_all_and_new_ones_from_there(mode: str, data: st.DataObject) -> None:
    assert not difference(data.draw(cases(mode)))
