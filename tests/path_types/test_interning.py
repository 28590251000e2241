"""Equal path types are one object, whoever makes them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from path_types import PathType


@pytest.fixture
def _in_quick_turns() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("_in_quick_turns")
def test_threads_that_make_a_path_type_at_once_have_the_same() -> None:
    together = Barrier(4)

    def paths(turn: int) -> list[PathType]:
        together.wait()
        return [PathType.parse(f"/r{turn}/n{number}/x") for number in range(40)]

    with ThreadPoolExecutor(4) as threads:
        for turn in range(80):
            made = list(threads.map(paths, [turn] * 4))
            assert all(len(set(map(id, same))) == 1 for same in zip(*made, strict=True))
