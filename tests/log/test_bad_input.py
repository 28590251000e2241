"""Bad input: every good record is read, every bad one named, nothing crashes."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.log.helpers import lines_of, read, some_events, write_lines
from xmlcep import parse_rules
from xmlcep.auditing import audit
from xmlcep.events import PrimitiveEvent
from xmlcep.log import (
    Batch,
    ClockCheck,
    Header,
    LogError,
    NewerFormatError,
    Quarantine,
    read_columns,
    read_log,
    reading,
)
from xmlcep.log.json_codec import FASTEST, STANDARD, JsonCodec
from xmlcep.log.parquet import ParquetWriter, arrow_schema

GOOD = {"doc": "d", "ts": 5, "op": "ins", "path": "/a/@b", "ids": [1, 2], "value": "v"}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"ts": 0}, "ts is 0: expected a whole number from 1 on"),
        ({"ts": "1"}, "ts is '1'"),
        ({"ts": True}, "ts is True"),
        ({"ts": 1.0}, "ts is 1.0"),
        ({"ts": 2**63}, "beyond 64 bits"),
        ({"op": "move"}, "op is 'move': expected 'ins', 'upd' or 'del'"),
        ({"op": ["ins"]}, "op is ['ins']"),
        ({"path": None}, "path is None"),
        ({"path": "a/@b"}, "expected an absolute path"),
        ({"path": "/a//b"}, "an empty step"),
        ({"path": "/p:a/@b"}, "unknown prefix"),
        ({"path": ["/a"]}, "path is ['/a']"),
        ({"ids": [1]}, "path /a/@b has 2 steps, ids has 1: expected one id per step"),
        ({"ids": "12"}, "ids is '12'"),
        ({"ids": [1, True]}, "ids is [1, True]"),
        ({"ids": [1, 2.0]}, "ids is [1, 2.0]"),
        ({"ids": [1, 2**63]}, "beyond 64 bits"),
        ({"ids": None}, "ids is None"),
        ({"value": 3}, "value is 3: expected a string or null"),
        ({"old": []}, "old is []"),
        ({"at": 3}, "at is 3"),
        ({"doc": 3}, "doc is 3"),
        ({"pos": "0"}, "pos is '0': expected a whole number or null"),
        ({"txn": 1.5}, "txn is 1.5"),
        ({"meta": {"a": 1}}, "meta is {'a': 1}: expected an object of strings or null"),
        ({"meta": "x"}, "meta is 'x'"),
        ({"ts": 1}, "ts is 1 after 1 of the same document ('d'): expected a greater one"),
    ],
)
def test_a_bad_record_is_named_with_the_reason(
    tmp_path: Path, change: dict[str, object], reason: str
) -> None:
    path = tmp_path / "log.jsonl"
    before, after = {**GOOD, "ts": 1}, {**GOOD, "ts": 6}
    lines = [json.dumps(record) for record in (before, {**GOOD, **change}, after)]
    path.write_text("\n".join(lines))
    events, bad = read(path)
    assert [event.ts for event in events if isinstance(event, PrimitiveEvent)] == [1, 6]
    assert len(bad) == 1
    assert (bad[0].origin.file, bad[0].origin.record, bad[0].offset) == (str(path), 2, len(lines[0]) + 1)
    assert reason in bad[0].reason
    assert bad[0].raw.decode() == lines[1]
    with pytest.raises(LogError) as caught:
        list(read_log(path))
    assert str(caught.value).startswith(f"{path}:2: ")


@pytest.mark.parametrize(
    "line", ["{", "[]", "3", "null", '"x"', '{"ts":NaN}', "[" * 100_000, '{"a":"\\ud800"}', ""]
)
def test_lines_that_are_no_records(tmp_path: Path, line: str) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(f"{line}\n{json.dumps(GOOD)}\n")
    events, bad = read(path)
    assert len(events) == 1
    assert [one.origin.record for one in bad] == ([1] if line else [])


def test_clocks_are_per_document_and_need_not_be_looked_at(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    clocks = [("a", 1), ("b", 1), ("a", 2), ("b", 1), ("a", 2), ("b", 2)]
    path.write_text("\n".join(json.dumps({**GOOD, "doc": doc, "ts": ts}) for doc, ts in clocks))
    _, bad = read(path)
    assert [one.origin.record for one in bad] == [4, 5]
    assert len(list(read_log(path, clock=ClockCheck.ANY))) == 6


def test_records_without_a_document_belong_to_that_of_the_header(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    docs = [None, None, "d", None, ""]
    records = [{**GOOD, "doc": doc, "ts": ts} for ts, doc in enumerate(docs, 1)]
    del records[1]["doc"]
    lines = "\n".join(map(json.dumps, records))
    path.write_text(lines)
    events, bad = read(path)
    assert [event.doc for event in events] == ["d", ""]
    assert [one.origin.record for one in bad] == [1, 2, 4] and "doc is missing" in bad[0].reason
    path.write_text('{"xmlcep": 1, "doc": "h", "snapshot": null, "ids": []}\n' + lines)
    events, bad = read(path)
    assert [event.doc for event in events] == ["h", "h", "h", "d", "h", ""] and not bad
    path.write_text('{"xmlcep": 1, "control": "open"}\n' + lines)
    assert len(read(path)[1]) == 3


@pytest.mark.parametrize("content", [b"", b"PAR1rubbish", b"\x1f\x8brubbish"])
def test_files_that_are_no_logs(tmp_path: Path, content: bytes) -> None:
    if content.startswith(b"PAR1"):
        pytest.importorskip("pyarrow")
    path = tmp_path / "log"
    path.write_bytes(content)
    with pytest.raises(LogError) as caught:
        list(read_log(path))
    assert str(caught.value).startswith(str(path))


def test_missing_files_and_directories_are_named(tmp_path: Path) -> None:
    for path in (tmp_path / "none.jsonl", tmp_path):
        with pytest.raises(LogError, match="cannot be read"):
            list(read_log(path))


def test_a_newer_format_is_refused_with_its_version(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text('{"xmlcep":2,"doc":"d"}\n')
    with pytest.raises(NewerFormatError, match="log format 2; this release of xmlcep reads formats up to 1"):
        list(read_log(path, on_bad=lambda bad: None))
    pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    table = arrow_schema().with_metadata({"xmlcep": '{"xmlcep":3}'}).empty_table()
    pq.write_table(table, tmp_path / "log.parquet")
    with pytest.raises(NewerFormatError, match="log format 3"):
        list(read_log(tmp_path / "log.parquet", on_bad=lambda bad: None))


@pytest.mark.parametrize(
    "header", [{"xmlcep": "1"}, {"xmlcep": 1, "doc": 3}, {"xmlcep": 1, "doc": "d", "ids": "x"}]
)
def test_a_damaged_header_is_a_bad_record(tmp_path: Path, header: dict[str, object]) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(f"{json.dumps(header)}\n{json.dumps(GOOD)}\n")
    events, bad = read(path)
    assert (len(events), len(bad)) == (1, 1)


def test_parquet_with_other_columns_is_refused(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    for columns in (
        {"name": ["x"]},
        {**{name: ["x"] for name in ("op", "path", "value", "old", "ids")}, "ts": [1]},
    ):
        pa.parquet.write_table(pa.table(columns), tmp_path / "log.parquet")
        with pytest.raises(
            LogError, match=r"not a change log: columns missing.*ids.*It has .*ids list<int64>"
        ):
            list(read_log(tmp_path / "log.parquet", on_bad=lambda bad: None))


def test_bad_records_in_parquet(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    table = pa.table(
        {
            "ts": [1, 2, None, 4], "op": ["ins", "nil", "ins", "ins"], "path": ["/a", "/a/b", "/a/b", "/a/b"],
            "ids": [[1], [1, 2], [1, 3], [1, None]], "value": ["x"] * 4, "old": pa.nulls(4), "doc": ["d"] * 4,
        }
    )  # fmt: skip
    pa.parquet.write_table(table, tmp_path / "log.parquet")
    events, bad = read(tmp_path / "log.parquet")
    assert len(events) == 1
    assert [one.origin.record for one in bad] == [2, 3, 4]
    assert "op is 'nil'" in bad[0].reason
    assert json.loads(bad[0].raw)["op"] == "nil"


def test_a_damaged_parquet_file_gives_what_can_be_read(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    path = tmp_path / "log.parquet"
    with ParquetWriter(path, Header("d")) as writer:
        writer.write_all(some_events(1, 400))
    content = path.read_bytes()
    for position in random.Random(1).sample(range(len(content)), 100):
        path.write_bytes(content[:position] + bytes([content[position] ^ 64]) + content[position + 1 :])
        try:
            read(path)
        except LogError as error:
            assert str(path) in str(error)


def test_a_cut_gzip_file_gives_what_can_be_unpacked(tmp_path: Path) -> None:
    events = some_events(1, 2000)
    path = tmp_path / "log.jsonl.gz"
    path.write_bytes(gzip.compress(b"".join(lines_of(events)))[:-2000])
    items, bad = read(path)
    assert items == events[: len(items)]
    assert len(items) > 100
    assert "damaged from here on" in bad[-1].reason


def test_the_log_cut_at_every_byte_of_its_last_kilobyte(tmp_path: Path) -> None:
    events = some_events(7, 60)
    content = write_lines(tmp_path / "log.jsonl", events, Header("d")).read_bytes()
    path = tmp_path / "cut.jsonl"
    for length in range(len(content) - 1024, len(content)):
        path.write_bytes(content[:length])
        items, bad = read(path)
        whole = content.count(b"\n", 0, length)
        torn = content[:length].rpartition(b"\n")[2]
        if torn and content[length : length + 1] == b"\n":  # only the line end is missing
            whole, torn = whole + 1, b""
        assert items[1:] == events[: whole - 1]
        assert [(one.origin.record, one.raw) for one in bad] == ([(whole + 1, torn)] if torn else [])
        assert all("the last line is cut off" in one.reason for one in bad)


def test_a_thousand_bit_flips(tmp_path: Path) -> None:
    """Every record on another line than the flipped bit is read, or named."""
    events = some_events(8, 40)
    content = write_lines(tmp_path / "log.jsonl", events, Header("d")).read_bytes()
    path = tmp_path / "flipped.jsonl"
    choose = random.Random(1)
    for _ in range(1000):
        position = choose.randrange(len(content))
        flipped = bytearray(content)
        flipped[position] ^= 1 << choose.randrange(8)
        path.write_bytes(flipped)
        try:
            items, bad = read(path)
        except NewerFormatError:
            assert b'"xmlcep":1' not in flipped
            continue
        line = content.count(b"\n", 0, position)
        untouched = [event for number, event in enumerate(events, 1) if number not in (line, line + 1)]
        # A ts that became that of the next record may be taken for it; that is said.
        named = {one.origin.record for one in bad}
        lost = [event for event in untouched if event not in items]
        assert len(lost) <= 1 and all(1 + event.ts in named for event in lost)
        assert len(items) + len(bad) in (len(events), len(events) + 1, len(events) + 2)


def test_the_quarantine_keeps_everything(tmp_path: Path) -> None:
    log, aside = tmp_path / "log.jsonl", tmp_path / "quarantine.jsonl"
    log.write_bytes(b'rubbish\n\xff\xfe{"\n' + json.dumps(GOOD).encode() + b"\n")
    with Quarantine(aside) as quarantine:
        batches = list(read_columns(log, on_bad=quarantine))
    assert (len(batches), quarantine.count, quarantine.per_file) == (1, 2, {str(log): 2})
    first, second = map(json.loads, aside.read_text().splitlines())
    assert (first["file"], first["record"], first["offset"], first["raw"]) == (str(log), 1, 0, "rubbish")
    assert "not a JSON object" in first["reason"]
    assert (second["record"], second["offset"], second["raw_base64"]) == (2, 8, "//57Ig==")


def test_no_quarantine_file_without_bad_records(tmp_path: Path) -> None:
    log = write_lines(tmp_path / "log.jsonl", some_events(1, 5))
    with Quarantine(tmp_path / "quarantine.jsonl") as quarantine:
        list(read_log(log, on_bad=quarantine))
    assert quarantine.count == 0
    assert not (tmp_path / "quarantine.jsonl").exists()


_FULL = {
    "doc": "d", "ts": 5, "op": "ins", "path": "/a/@b", "ids": [1, 2], "value": "v", "old": None, "pos": None,
    "at": None, "txn": None,
}  # fmt: skip
_DUPLICATE = [
    *(f'"{key}":{json.dumps(value)}' for key, value in _FULL.items()),
    '"meta":null', '"ts" : 5', '"ts"\t:5', '"t\\u0073":5', '"more":true,"more":true', '"note":1,"note":2',
    '"note":{"x":1,"x":2}', '"value":"v\\":"', '"n":1,"n":2',
]  # fmt: skip


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("duplicate", _DUPLICATE)
@pytest.mark.parametrize("codec", [FASTEST, STANDARD])
@pytest.mark.parametrize("behind", [True, False])
def test_a_record_in_which_a_key_stands_twice_is_bad(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str, duplicate: str, codec: JsonCodec, behind: bool
) -> None:  # fmt: skip
    monkeypatch.setattr(reading, "FASTEST", codec)

    def line(ts: int, meta: object) -> str:
        return json.dumps({**_FULL, "meta": meta, "ts": ts}, separators=(",", ":"))

    lines = []
    for ts, meta in ((1, None), (6, {"user": "Ann"}), (11, {"user": 'a ":" b'})):
        good, wrong = line(ts, meta), line(5, meta)
        lines += [good, f"{wrong[:-1]},{duplicate}}}" if behind else f"{{{duplicate},{wrong[1:]}"]
    path = tmp_path / "log.jsonl"
    path.write_bytes("".join(f"{each}{ending}" for each in lines).encode())
    bad = Quarantine(tmp_path / "bad.jsonl")
    with bad:
        found = [batch.rows for batch in read_columns(path, on_bad=bad) if isinstance(batch, Batch)]
    assert [row[0] for rows in found for row in rows] == [1, 6, 11]
    said = [json.loads(each) for each in (tmp_path / "bad.jsonl").read_text().splitlines()]
    assert [each["record"] for each in said] == [2, 4, 6]
    assert all("occurs more than once" in str(each) for each in said)
    result = audit(path, parse_rules("event A = ins(a/@b)"), engine="local", out=tmp_path / "found.jsonl")
    assert (result.summary.records, result.summary.quarantined, result.summary.findings) == (3, 3, 3)


@pytest.mark.parametrize(
    "line",
    [
        '{"xmlcep":1,"doc":"d","doc":"e"}',
        '{"doc":"d","ts":1,"clock":true,"at":"2026-01-01T00:00:00Z","at":"2027-01-01T00:00:00Z"}',
        '{"xmlcep":1,"control":"open","x":1,"x":2}',
    ],
)
def test_so_is_a_header_or_another_record(tmp_path: Path, line: str) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(f"{json.dumps(GOOD)}\n{line}\n")
    events, bad = read(path)
    assert (len(events), len(bad)) == (1, 1)
    assert "occurs more than once" in bad[0].reason


@pytest.mark.parametrize("text", ['":', 'a ":" b', '{"ts":1,"ts":2}', "a : b", '" :'])
def test_a_text_with_keys_in_it_is_none(tmp_path: Path, text: str) -> None:
    path = tmp_path / "log.jsonl"
    records = [{**_FULL, "ts": ts, "value": text, "old": text, "meta": {text: text}} for ts in (1, 2)]
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records))
    events, bad = read(path)
    assert (len(events), bad) == (2, [])
    result = audit(path, parse_rules("event A = ins(a/@b)"), engine="local", out=tmp_path / "found.jsonl")
    assert (result.summary.quarantined, result.summary.findings) == (0, 2)


@pytest.mark.parametrize("column", ["doc", "ts", "op", "path", "ids"])
def test_a_parquet_log_with_a_column_twice_is_refused(tmp_path: Path, column: str) -> None:
    columns = {"doc": ["d"], "ts": [1], "op": ["ins"], "path": ["/a/b"], "ids": [[1, 2]]}
    names = [*columns, column]
    table = pa.table([pa.array(columns[name]) for name in names], names=names)
    pq.write_table(table, tmp_path / "twice.parquet")
    with pytest.raises(LogError, match=f"it has the column {column} more than once"):
        list(read_log(tmp_path / "twice.parquet"))


def test_a_parquet_log_whose_footer_is_damaged_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "log.parquet"
    with ParquetWriter(path, Header("d")) as writer:
        writer.write_all(some_events(1, 30))
    content = path.read_bytes()
    seen = set()
    for position in range(len(content) - 3000, len(content), 17):
        path.write_bytes(content[:position] + bytes([content[position] ^ 128]) + content[position + 1 :])
        for call in (read, lambda path: audit(path, parse_rules("event A = ins(a/@b)"), engine="local")):
            try:
                call(path)
            except LogError as error:
                assert str(path) in str(error)
                seen.add("codec can't decode" in str(error))
    assert seen == {True, False}
