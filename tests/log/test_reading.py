"""Logs in every format are read as they were written; both JSON readers give the same."""

from __future__ import annotations

import gzip
import io
import random
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from path_types import PathType
from tests.log.helpers import lines_of, read, some_events, write_lines
from xmlcep.errors import MissingExtraError
from xmlcep.events import PrimitiveEvent
from xmlcep.log.decoding import RowDecoder
from xmlcep.log.json_codec import FASTEST, STANDARD
from xmlcep.log.jsonlines import JsonLinesReader
from xmlcep.log.parquet import ParquetWriter
from xmlcep.log.reading import read_columns, read_log
from xmlcep.log.records import Header

HEADER = Header("d", "<a>t</a>", (7, 9), 3, commits=True)


def test_json_lines_round_trip(tmp_path: Path) -> None:
    events = some_events(1, 500)
    assert read(write_lines(tmp_path / "log.jsonl", events, HEADER)) == ([HEADER, *events], [])


@pytest.mark.parametrize("packing", ["gz", "zst"])
def test_packed_logs(tmp_path: Path, packing: str) -> None:
    events = some_events(2, 300)
    plain = write_lines(tmp_path / "log.jsonl", events, HEADER)
    packed = tmp_path / f"log.jsonl.{packing}"
    if packing == "gz":
        packed.write_bytes(gzip.compress(plain.read_bytes()))
    else:
        pyarrow = pytest.importorskip("pyarrow")
        with pyarrow.CompressedOutputStream(str(packed), "zstd") as stream:
            stream.write(plain.read_bytes())
    assert read(packed) == ([HEADER, *events], [])


def test_parquet_round_trip(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    events = some_events(3, 500)
    with ParquetWriter(tmp_path / "log.parquet", HEADER, group_size=120) as writer:
        writer.write_all(events)
    assert read(tmp_path / "log.parquet") == ([HEADER, *events], [])


def test_a_snapshot_stands_in_a_parquet_file_once(tmp_path: Path) -> None:
    """As metadata of the file, not of its schema, of which Arrow keeps a copy; logs that have both are read as ever."""
    pyarrow = pytest.importorskip("pyarrow")
    text = "".join(random.Random(1).choices("abcdefghij", k=200_000))
    header = Header("d", f"<a>{text}</a>", (1, 2))
    path = tmp_path / "log.parquet"
    with ParquetWriter(path, header) as writer:
        writer.write_all(some_events(3, 5))
    assert path.read_bytes().count(text[:1000].encode()) == 1
    assert path.stat().st_size < 1.1 * len(text)
    assert read(path)[0][0] == header
    table = pyarrow.parquet.read_table(path)
    about = pyarrow.parquet.read_metadata(path).metadata
    both = table.replace_schema_metadata({b"xmlcep": about[b"xmlcep"]})
    pyarrow.parquet.write_table(both, tmp_path / "old.parquet")
    assert read(tmp_path / "old.parquet") == read(path)


def test_several_files_are_one_log(tmp_path: Path) -> None:
    events = some_events(4, 100)
    files = [write_lines(tmp_path / "1", events[:40], HEADER), write_lines(tmp_path / "2", events[40:])]
    assert list(read_log(files)) == [HEADER, *events]


def test_the_origin_goes_with_every_item(tmp_path: Path) -> None:
    events = some_events(5, 10)
    lines = lines_of(events, HEADER)
    lines[3:3] = [b"\n", b"rubbish\n"]
    path = tmp_path / "log.jsonl"
    path.write_bytes(b"".join(lines))
    reader = read_log(path, on_bad=lambda bad: None)
    assert [reader.origin.record for _ in reader] == [1, 2, 3, *range(6, len(lines) + 1)]


def test_batches_are_plain_tuples_in_the_order_of_the_fields(tmp_path: Path) -> None:
    events = some_events(6, 50)
    path = write_lines(tmp_path / "log.jsonl", events, HEADER)
    items = list(read_columns(path))
    assert items[0] == HEADER
    batches = [item for item in items if not isinstance(item, Header)]
    assert [row for batch in batches for row in batch.rows] == [tuple(event) for event in events]
    assert [number for batch in batches for number in batch.numbers] == list(range(2, len(events) + 2))
    assert all(type(row) is tuple and isinstance(row[2], PathType) for row in batches[0].rows)


def test_a_record_may_leave_out_what_is_null(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"ts":1,"op":"ins","path":"/a","ids":[1],"doc":"","another":{"x":1}}')
    assert read(path) == ([PrimitiveEvent(1, "ins", PathType.parse("/a"), (1,))], [])


def test_a_parquet_log_may_leave_out_columns_that_are_null(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    table = pa.table(
        {
            "ts": [1, 2], "op": ["ins", "ins"], "path": ["/a", "/a/b"], "ids": [[1], [1, 2]],
            "value": pa.nulls(2), "old": pa.nulls(2), "meta": [None, '{"user":"ann"}'], "another": [1, 2],
        }
    )  # fmt: skip
    header = {"xmlcep": '{"xmlcep": 1, "doc": "h", "snapshot": null, "ids": []}'}
    pa.parquet.write_table(table.replace_schema_metadata(header), tmp_path / "log.parquet")
    events, bad = read(tmp_path / "log.parquet")
    assert bad == [] and {event.doc for event in events} == {"h"}
    assert [event.meta for event in events if isinstance(event, PrimitiveEvent)] == [None, {"user": "ann"}]


def test_pyarrow_missing_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "log.parquet").write_bytes(b"PAR1")
    (tmp_path / "log.jsonl.zst").write_bytes(b"\x28\xb5\x2f\xfd")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for name in ("log.parquet", "log.jsonl.zst"):
        with pytest.raises(MissingExtraError, match=r"xmlcep\[arrow\]"):
            list(read_log(tmp_path / name))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inside: st.lists(inside) | st.dictionaries(st.text(), inside),
    max_leaves=8,
)


