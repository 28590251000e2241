"""Chunks in order, some of them from files."""

from __future__ import annotations

import random
from io import FileIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xmlcep.auditing.spark.chunk_sorting import in_order
from xmlcep.auditing.spark.chunks import Chunk, ChunkKind
from xmlcep.auditing.spark.parcels import (
    ContentFiles,
    Packed,
    Parcel,
    Place,
    common_files,
    read,
    written_whole,
)

from xmlcep.auditing.spark.failures import SparkError


def chunk(target: int, number: int, content: bytes) -> Chunk:
    return Chunk(ChunkKind.ROWS, 0, target, 0, 0, number, content)


def place(each: Chunk) -> tuple[int, ...]:
    return each.target, each.number


CHUNKS = st.lists(
    st.builds(chunk, st.integers(0, 3), st.integers(-1, 9), st.binary(max_size=12)), unique_by=place
)


@given(CHUNKS, st.integers(0, 80), st.data())
def test_wherever_content_waits_the_order_is_the_same(
    chunks: list[Chunk], most_bytes: int, data: st.DataObject
) -> None:
    with common_files(shared=True) as files:
        ways = [data.draw(st.sampled_from([files, ContentFiles(None)])) for _ in chunks]
        parcels = [Parcel.of(each, way) for each, way in zip(chunks, ways, strict=True)]
        assert list(in_order(parcels, place, most_bytes)) == sorted(chunks, key=place)


def test_what_waits_in_memory_is_bounded_and_its_files_are_gone_in_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPARK_LOCAL_DIRS", f"/nowhere,{tmp_path}")

    made = [
        Parcel.of(chunk(0, number, random.Random(number).randbytes(100_000)), ContentFiles(None))
        for number in range(50)
    ]
    size = 100_100  # random bytes cannot be packed
    found = list(in_order(made, place, 50 * size))
    assert found == [parcel.opened() for parcel in made] and list(tmp_path.iterdir()) == []
    for each, expected in zip(in_order(made, place, 2 * size), found, strict=True):
        (folder,) = tmp_path.iterdir()
        (file,) = folder.iterdir()
        assert 48 * 100_000 <= file.stat().st_size < 48 * size
        assert each == expected
    assert list(tmp_path.iterdir()) == []


def test_where_tasks_have_no_disks_in_common_bytes_are_sent() -> None:
    with common_files(shared=False) as files:
        assert files.folder is None
        parcel = Parcel.of(chunk(1, 2, b"ab" * 500), files)
        assert parcel.chunk == chunk(1, 2, b"")
        assert isinstance(parcel.content, Packed) and isinstance(parcel.content.content, bytes)
        assert len(parcel.content.content) < 100  # each byte passes several sockets and files
        assert parcel.opened() == chunk(1, 2, b"ab" * 500)


def test_content_that_is_not_there_any_more_is_an_error_and_never_less_content() -> None:
    with common_files(shared=True) as files:
        first, second = files.put(b"abc"), files.put(b"de")
        assert isinstance(second, Place)
        assert (read(first), read(second), read(first)) == (b"abc", b"de", b"abc")
        Path(second.file).write_bytes(b"abcd")
        with pytest.raises(SparkError, match="has no 2 bytes from 3"):
            read(second)
    with pytest.raises(
        SparkError, match=r"^temporary files in .*No such file.*: set SPARK_LOCAL_DIRS to a folder with room"
    ):
        read(first)


def test_a_folder_that_is_full_or_gone_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(SparkError, match=r"^temporary files in .*gone.*: set SPARK_LOCAL_DIRS"):
        ContentFiles(str(tmp_path / "gone")).put(b"a")


def test_the_system_is_given_little_at_once_and_may_take_less(tmp_path: Path) -> None:
    given: list[int] = []

    class Reluctant(FileIO):
        def write(self, content: object) -> int:
            assert isinstance(content, memoryview)
            given.append(len(content))
            return super().write(content[: max(len(content) // 2, 1)])

    content = random.Random(1).randbytes(5 * 2**20 + 3)
    with Reluctant(tmp_path / "file", "w") as file:
        assert written_whole(file, content, 7) == len(content)
    assert (tmp_path / "file").read_bytes() == bytes(7) + content
    assert max(given) < 2 * 2**20
