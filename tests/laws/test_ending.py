"""No more is raised where `can_still_raise`, or a finding that is the last, has said so (Y11)."""

from __future__ import annotations

from hypothesis import given, settings

from tests.laws.ending import ENDING, Case, untrue
from tests.laws.test_freeing import CASES


@settings(max_examples=30, deadline=None)
@given(CASES | ENDING["ending"])
def test_never_an_untrue_no(case: Case) -> None:
    found, _ = untrue(*case)
    assert found == []
