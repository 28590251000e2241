"""Which numbers occur, ascending: without sorting them where few numbers are possible, as codes of names are."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Numbers: TypeAlias = npt.NDArray[np.int64]

_SPARSE = 4  # so many possible numbers for each that is there take longer to look through than sorting takes


def distinct(numbers: Any) -> tuple[Numbers, Numbers]:
    """The numbers (an array of integers) that occur, and of each number its place among them."""
    least = _least_of_dense(numbers)
    if least is None:
        found, places = np.unique(numbers, return_inverse=True)
        return found, places
    codes = numbers - least
    occurs = np.zeros(int(codes.max()) + 1, bool)
    occurs[codes] = True
    return np.flatnonzero(occurs) + least, (np.cumsum(occurs) - 1)[codes]


def counted(numbers: Any) -> tuple[Numbers, Numbers]:
    """The numbers (an array of integers) that occur, and how often."""
    least = _least_of_dense(numbers)
    if least is None:
        found, counts = np.unique(numbers, return_counts=True)
        return found, counts
    counts = np.bincount(numbers - least)
    found = np.flatnonzero(counts)
    return found + least, counts[found]


def in_groups(numbers: Any) -> Numbers:
    """The places of numbers from 0 on (an array of integers) in the order of these, equal ones as they stand."""
    if len(numbers) and int(numbers.max()) < 2**16:  # numpy sorts numbers of two bytes by their digits
        numbers = numbers.astype(np.uint16)
    return np.argsort(numbers, kind="stable")


def _least_of_dense(numbers: Any) -> int | None:
    """The least of the numbers; None if there are many more possible than there are."""
    if not len(numbers):
        return None
    least = int(numbers.min())
    return least if int(numbers.max()) - least < _SPARSE * len(numbers) else None
