"""Numbers that occur, counted and placed: what numpy finds by sorting them all."""

from __future__ import annotations

import pytest

pytest.importorskip("numpy")

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from xmlcep.auditing.spark.distinct import counted, distinct, in_groups

DENSE = st.lists(st.integers(-3, 9), max_size=20)
SPARSE = st.lists(st.integers(-(2**62), 2**62), max_size=6)


@given(DENSE | SPARSE)
def test_distinct_numbers_are_those_of_a_sort(numbers: list[int]) -> None:
    given_ = np.array(numbers, np.int64)
    for found, expected in zip(distinct(given_), np.unique(given_, return_inverse=True), strict=True):
        assert found.tolist() == expected.tolist()
    for found, expected in zip(counted(given_), np.unique(given_, return_counts=True), strict=True):
        assert found.tolist() == expected.tolist()


@given(st.lists(st.sampled_from([0, 1, 2, 2**16 - 1, 2**16, 2**40]), max_size=30))
def test_groups_keep_the_order_within_them(numbers: list[int]) -> None:
    expected = sorted(range(len(numbers)), key=numbers.__getitem__)
    assert in_groups(np.array(numbers, np.int64)).tolist() == expected
