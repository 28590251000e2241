"""Blocks tell what is in them, with rows of the wanted events only, or give up on anything irregular."""

from __future__ import annotations

import json
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from path_types import PathType
from xmlcep.log import BadRecord, Batch, ClockCheck, Header
from xmlcep.log.columns import arrow
from xmlcep.log.columns.arrow import ArrowBlock
from xmlcep.log.columns.blocks import Block, RecordTypes, Run, Span
from xmlcep.log.decoding import RowDecoder
from xmlcep.log.json_codec import FASTEST
from xmlcep.log.jsonlines import JsonLinesReader
from xmlcep.log.parquet import ParquetReader, arrow_schema

Record = dict[str, Any]


def record(ts: int, path: str, ids: list[int], **fields: object) -> Record:
    nothing = dict.fromkeys(("value", "old", "pos", "at", "txn", "meta"))
    return {"doc": "a", "ts": ts, "op": "ins", "path": path, "ids": ids, **nothing, **fields}


GOOD = [
    record(1, "/a", [1], pos=0),
    record(2, "/a/b", [1, 2], at="noon", txn=7, meta={"user": "x"}),
    record(1, "/a/@c", [9, 8], value="x", doc="b"),
    record(5, "/a/b", [1, 4], op="del"),
    record(6, "/a/b/text()", [1, 4, 5], op="upd", value="new", old="old"),
    record(3, "/a/b", [9, 7], doc="b"),
]


def first_block(folder: Path, kind: str, records: list[Record]) -> Block:
    """The first block of a log of these records."""
    path = folder / f"log.{kind}"
    bad: list[BadRecord] = []
    decoder = RowDecoder(ClockCheck.ANY)
    if kind == "jsonl":
        stream = BytesIO(b"".join(FASTEST.dumps(each) + b"\n" for each in records))
        return next(JsonLinesReader(str(path), decoder, FASTEST, bad.append).blocks(stream, 100))
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet

    for each in records:
        each["meta"] = each["meta"] and list(each["meta"].items())
    pyarrow.parquet.write_table(pa.Table.from_pylist(records, arrow_schema()), path)
    block = next(ParquetReader(str(path), decoder, bad.append).blocks(100))
    assert not isinstance(block, tuple)
    return block


def runs_of(folder: Path, records: list[Record]) -> list[Run] | None:
    block = first_block(folder, "parquet", [dict(each) for each in records])
    wanted = PathType.parse("/a/b")
    runs = block.runs(RecordTypes(lambda op, path: op == "ins" and path is wanted))
    return None if runs is None else [run._replace(rows=list(run.rows)) for run in runs]


def test_only_wanted_records_become_rows(tmp_path: Path) -> None:
    path = PathType.parse("/a/b")
    runs = runs_of(tmp_path, GOOD)
    assert runs is not None
    assert [(run.span, run.rows) for run in runs] == [
        (
            Span("a", 1, 6, 4),
            [(2, "ins", path, (1, 2), None, None, None, "noon", "a", 7, {"user": "x"}, False)],
        ),
        (Span("b", 1, 3, 2), [(3, "ins", path, (9, 7), None, None, None, None, "b", None, None, False)]),
    ]
    assert runs_of(tmp_path, GOOD[2:3]) == [Run(Span("b", 1, 1, 1), [], [])]


METAS: list[dict[str, str] | None] = [
    {"user": "x"}, None, {"user": "x"}, {"user": "x", "why": "y"}, {"why": "y", "user": "x"}, {}, {"": ""},
    {"user": "x"}, {"user": "x\x1ewhy\x1fy"}, {"user": "x", "why": "y"},
]  # fmt: skip


@pytest.mark.parametrize("metas", [METAS, METAS[:8], METAS[1:2], METAS[:1] * 3, METAS[1:3]])
def test_metas_are_told_apart_to_the_order_of_their_pairs(
    tmp_path: Path, metas: list[dict[str, str] | None]
) -> None:
    pytest.importorskip("pyarrow")
    records = [record(ts, "/a/b", [1, ts], meta=meta) for ts, meta in enumerate(metas, start=1)]
    block = first_block(tmp_path, "parquet", [dict(each) for each in records])
    types = RecordTypes(lambda op, path: True)
    runs = block.runs(types)
    assert runs is not None
    expected = [json.dumps(meta) for meta in metas]
    assert [json.dumps(row[10]) for row in runs[0].rows] == expected
    (batch,) = first_block(tmp_path, "parquet", [dict(each) for each in records]).items()
    assert isinstance(batch, Batch)
    assert [json.dumps(row[10]) for row in batch.rows] == expected


