"""Chunks in order, some of them from a file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xmlcep.auditing.spark.chunk_sorting import in_order
from xmlcep.auditing.spark.chunks import Chunk, ChunkKind


def chunk(target: int, number: int, content: bytes) -> Chunk:
    return Chunk(ChunkKind.ROWS, 0, target, 0, 0, number, content)


def place(each: Chunk) -> tuple[int, ...]:
    return each.target, each.number


CHUNKS = st.lists(
    st.builds(chunk, st.integers(0, 3), st.integers(-1, 9), st.binary(max_size=12)), unique_by=place
)


@given(CHUNKS, st.integers(0, 80))
def test_however_many_bytes_wait_in_memory_the_order_is_the_same(
    chunks: list[Chunk], most_bytes: int
) -> None:
    assert list(in_order(chunks, place, most_bytes)) == sorted(chunks, key=place)


def test_what_waits_in_memory_is_bounded_and_the_file_is_gone_in_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPARK_LOCAL_DIRS", f"{tmp_path},/nowhere")
    before = open_files(tmp_path)
    alive: list[int] = []

    def made() -> Iterator[Chunk]:
        for number in range(50):
            yield chunk(0, number, b"." * 100_000)

    for each in in_order(made(), place, 200_000):
        alive.append(open_files(tmp_path))
        assert len(each.content) == 100_000
    assert set(alive) == {before + 1}
    assert open_files(tmp_path) == before
    assert list(tmp_path.iterdir()) == []


def open_files(folder: Path) -> int:
    """How many files below it this process has open."""
    descriptors = Path("/proc/self/fd")
    if not descriptors.exists():
        pytest.skip("there is no list of open files")
    return sum(
        str(os.readlink(each)).startswith(str(folder)) for each in descriptors.iterdir() if each.is_symlink()
    )
