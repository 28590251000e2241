"""Splits of files: what they hold together is what the file holds, in blocks or record by record."""

from __future__ import annotations

import gzip
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.auditing.test_agreement import ORDER_RULES, orders
from tests.auditing.test_partitioning import both_ways
from xmlcep.auditing.inputs import FilePart, find_files, whole
from xmlcep.auditing.splits import PartReader
from xmlcep.log import BadRecord, Batch, ClockCheck, Origin, parquet
from xmlcep.log.columns.blocks import RecordTypes
from xmlcep.log.decoding import RowDecoder

Record = dict[str, Any]

HEADER = json.dumps({"xmlcep": 1, "doc": "h", "snapshot": None, "ids": [], "ts": 0}).encode()
CONTROL = b'{"xmlcep": 1, "control": "flush"}'
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Found(NamedTuple):
    """All that readers hand out: records and headers with their numbers, bad records, how many lines there are."""

    items: list[tuple[int, Any]]
    bad: list[BadRecord]
    lines: int


def record(ts: int, **more: object) -> Record:
    nothing = dict.fromkeys(("value", "old", "pos", "at", "txn", "meta"))
    return {"doc": "a", "ts": ts, "op": "ins", "path": "/a/b", "ids": [1, ts], **nothing, **more}


def in_parts(parts: Sequence[FilePart], size: int | None, *, by_block: bool) -> Found:
    """What parts of one file hold, numbered as in the file."""
    items: list[tuple[int, Any]] = []
    bad: list[BadRecord] = []
    before = 0
    for part in parts:
        bad_here: list[BadRecord] = []
        reader = PartReader(
            part,
            RowDecoder(ClockCheck.ANY),
            bad_here.append,
            batch_size=size if size and not by_block else 8192,
        )
        for block in reader.blocks(size) if by_block else reader.read():
            for item in [block] if isinstance(block, tuple) else block.items():
                if isinstance(item, Batch):
                    assert item.file == part.file.path and len(item.rows) == len(item.numbers) <= (
                        size or 99_999
                    )
                    items += [(before + n, row) for n, row in zip(item.numbers, item.rows, strict=True)]
                else:
                    items.append((before + item[0], item[1]))
        for each in bad_here:
            bad.append(each._replace(origin=Origin(each.origin.file, before + each.origin.record)))
        before += reader.lines
        assert reader.position == 0
    return Found(items, bad, before)


def plain_lines() -> st.SearchStrategy[bytes]:
    """Lines of all types a log may have."""
    good = st.integers(1, 999).map(lambda ts: json.dumps(record(ts)).encode())
    nameless = st.integers(1, 999).map(lambda ts: json.dumps(record(ts, doc=None, value="é€")).encode())
    odd = st.sampled_from([HEADER, CONTROL, b"", b"  ", b"\xff", b"[1]", b'{"ts": 1', b'{"doc":"a","ts":0}'])
    marked = good.map(BYTE_ORDER_MARK.__add__)  # good only where the file begins
    return st.one_of(good, nameless, odd, marked)


@example([HEADER, b""], [b"\n"], BYTE_ORDER_MARK, b"", 1, 1)
@example([json.dumps(record(1)).encode()], [b"\n"], BYTE_ORDER_MARK, b"", 2, 1)
@given(
    st.lists(plain_lines(), min_size=1, max_size=12),
    st.lists(st.sampled_from([b"\n", b"\r\n"]), min_size=1, max_size=3),
    st.sampled_from([b"", b"", BYTE_ORDER_MARK]),
    st.sampled_from([b"", b'{"doc', json.dumps(record(7)).encode()]),
    st.integers(1, 700),
    st.integers(1, 5),
)
def test_parts_of_lines(
    lines: list[bytes], ends: list[bytes], start: bytes, rest: bytes, split_bytes: int, size: int
) -> None:
    content = b"".join(line + ends[number % len(ends)] for number, line in enumerate(lines))
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log.jsonl"
        log.write_bytes(start + content + rest)
        if b"{" not in content + rest:
            return
        (file,) = find_files(log).files
        expected = in_parts([whole(file)], None, by_block=False)
        assert expected.lines == len(lines) + bool(rest)
        for each in expected.bad:
            assert log.read_bytes()[each.offset :].startswith(each.raw)
        cuts = range(0, file.size, split_bytes)
        cut = [FilePart(file, start, min(start + split_bytes, file.size)) for n, start in enumerate(cuts)]
        for parts in (cut, [whole(file)]):
            assert in_parts(parts, size, by_block=True) == expected
            assert in_parts(parts, size, by_block=False) == expected
        assert in_parts(cut, None, by_block=True) == expected