@pytest.mark.parametrize("wanted", ["b", "bc"])
@pytest.mark.parametrize("given", [[], [2], [1, 2, 4], [5]])
def test_where_an_edit_goes_on(tmp_path: Path, wanted: str, given: list[int]) -> None:
    """U1: more is true or absent; false and null are taken for absent."""
    pytest.importorskip("pyarrow")
    records = [record(ts, f"/a/{'bc'[ts % 2]}", [1, ts]) for ts in range(1, 7)]
    for each in records:
        if each["ts"] in given:
            each["more"] = True
        elif each["ts"] in (3, 6):
            each["more"] = False
    block = first_block(tmp_path, "parquet", [dict(each) for each in records])
    types = RecordTypes(lambda op, path: path.last.test in wanted)
    runs = block.runs(types)
    assert runs is not None
    chosen = [each["ts"] for each in records if "bc"[each["ts"] % 2] in wanted]
    assert [(row[0], row[11]) for row in runs[0].rows] == [(ts, ts in given) for ts in chosen]
    (batch,) = first_block(tmp_path, "parquet", [dict(each) for each in records]).items()
    assert isinstance(batch, Batch)
    assert [row[11] for row in batch.rows] == [ts in given for ts in range(1, 7)]


@pytest.mark.parametrize("docs", ["a", "b", "aab", "ba", "abc"])
def test_wanted_records_are_counted_by_kind(tmp_path: Path, docs: str) -> None:
    steps = ["b", "c", "b", "d", "c", "b", "c", "b", "b"]
    records = [
        record(ts, f"/a/{step}", [1, ts], op=("ins", "del")[ts % 2], doc=docs[ts % len(docs)])
        for ts, step in enumerate(steps, start=1)
    ]
    block = first_block(tmp_path, "parquet", records)
    runs = block.runs(RecordTypes(lambda op, path: op == "ins" or str(path) == "/a/b"))
    assert runs is not None and [run.span.doc for run in runs] == list(dict.fromkeys(docs[1:] + docs))
    for each in runs:
        expected: dict[tuple[str, PathType], int] = {}
        for row in each.rows:
            expected[row[1], row[2]] = expected.get((row[1], row[2]), 0) + 1
        counted = [((kind.op, kind.path), count) for kind, count in each.counts]
        assert dict(counted) == expected and [of for of, _ in counted] == list(expected)


@pytest.mark.parametrize(
    "change",
    [
        {"ts": 0}, {"ts": 1}, {"ts": None}, {"op": "move"}, {"op": None}, {"path": "a/b"}, {"path": "/a//b"},
        {"path": None}, {"ids": [1]}, {"ids": [1, 2, 3]}, {"ids": [1, None]}, {"ids": None}, {"doc": None},
        {"meta": {"a": None}},
    ],
)  # fmt: skip
def test_irregular_blocks_are_left_to_the_row_by_row_way(tmp_path: Path, change: Record) -> None:
    records = [*GOOD[:3], {**GOOD[3], **change}, *GOOD[4:]]
    assert runs_of(tmp_path, GOOD) is not None
    assert runs_of(tmp_path, records) is None


@pytest.mark.parametrize("change", [{"ts": 0}, {"ids": [None]}, {"path": "/a/b", "ids": [1, 2, 3]}])
def test_the_first_record_is_checked_too(tmp_path: Path, change: Record) -> None:
    assert runs_of(tmp_path, [{**GOOD[0], **change}, *GOOD[1:]]) is None


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_items_are_all_records(tmp_path: Path, kind: str) -> None:
    block = first_block(tmp_path, kind, [dict(each) for each in GOOD])
    (batch,) = block.items()
    assert isinstance(batch, Batch)
    assert [row[0] for row in batch.rows] == [1, 2, 1, 5, 6, 3]
    assert batch.rows[1][10] == {"user": "x"} and batch.rows[0][6] == 0


def test_a_parquet_log_may_be_sifted_in_pieces_of_any_kind(tmp_path: Path) -> None:
    """Slices, dictionaries that hold values of other pieces, missing columns."""
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet

    schema = pa.schema(
        [field for field in arrow_schema() if field.name not in ("doc", "at", "txn", "meta", "pos")]
    )
    records = [record(ts, f"/a/{'b' if ts % 3 else 'c'}", [1, ts]) for ts in range(1, 101)]
    path = tmp_path / "log.parquet"
    header = {"xmlcep": json.dumps(Header("h").to_record())}
    table = pa.Table.from_pylist(records, schema.with_metadata(header))
    pyarrow.parquet.write_table(table, path, row_group_size=30)
    reader = ParquetReader(str(path), RowDecoder(ClockCheck.ANY), lambda bad: None)
    wanted = PathType.parse("/a/b")
    types = RecordTypes(lambda op, path: path is wanted)
    blocks = (block for block in reader.blocks(7) if isinstance(block, ArrowBlock))
    found = [each for block in blocks for each in block.runs(types) or ()]
    assert sum(each.span.records for each in found) == 100
    rows = [row for each in found for row in each.rows]
    assert [row[0] for row in rows] == [ts for ts in range(1, 101) if ts % 3]
    assert {row[8] for row in rows} == {each.span.doc for each in found} == {"h"}
    pyarrow.parquet.write_table(table.replace_schema_metadata(None), path)
    (block,) = ParquetReader(str(path), RowDecoder(ClockCheck.ANY), lambda bad: None).blocks(100)
    assert isinstance(block, ArrowBlock) and block.runs(types) is None


