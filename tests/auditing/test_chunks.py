"""Chunks: what is put into them comes out again, by pass, document and time."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from itertools import groupby, islice
from typing import Any

import pytest

pa = pytest.importorskip("pyarrow")

import numpy as np  # noqa: E402 - comes with PyArrow
from hypothesis import given  # noqa: E402
from hypothesis import strategies as st  # noqa: E402
from xmlcep.auditing.spark.chunk_reading import ChunkReader, Fragment  # noqa: E402
from xmlcep.auditing.spark.chunks import Chunk, ChunkKind, ChunkWriter, Mark, buckets_of, hash_of  # noqa: E402
from xmlcep.auditing.spark.ipc import from_ipc  # noqa: E402

from path_types import PathType  # noqa: E402
from xmlcep.log.columns.blocks import RecordTypes  # noqa: E402

ITEM, PRICE = PathType.parse("/order/item"), PathType.parse("/order/item/price")

Row = dict[str, Any]


def writer(levels: tuple[int, ...] = (0,), buckets: int = 4) -> tuple[ChunkWriter, RecordTypes]:
    """A writer for passes of these levels, and the types that its codes stand for."""
    types = RecordTypes(lambda op, path: True)
    return ChunkWriter(levels, buckets, types.by_number), types


def add(to: ChunkWriter, *rows: Row, ordered: bool = True) -> None:
    """Adds rows; ``pass`` and ``bucket`` are 0 and ``doc`` is a name, ``d`` if nothing else is said."""
    given = [{"pass": 0, "bucket": 0, "doc": "d", **row} for row in rows]
    columns: dict[str, list[Any]] = {
        name: [row.get(name) for row in given]
        for name in ("what", "mark", "ts", "ids", "value", "old", "pos", "at", "composite", "header")
        if any(name in row for row in given)
    }
    columns["doc"] = [to.code(row["doc"]) for row in given]
    passes, buckets = (np.array([row[name] for row in given], np.int64) for name in ("pass", "bucket"))
    to.add(passes, buckets, columns, ordered=ordered)


def record(types: RecordTypes, ts: int, **more: Any) -> Row:
    ids = more.pop("ids", (1, 2))
    op, path = more.pop("op", "ins"), PRICE if len(ids) == 3 else ITEM
    return {"mark": Mark.RECORD, "ts": ts, "what": types.of(op, path).number, "ids": list(ids), **more}


def read(chunks: list[Chunk], *, sort: bool = False) -> list[tuple[int, str, int, int]]:
    """All rows: pass, document, ts, mark."""
    reader = ChunkReader()
    return [
        (run.pass_index, run.doc, event[0], mark)
        for run in reader.runs([chunk.content for chunk in chunks], sort=sort)
        for mark, event, *_ in run.marked_rows()
    ]


def test_a_row_of_each_kind_comes_out_as_it_was() -> None:
    to, types = writer()
    add(
        to,
        {"mark": Mark.FRAGMENT, "ts": 0, "value": "<item/>", "ids": [2, 3], "old": "/order/item", "header": 7},
        {"mark": Mark.BOUNDARY, "ts": 4, "at": "noon"},
        {
            "mark": Mark.COMPOSITE, "ts": 5, "what": types.of("upd", PRICE).number, "ids": [1, 2, 3], "value": "a",
            "old": "b", "pos": None, "at": "one", "composite": b"{}",
        },
        record(types, 5, ids=(1, 2, 3), op="upd", value="a", old="b", at="one"),
        record(types, 6, value="", pos=-1),
        {"mark": Mark.FLUSH, "ts": 6, "at": None},
    )  # fmt: skip
    [chunk] = to.take(segment=9)
    assert chunk[:6] == (ChunkKind.ROWS, 0, 0, 9, 0, 0) and not chunk.is_interleaved
    reader = ChunkReader()
    [run] = reader.runs([chunk.content], sort=False)
    assert (run.pass_index, run.doc, run.plain) == (0, "d", False)
    unknown = ("d", None, None, False)
    update = (5, "upd", PRICE, (1, 2, 3), "a", "b", None, "one", *unknown)
    assert list(run.marked_rows()) == [
        (Mark.BOUNDARY, (4, None, None, (), None, None, None, "noon", *unknown), None, None),
        (Mark.COMPOSITE, update, b"{}", None),
        (Mark.RECORD, update, None, None),
        (Mark.RECORD, (6, "ins", ITEM, (1, 2), "", None, -1, None, *unknown), None, None),
        (Mark.FLUSH, (6, None, None, (), None, None, None, None, *unknown), None, None),
    ]
    assert list(run.fragments()) == [Fragment("<item/>", (2, 3), PathType.parse("/order/item"), 7)]


def test_plain_runs_are_read_as_records() -> None:
    to, types = writer()
    add(to, record(types, 1, value="x"), record(types, 2, ids=(1, 2, 3), at="t"), record(types, 3, op="del"))
    add(to, {"mark": Mark.FLUSH, "ts": 3, "doc": "e"})
    [chunk] = to.take(0)
    reader = ChunkReader()
    plain, marked = reader.runs([chunk.content], sort=False)
    assert plain.plain and not marked.plain
    rows = list(plain.rows())
    assert [row[:5] for row in rows] == [
        (1, "ins", ITEM, (1, 2), "x"), (2, "ins", PRICE, (1, 2, 3), None), (3, "del", ITEM, (1, 2), None)
    ]  # fmt: skip
    again, _ = reader.runs([chunk.content], sort=False)
    assert rows == [event for _, event, *_ in again.marked_rows()]


@pytest.mark.parametrize("read", [0, 1, 2])
def test_rows_of_a_run_that_are_not_read_are_left_out(read: int) -> None:
    """A document may be left out, and a replay may fail in the middle of a run."""
    to, types = writer()
    add(to, record(types, 1), record(types, 2), record(types, 3), {"mark": Mark.FLUSH, "ts": 3, "doc": "e"})
    [chunk] = to.take(0)
    first, second = ChunkReader().runs([chunk.content], sort=False)
    rows = list(islice(first.rows(), read))
    assert [row[0] for row in rows] == [1, 2, 3][:read] and first.table.position == read
    assert [(mark, row[0], row[8]) for mark, row, *_ in second.marked_rows()] == [(Mark.FLUSH, 3, "e")]


def test_columns_may_be_empty() -> None:
    """A column without any value does not travel; it is null again where it is read."""
    to, types = writer()
    add(to, record(types, 1))
    [chunk] = to.take(0)
    reader = ChunkReader()
    [run] = reader.runs([chunk.content], sort=False)
    assert set(from_ipc(chunk.content).column_names) == {"doc", "what", "pass", "mark", "ts", "ids"}
    assert list(run.rows()) == [(1, "ins", ITEM, (1, 2), *[None] * 4, "d", None, None, False)]


@pytest.mark.parametrize("sort", [False, True])
@pytest.mark.parametrize("large", [2**31 - 1, 2**31, -(2**31), -(2**31) - 1, 2**62])
def test_ids_of_any_size_come_out_as_they_were(large: int, sort: bool) -> None:
    """Small ones travel in half the bytes; chunks of both kinds are read together."""
    to, types = writer()
    chunks = []
    for ts, ids in ((1, (1, 2)), (2, (1, large)), (3, (1, 3))):
        add(to, record(types, ts, ids=ids))
        chunks += to.take(0)
    widths = [from_ipc(chunk.content)["ids"].type.value_type.bit_width for chunk in chunks]
    assert widths == [32, 32 if -(2**31) <= large < 2**31 else 64, 32]
    runs = ChunkReader().runs([chunk.content for chunk in chunks], sort=sort)
    assert [row[3] for run in runs for row in run.rows()] == [(1, 2), (1, large), (1, 3)]


def test_a_chunk_is_for_one_bucket_and_one_level() -> None:
    to, types = writer(levels=(0, 1, 0), buckets=2)
    for ts in (1, 2):
        for number in (2, 1, 0):
            add(to, *[record(types, ts) | {"pass": number, "bucket": bucket} for bucket in (1, 0)])
    chunks = list(to.take(5))
    assert [(chunk.level, chunk.target, chunk.segment, chunk.number) for chunk in chunks] == [
        (0, 0, 5, 0), (0, 1, 5, 1), (1, 0, 5, 2), (1, 1, 5, 3)
    ]  # fmt: skip
    both = [(0, "d", 1, 3), (0, "d", 2, 3), (2, "d", 1, 3), (2, "d", 2, 3)]
    above = [(1, "d", 1, 3), (1, "d", 2, 3)]
    assert [read([chunk]) for chunk in chunks] == [both, both, above, above]
    assert not list(to.take(5))


def test_chunks_of_a_segment_are_numbered_through() -> None:
    to, types = writer()
    numbers = []
    for _ in range(2):
        to.begin()
        for ts in (1, 2):
            add(to, record(types, ts), record(types, ts) | {"bucket": 3})
            numbers.append([chunk.number for chunk in to.take(0)])
    assert numbers == [[0, 1], [2, 3]] * 2


def test_rows_of_several_chunks_stand_between_each_other() -> None:
    """``sort=True``: by pass, document, ts, mark; rows in one place as they were given."""
    to, types = writer(levels=(0, 0))
    add(to, record(types, 1), record(types, 5), record(types, 9), record(types, 2) | {"doc": "e"})
    add(to, record(types, 5) | {"pass": 1})
    first = list(to.take(0))
    add(to, {"mark": Mark.FLUSH, "ts": 5}, {"mark": Mark.BOUNDARY, "ts": 5}, ordered=False)
    add(to, {"mark": Mark.COMPOSITE, "ts": 5, "composite": b"2", "ids": [1]}, ordered=False)
    add(to, {"mark": Mark.COMPOSITE, "ts": 5, "composite": b"1", "ids": [1]}, ordered=False)
    add(
        to,
        {"mark": Mark.FLUSH, "ts": 1, "doc": "e"},
        {"mark": Mark.FRAGMENT, "ts": 0, "pass": 1},
        ordered=False,
    )
    late = list(to.take(0, interleaved=True))
    assert late and all(chunk.is_interleaved for chunk in late)
    chunks = [*late, *first]
    assert read(chunks, sort=True) == [
        (0, "d", 1, Mark.RECORD),
        (0, "d", 5, Mark.BOUNDARY), (0, "d", 5, Mark.COMPOSITE), (0, "d", 5, Mark.COMPOSITE),
        (0, "d", 5, Mark.RECORD), (0, "d", 5, Mark.FLUSH), (0, "d", 9, Mark.RECORD),
        (0, "e", 1, Mark.FLUSH), (0, "e", 2, Mark.RECORD),
        (1, "d", 5, Mark.RECORD),
    ]  # fmt: skip
    reader = ChunkReader()
    contents = [chunk.content for chunk in chunks]
    composites = [c for s in reader.runs(contents, sort=True) for *_, c, _ in s.marked_rows() if c]
    assert composites == [b"2", b"1"]


def test_documents_of_several_chunks_are_not_mixed_up() -> None:
    """Each chunk has a dictionary of its own for the names of its documents and for operations and paths."""
    chunks = []
    for doc, ids in (("b", (1, 2)), ("a", (1, 2, 3)), ("b", (1, 2, 3))):
        to, types = writer()
        add(to, record(types, len(chunks) + 1, ids=ids) | {"doc": doc})
        chunks += to.take(0)
    assert sorted(read(chunks, sort=True)) == [(0, "a", 2, 3), (0, "b", 1, 3), (0, "b", 3, 3)]
    reader = ChunkReader()
    runs = reader.runs([chunk.content for chunk in chunks], sort=True)
    paths = {event[0]: event[2] for s in runs for _, event, *_ in s.marked_rows()}
    assert paths == {1: ITEM, 2: PRICE, 3: PRICE}


@given(
    st.lists(
        st.tuples(st.integers(0, 2), st.sampled_from(("a", "b", "")), st.integers(1, 6), st.integers(1, 4)),
        min_size=1,
    ),
    st.integers(1, 5),
)
def test_whatever_the_cuts_the_rows_are_the_same(rows: list[tuple[int, str, int, int]], size: int) -> None:
    to, types = writer(levels=(0, 0, 0), buckets=1)
    chunks: list[Chunk] = []
    for start in range(0, len(rows), size):
        for number, doc, ts, mark in rows[start : start + size]:
            row = record(types, ts) if mark == Mark.RECORD else {"ts": ts, "mark": mark}
            add(to, row | {"pass": number, "doc": doc}, ordered=False)
        chunks += to.take(0)
    assert Counter(read(chunks)) == Counter(rows)
    merged = read(chunks, sort=True)
    assert Counter(merged) == Counter(rows)
    together = [
        (place, [row[2:] for row in of_one]) for place, of_one in groupby(merged, lambda row: row[:2])
    ]
    assert len(together) == len(dict(together))
    assert all(of_one == sorted(of_one) for _, of_one in together)


# ---- buckets -----------------------------------------------------------------------------------------------


def test_names_are_hashed_alike_everywhere() -> None:
    assert [hash_of(doc) for doc in ("", "a", "Bestellung ä", "\udc80")] == [
        0, 3904355907, 4121755804, 1697699323
    ]  # fmt: skip


EXPECTED = [1, 3, 3, 5, 5, 1, 3, 3]


def test_buckets_are_the_same_on_every_machine() -> None:
    hashes = np.full(8, hash_of("order.xml"), np.uint64)
    keys = np.array([0, 1, 2, 3, -1, 2**40, 2**63 - 1, -(2**63)])
    assert buckets_of(hashes, keys, 7).tolist() == EXPECTED
    program = (
        "import numpy as np; from xmlcep.auditing.spark.chunks import buckets_of, hash_of;"
        "print(buckets_of(np.full(8, hash_of('order.xml'), np.uint64),"
        " [0, 1, 2, 3, -1, 2**40, 2**63 - 1, -2**63], 7).tolist())"
    )
    elsewhere = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONHASHSEED": "3"},
    )
    assert elsewhere.stdout.strip() == str(EXPECTED)


def test_one_hash_does_for_many_keys() -> None:
    keys = np.arange(100)
    many = buckets_of(np.full(100, hash_of("a"), np.uint64), keys, 16)
    assert buckets_of(hash_of("a"), keys, 16).tolist() == many.tolist()
    assert buckets_of(hash_of("b"), keys, 16).tolist() != many.tolist()


@pytest.mark.parametrize("step", [1, 2, 10, 1024, 2**32])
@pytest.mark.parametrize("buckets", [2, 7, 64, 200])
def test_keys_are_spread_evenly(step: int, buckets: int) -> None:
    """Ids that ascend, whatever the step, as the nodes of a document do: no bucket gets twice its share."""
    keys = np.arange(buckets * 100) * step
    counts = np.bincount(buckets_of(hash_of("doc"), keys, buckets), minlength=buckets)
    assert counts.min() > 30 and counts.max() < 200


def test_the_documents_of_a_log_are_spread_evenly() -> None:
    """All keys of passes by document are 0."""
    hashes = np.array([hash_of(f"order-{number}.xml") for number in range(6400)], np.uint64)
    counts = np.bincount(buckets_of(hashes, np.zeros(6400, np.int64), 64), minlength=64)
    assert counts.min() > 50 and counts.max() < 160