def test_how_far_a_file_was_read(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_bytes(b"".join(json.dumps(record(ts)).encode() + b"\n" for ts in range(1, 3001)))
    reader = PartReader(whole(find_files(log).files[0]), RowDecoder(ClockCheck.ANY), lambda bad: None)
    positions = [reader.position for _ in reader.blocks()]
    assert positions == sorted(set(positions)) and positions[-1] == log.stat().st_size


def write_parquet(
    path: Path, records: list[Record], group: int, header: bytes | None = None, **how: Any
) -> Path:
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    schema = parquet.arrow_schema().with_metadata(None if header is None else {"xmlcep": header})
    pq.write_table(pa.Table.from_pylist(records, schema), path, row_group_size=group, **how)
    return path


def damage(path: Path, group: int, column: str, *, at_end: bool) -> None:
    """Overwrites the begin or the end of a column in a row group."""
    import pyarrow.parquet as pq

    about = pq.read_metadata(path)
    index = next(i for i in range(about.num_columns) if about.schema.column(i).path == column)
    chunk = about.row_group(group).column(index)
    content = bytearray(path.read_bytes())
    begin = chunk.data_page_offset
    if at_end:
        begin += chunk.total_compressed_size - 40
    content[begin : begin + 40] = b"\xff" * 40
    path.write_bytes(content)


FAULTS: list[Record] = [
    {}, {}, {}, {"op": "gone"}, {"ids": [1]}, {"ts": 0}, {"ts": None}, {"doc": None}, {"path": None},
]  # fmt: skip


@given(st.lists(st.sampled_from(FAULTS), max_size=40), st.data())
def test_row_groups_in_blocks(faults: list[Record], data: st.DataObject) -> None:
    pytest.importorskip("pyarrow")
    records = [record(ts) | fault for ts, fault in enumerate(faults, 1)]
    header = data.draw(st.sampled_from([None, HEADER, b"{"]))
    group = data.draw(st.integers(1, 20))
    groups = -(-len(records) // group)
    with tempfile.TemporaryDirectory() as folder, mock.patch.object(parquet, "DECODED", 6):
        # Without dictionaries and packing every two records are a page, so that damage hits some of a group.
        log = write_parquet(
            Path(folder) / "log.parquet", records, group, header,
            use_dictionary=False, compression="none", data_page_size=1, write_batch_size=2,
        )  # fmt: skip
        for number in data.draw(st.sets(st.integers(0, groups - 1), max_size=2)) if groups else ():
            damage(log, number, data.draw(st.sampled_from(("ts", "path"))), at_end=data.draw(st.booleans()))
        (file,) = find_files(log).files
        expected = in_parts([whole(file)], None, by_block=False)
        assert expected.lines == len(records)
        size = data.draw(st.integers(1, 50))
        assert in_parts([whole(file)], size, by_block=True) == expected
        assert in_parts([whole(file)], size, by_block=False) == expected


@pytest.mark.parametrize("at_end", [False, True])
def test_a_damaged_row_group_is_one_bad_record(tmp_path: Path, at_end: bool) -> None:
    records = [record(ts) for ts in range(1, 201)]
    log = write_parquet(
        tmp_path / "log.parquet", records, 50,
        use_dictionary=False, compression="none", data_page_size=1, write_batch_size=2,
    )  # fmt: skip
    damage(log, 2, "ts", at_end=at_end)
    (file,) = find_files(log).files
    for size in (1, 7, 1000):
        with mock.patch.object(parquet, "DECODED", 20):
            found = in_parts([whole(file)], size, by_block=True)
        (bad,) = found.bad
        first = 141 if at_end else 101
        assert [number for number, _ in found.items] == [*range(1, first), *range(151, 201)]
        assert bad.origin == Origin(str(log), first) and bad.offset is None
        since = " from record 141 on" if at_end else ""
        assert bad.reason.startswith(f"row group 3 of 4 (records 101 to 150) is damaged{since}: ")
        assert found.lines == 200


def test_text_that_is_not_utf8_is_damage(tmp_path: Path) -> None:
    """Also where no rule wants the record, so that nobody looks at its text."""
    log = write_parquet(
        tmp_path / "log.parquet", [record(ts, value="quite good") for ts in range(1, 21)], 10,
        use_dictionary=False, compression="none",
    )  # fmt: skip
    content = log.read_bytes()
    place = content.rindex(b"quite good", 0, content.index(b"quite good", len(content) // 2))
    log.write_bytes(content[:place] + b"\xff" + content[place + 1 :])
    bad: list[BadRecord] = []
    blocks = PartReader(whole(find_files(log).files[0]), RowDecoder(ClockCheck.ANY), bad.append).blocks()
    types = RecordTypes(lambda op, path: False)
    found = [block.runs(types) for block in blocks if not isinstance(block, tuple)]
    assert [run.span.records for runs in found for run in runs or ()] == [10]
    assert len(bad) == 1 and "UTF8" in bad[0].reason


def test_columns_of_other_things_do_not_count(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    log = write_parquet(tmp_path / "log.parquet", [record(ts) for ts in range(1, 101)], 10)
    before = parquet.row_groups(str(log))
    table = pq.read_table(log)
    wide = table.append_column("notes", pa.array([f"{number:01000}" for number in range(100)]))
    pq.write_table(wide, log, row_group_size=10, use_dictionary=["op"])
    pq.write_table(table, tmp_path / "lean.parquet", row_group_size=10, use_dictionary=["op"])
    assert parquet.row_groups(str(log)) == parquet.row_groups(str(tmp_path / "lean.parquet"))
    assert [group.records for group in before] == [10] * 10


@pytest.mark.parametrize("split_bytes", [1, 3000, 10**7])
def test_the_audit_of_many_files_of_all_kinds(tmp_path: Path, split_bytes: int) -> None:
    """Quarantine by file and number, headers with their documents, records of a document in several files."""
    folder = tmp_path / "logs"
    folder.mkdir()
    for number in range(12):
        records = orders(f"doc{number % 5}", 30)[number * 2 : number * 2 + 7]
        records[3] |= {"op": "gone"} if number % 3 == 0 else {}
        lines = [json.dumps(each).encode() for each in records]
        if number % 4 == 1:
            lines.insert(0, HEADER)
            lines += [json.dumps(each | {"doc": None, "ts": 99 + number}).encode() for each in records[:1]]
        if number % 4 == 2:
            write_parquet(folder / f"{number:02}.parquet", records, 3, HEADER)
        elif number % 4 == 3:
            (folder / f"{number:02}.jsonl.gz").write_bytes(gzip.compress(b"\n".join(lines)))
        else:
            (folder / f"{number:02}.jsonl").write_bytes(b"\n".join(lines))
    local, distributed = both_ways([folder], ORDER_RULES, split_bytes=split_bytes, batch=20, operators=True)
    assert distributed == local
    _, bad, _ = local
    assert [(place, number) for place, number, _ in bad if place % 3 == 0][:2] == [(0, 4), (3, 4)]


@pytest.mark.parametrize("at_end", [False, True])
def test_the_audit_of_row_groups_is_that_of_the_file(tmp_path: Path, at_end: bool) -> None:
    """Findings, documents and quarantine, its numbers included, with bad records and a damaged row group."""
    records = orders("h", 100)
    records[20] |= {"op": "gone"}
    records[70] |= {"ids": [1]}
    records.insert(90, records[89])
    nameless = [each | {"doc": None} for each in records]
    log = write_parquet(
        tmp_path / "log.parquet", nameless, 12, HEADER,
        use_dictionary=False, compression="none", data_page_size=1, write_batch_size=2,
    )  # fmt: skip
    damage(log, 4, "ts", at_end=at_end)
    with mock.patch.object(parquet, "DECODED", 6):
        local, distributed = both_ways([log], ORDER_RULES, split_bytes=1, batch=1000, operators=False)
    assert distributed == local
    lines, bad, _ = local
    assert len(lines) > 20
    assert [number for _, number, _ in bad] == [21, 55 if at_end else 49, 71, 91]