@pytest.mark.parametrize("type_", ["int64", "uint64", "int32"])
@pytest.mark.parametrize("txns", [range(1, 21), [None, *range(2, 21)]])
def test_rows_hold_plain_numbers_of_any_column_and_slice(type_: str, txns: Sequence[int | None]) -> None:
    pa = pytest.importorskip("pyarrow")
    records = [record(ts, "/a/b", [1, 2**40 + ts], txn=txn) for ts, txn in enumerate(txns, 1)]
    schema = arrow_schema()
    schema = schema.set(schema.get_field_index("txn"), pa.field("txn", getattr(pa, type_)()))
    batch = pa.RecordBatch.from_pylist(records, schema)
    for start in range(0, 20, 3):
        piece = batch.slice(start, 3)
        block = ArrowBlock(piece, lambda: iter(()), lambda number, reason: pytest.fail(reason))
        (run,) = block.runs(RecordTypes(lambda op, path: True)) or ()
        rows = [(row[0], row[3], row[9]) for row in run.rows]
        assert rows == [(each["ts"], tuple(each["ids"]), each["txn"]) for each in records[start : start + 3]]
        assert {type(number) for ts, ids, _ in rows for number in (ts, *ids)} == {int}


@pytest.mark.parametrize("wrong", [{"op": "move"}, {"path": "/a/"}, {"path": "a/b"}])
def test_a_block_is_judged_by_its_records_not_by_what_its_dictionaries_hold(wrong: Record) -> None:
    """The records of a row group share dictionaries, whichever block they are in; types are known from block to
    block."""
    pa = pytest.importorskip("pyarrow")
    records = [record(ts, f"/a/{'bc'[ts % 2]}", [1, ts]) for ts in range(1, 5)]
    table = pa.Table.from_pylist([*records, records[-1] | {"ts": 5} | wrong], arrow_schema())
    for name in ("op", "path"):
        place = table.schema.get_field_index(name)
        table = table.set_column(place, name, table.column(name).dictionary_encode())
    (batch,) = table.to_batches()

    def runs(start: int, count: int, types: RecordTypes) -> list[list[Any]] | None:
        def nothing(*_: object) -> Any:
            raise AssertionError("nobody asks for single records")

        found = ArrowBlock(batch.slice(start, count), nothing, nothing).runs(types)
        return None if found is None else [list(run.rows) for run in found]

    types = RecordTypes(lambda op, path: True)
    for start, count in ((2, 3), (0, 4), (4, 1), (2, 2), (0, 5)):
        found = runs(start, count, types)
        assert (found is None) == (start + count == 5)
        if found is not None:
            assert [(row[0], str(row[2])) for row in found[0]] == [
                (each["ts"], each["path"]) for each in records[start : start + count]
            ]
    assert len(types.by_number) == 2


@pytest.mark.parametrize(("few", "sizes"), [(1, [2, 1, 2, 1]), (3, [2, 1, 2, 1]), (4, [6])])
def test_clock_records_are_blocks_of_their_own_where_they_are_few(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, few: int, sizes: list[int]
) -> None:
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet

    monkeypatch.setattr(arrow, "_FEW", few)
    first, second, third, fourth = (record(ts, "/a/b", [1, ts]) for ts in range(1, 5))
    shown = {"doc": "a", "clock": True, "at": "2026-01-01T00:00:00Z"}
    records = [first, second, shown | {"ts": 2}, third, fourth, shown | {"ts": 4}]
    path = tmp_path / "log.parquet"
    pyarrow.parquet.write_table(pa.Table.from_pylist(records, arrow_schema()), path)
    blocks = list(ParquetReader(str(path), RowDecoder(ClockCheck.ANY), pytest.fail).blocks(100))
    assert [block.records for block in blocks if isinstance(block, ArrowBlock)] == sizes
    types = RecordTypes(lambda op, path: True)
    runs = [block.runs(types) for block in blocks if isinstance(block, ArrowBlock)]
    assert [each is not None for each in runs] == [size == 2 for size in sizes]
    items = [item for block in blocks if isinstance(block, ArrowBlock) for item in block.items()]
    numbers = [list(item.numbers) if isinstance(item, Batch) else item[0] for item in items]
    assert numbers == [[1, 2], 3, [4, 5], 6]
