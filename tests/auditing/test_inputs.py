"""What is taken as a log, and what is refused in one sentence."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import xmlcep
from tests.auditing.logs import write_log
from tests.auditing.test_agreement import ORDER_RULES, lines_of, orders
from xmlcep.auditing import audit
from xmlcep.auditing.inputs import find_files
from xmlcep.log import LogError


@pytest.mark.parametrize("content", [b"<order/>", bytes(range(256)), b"\n \n", '{"doc":'.encode("utf-16")])
def test_a_file_of_another_kind(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "order.xml"
    file.write_bytes(content)
    with pytest.raises(
        LogError,
        match=r"order\.xml: not a change log: (expected a JSON object per line|it is XML|it is UTF-16)",
    ):
        find_files(file)


@pytest.mark.parametrize("start", [b"garbage\n", b"\xef\xbb\xbf", b"\n\n", b"  "])
def test_a_log_that_begins_oddly(tmp_path: Path, start: bytes) -> None:
    log = write_log(tmp_path / "log.jsonl", lines_of(orders("a")))
    expected = list(audit(log, ORDER_RULES).lines())
    log.write_bytes(start + log.read_bytes())
    assert list(audit(log, ORDER_RULES, quarantine=tmp_path / "bad.jsonl").lines()) == expected != []


def test_a_file_named_in_two_ways_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = write_log(tmp_path / "log.jsonl", lines_of(orders("a")))
    (tmp_path / "link.jsonl").symlink_to(log)
    monkeypatch.chdir(tmp_path)
    found = find_files([str(log), "log.jsonl", "./log.jsonl", "link.jsonl", "*.jsonl"]).files
    assert [file.path for file in found] == [str(log)]


def test_urls(tmp_path: Path) -> None:
    log = write_log(tmp_path / "a b?.jsonl", lines_of(orders("a")))
    for url in (log.as_uri(), log.as_uri().replace("file:///", "file:/"), tmp_path.as_uri()):
        assert [file.path for file in find_files(url).files] == [str(log)]
    with pytest.raises(
        LogError, match=r"this machine: .*: findings\(read_log\(spark, 's3a://bucket/logs'\), rules\)"
    ):
        find_files("s3a://bucket/logs")


def test_parquet_with_the_needed_columns_only(tmp_path: Path) -> None:
    rows = [json.loads(line) for line in lines_of(orders("a"))]
    lean = [{name: row[name] for name in ("doc", "ts", "op", "path", "ids")} for row in rows]
    pq.write_table(pa.Table.from_pylist(lean), tmp_path / "lean.parquet")
    log = write_log(tmp_path / "lean.jsonl", [json.dumps(row).encode() for row in lean])
    expected = list(audit(log, ORDER_RULES).lines())
    assert list(audit(tmp_path / "lean.parquet", ORDER_RULES).lines()) == expected != []


def test_logs_of_documents_with_one_name_are_named(tmp_path: Path) -> None:
    for name in ("one", "two", "three"):
        document = xmlcep.fromstring("<r/>")
        with xmlcep.record(document, tmp_path / f"{name}.jsonl", max_bytes=1):
            document.root.set("k", name)
            document.root.set("k", "again")
    other = xmlcep.fromstring("<r/>", name="other")
    with xmlcep.record(other, tmp_path / "zzz.jsonl"):
        other.root.set("k", "v")
    result = xmlcep.audit(tmp_path, xmlcep.parse_rules("event A = ins(r/@k)"), engine="local")
    assert result.summary.quarantined
    [note] = [note for note in result.notes if "same name" in note]
    assert note.startswith(
        f"{tmp_path / 'one.jsonl'}, {tmp_path / 'three.jsonl'} and 1 more are logs of documents with the same name"
    )
    alone = xmlcep.audit(tmp_path / "one.jsonl", xmlcep.parse_rules("event A = ins(r/@k)"), engine="local")
    assert not any("same name" in note for note in alone.notes)