@given(JSON)
def test_both_codecs_write_the_same_bytes_and_read_the_same_values(value: object) -> None:
    data = STANDARD.dumps(value)
    assert STANDARD.loads(data) == FASTEST.loads(data)
    try:
        fast = FASTEST.dumps(value)
    except TypeError:  # whole numbers beyond 64 bits
        return
    assert FASTEST.loads(fast) == STANDARD.loads(fast)


@given(st.dictionaries(st.text(), st.none() | st.integers(-(2**63), 2**63 - 1) | st.text()))
def test_both_codecs_write_the_same_canonical_json(record: dict[str, object]) -> None:
    assert FASTEST.canonical(record) == STANDARD.canonical(record)


@given(
    st.binary(max_size=40)
    | JSON.map(STANDARD.dumps).flatmap(lambda b: st.sampled_from([b, b[:-1], b + b"]"]))
)
def test_both_codecs_refuse_the_same(data: bytes) -> None:
    results = []
    for codec in (STANDARD, FASTEST):
        try:
            results.append(repr(codec.loads(data)))
        except ValueError:
            results.append("refused")
    assert results[0] == results[1]


RECORD = {"doc": "d", "ts": 5, "op": "ins", "path": "/a/@b", "ids": [1, 2], "value": "v"}


@given(
    st.fixed_dictionaries(
        {}, optional=dict.fromkeys([*RECORD, "old", "pos", "at", "txn", "meta", "xmlcep"], JSON)
    )
)
def test_both_readers_agree_on_any_record(changes: dict[str, object]) -> None:
    results = []
    line = STANDARD.dumps({**RECORD, **changes}) + b"\n"
    for codec in (STANDARD, FASTEST):
        found: list[object] = []
        reader = JsonLinesReader("log", RowDecoder(), codec, found.append)
        try:
            for block in reader.blocks(io.BytesIO(line), 10):
                found += block.items()
        except ValueError as error:
            found.append(str(error))
        results.append(repr(found))
    assert results[0] == results[1]
