"""Where findings go: complete or not at all, and over nothing that is needed."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.auditing.logs import write_log
from tests.auditing.test_agreement import ORDER_RULES, lines_of, orders
from xmlcep import load_rules, parse_rules
from xmlcep.auditing import AuditResult, OutputError, audit
from xmlcep.auditing.findings.atomic_files import AtomicFile
from xmlcep.auditing.findings.spool import Spool
from xmlcep.auditing.inputs import find_files, whole
from xmlcep.auditing.request import Format
from xmlcep.auditing.splits import PartReader
from xmlcep.log import BadRecord, Batch, ClockCheck
from xmlcep.log.decoding import RowDecoder


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return write_log(tmp_path / "log.jsonl", lines_of(orders("a")))


def test_what_is_read_is_not_overwritten(tmp_path: Path, log: Path) -> None:
    before = log.read_bytes()
    link = tmp_path / "link.jsonl"
    link.symlink_to(log)
    for target in (log, link, tmp_path / "." / "log.jsonl"):
        with pytest.raises(OutputError, match="is read and would be overwritten"):
            audit(log, ORDER_RULES, out=target)
    with pytest.raises(OutputError, match="is read and would be overwritten"):
        audit(log, ORDER_RULES, out=tmp_path / "out.jsonl", quarantine=log)
    rules = tmp_path / "rules.xcep"
    rules.write_text("event A = ins(item)")
    with pytest.raises(OutputError, match="is read and would be overwritten"):
        audit(log, load_rules(rules), out=rules)
    assert (log.read_bytes(), rules.read_text()) == (before, "event A = ins(item)")


def test_findings_and_bad_records_are_two_files(tmp_path: Path, log: Path) -> None:
    out = tmp_path / "out.jsonl"
    with pytest.raises(OutputError, match="give each a name"):
        audit(log, ORDER_RULES, out=out, quarantine=out)


def test_a_folder_is_no_file(tmp_path: Path, log: Path) -> None:
    with pytest.raises(OutputError, match="is a folder: give the name of a file"):
        audit(log, ORDER_RULES, out=tmp_path)


@pytest.mark.parametrize(
    ("name", "format", "said"),
    [
        ("findings.parquet", "jsonl", ["JSON Lines, whatever its name says: format parquet writes Parquet"]),
        ("findings.JSONL", "parquet", ["Parquet, whatever its name says: format jsonl writes JSON Lines"]),
        ("findings.jsonl", "jsonl", []),
        ("findings.parquet", "parquet", []),
        ("findings", "parquet", []),
    ],
)
def test_a_name_that_says_another_format_is_told(
    tmp_path: Path, log: Path, name: str, format: Format, said: list[str]
) -> None:
    """Somebody will take the file for what it is called."""
    out = tmp_path / name
    notes = audit(log, ORDER_RULES, out=out, format=format, engine="local").notes
    assert [note for note in notes if "whatever" in note] == [f"{out} holds {each}" for each in said]


def test_a_name_says_the_format(tmp_path: Path, log: Path) -> None:
    results = [
        audit(log, ORDER_RULES, out=tmp_path / name, engine="local") for name in ("f.parquet", "f.txt")
    ]
    assert [each.format for each in results] == ["parquet", "jsonl"]
    assert (tmp_path / "f.parquet").read_bytes()[:4] == b"PAR1"
    assert list(results[0].records()) == list(results[1].records()) != []


def test_devices_are_written_to(log: Path) -> None:
    number = os.stat(os.devnull).st_rdev
    audit(log, ORDER_RULES, out=os.devnull)
    assert os.stat(os.devnull).st_rdev == number


def test_a_symbolic_link_stays_one(tmp_path: Path, log: Path) -> None:
    real, link = tmp_path / "folder" / "real.jsonl", tmp_path / "link.jsonl"
    real.parent.mkdir()
    real.write_text("before")
    link.symlink_to(real)
    result = audit(log, ORDER_RULES, out=link)
    assert link.is_symlink()
    assert real.read_bytes() == b"".join(line + b"\n" for line in result.lines()) != b""


def test_a_symbolic_link_to_itself(tmp_path: Path) -> None:
    link = tmp_path / "loop"
    link.symlink_to(link)
    with pytest.raises(OutputError, match="loop: cannot be written: Too many levels of symbolic links"):
        AtomicFile(link).__enter__()
    assert os.listdir(tmp_path) == ["loop"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
@pytest.mark.parametrize("format", ["jsonl", "parquet"])
def test_a_full_device(log: Path, format: Any) -> None:
    if format == "parquet":
        pytest.importorskip("pyarrow")
    with pytest.raises(OutputError, match=r"/dev/full: cannot be written: No space left on device"):
        audit(log, ORDER_RULES, out="/dev/full", format=format)


def test_a_full_disk_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    target = tmp_path / "out.jsonl"
    target.write_text("before")
    monkeypatch.setattr(os, "fsync", full)
    with (
        pytest.raises(OutputError, match=r"out\.jsonl: cannot be written: No space left"),
        AtomicFile(target),
    ):
        pass
    with pytest.raises(OutputError, match="No space left"), AtomicFile(target):
        full(0)
    assert [path.name for path in tmp_path.iterdir()] == ["out.jsonl"]
    assert target.read_text() == "before"


DAMAGED = {
    "a": ("<order>", "not well-formed"),
    "c": ("<!DOCTYPE order><order/>", "document type declaration"),
    "d": ("<order><item/></order>", "more nodes than ids"),
}
"""Snapshots of documents that cannot be, and why."""


@pytest.mark.parametrize("engine", ["local", "spark"])
def test_a_damaged_snapshot_is_a_bad_record(
    request: pytest.FixtureRequest, tmp_path: Path, engine: str
) -> None:
    session = request.getfixturevalue("spark") if engine == "spark" else None
    snapshots = {"b": "<order/>"} | {doc: xml for doc, (xml, _) in DAMAGED.items()}
    headers = [
        json.dumps({"xmlcep": 1, "doc": doc, "snapshot": text, "ids": [1]}).encode()
        for doc, text in snapshots.items()
    ]
    records = [line for doc in snapshots for line in lines_of(orders(doc))]
    log = write_log(tmp_path / "log.jsonl", [*headers, *records])
    rules = parse_rules('event A {when="1"} = ins(item/price) & ins(item/quantity)')

    def audited(**options: Any) -> AuditResult:
        return audit(log, rules, engine=engine, spark=session, out=tmp_path / "out.jsonl", **options)  # type: ignore[arg-type]

    result = audited()
    assert result.quarantine is not None
    told = list(map(json.loads, result.quarantine.read_text().splitlines()))
    for number, (bad, (doc, (_, reason))) in enumerate(zip(told, DAMAGED.items(), strict=True), start=2):
        assert (Path(bad["file"]).name, bad["record"]) == ("log.jsonl", number)
        assert f"the header of the document '{doc}'" in bad["reason"] and reason in bad["reason"]
    counts = {doc: (each.quarantined, each.findings > 0) for doc, each in result.summary.documents.items()}
    assert counts == {"b": (0, True)} | dict.fromkeys(DAMAGED, (1, True))
    withheld = audited(on_bad_record="document").summary.documents
    assert {doc: withheld[doc].withheld for doc in snapshots} == {"b": False} | dict.fromkeys(DAMAGED, True)
    assert withheld["b"].findings


@pytest.mark.parametrize("engine", ["local", "spark"])
def test_records_that_name_no_document(request: pytest.FixtureRequest, tmp_path: Path, engine: str) -> None:
    session = request.getfixturevalue("spark") if engine == "spark" else None
    nameless = [line.replace(b'"doc":"a"', b'"doc":null') for line in lines_of(orders("a"))]
    nameless[0] = nameless[0].replace(b'"doc":null,', b"")
    assert b'"doc"' not in nameless[0] and nameless[-1] != lines_of(orders("a"))[-1]
    header = json.dumps({"xmlcep": 1, "doc": "a", "snapshot": None, "ids": []}).encode()
    named = write_log(tmp_path / "named.jsonl", [header, *nameless, *lines_of(orders("b"))])
    lost = write_log(tmp_path / "lost.jsonl", nameless + lines_of(orders("b")))
    expected = write_log(
        tmp_path / "expected.jsonl", [header, *lines_of(orders("a")), *lines_of(orders("b"))]
    )
    results = [
        audit(log, ORDER_RULES, engine=engine, spark=session, out=tmp_path / f"{log.stem}.out")  # type: ignore[arg-type]
        for log in (named, lost)
    ]
    local = audit(expected, ORDER_RULES, out=tmp_path / "expected.out")
    assert results[0].out.read_bytes() == local.out.read_bytes() != b""
    assert results[0].quarantine is None and list(results[1].summary.documents) == ["b"]
    assert results[1].summary.quarantined == len(nameless) and results[1].quarantine is not None
    assert "doc is missing" in results[1].quarantine.read_text()
    bad: list[BadRecord] = []
    docs = [
        row[8]
        for file in find_files(named).files
        for batch in PartReader(whole(file), RowDecoder(ClockCheck.ANY), bad.append).read()
        if isinstance(batch, Batch)
        for row in batch.rows
    ]
    assert docs == ["a"] * len(nameless) + ["b"] * len(lines_of(orders("b"))) and not bad


def test_no_room_for_temporary_files() -> None:
    with pytest.raises(OutputError, match=r"temporary files in .* set TMPDIR"), Spool() as spool:
        spool._database.execute("PRAGMA max_page_count = 10")
        for number in range(100):
            spool.add_bad(0, number, "a", b"x" * 10_000)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no disk that is always full")
@pytest.mark.parametrize(
    "size", [10, 10**6]
)  # what is found to have no room when it is read, when it is written
def test_no_room_for_the_text_of_findings(size: int) -> None:
    with pytest.raises(OutputError, match=r"temporary files in .* set TMPDIR"), Spool() as spool:
        spool._texts.close()
        spool._texts = Path("/dev/full").open("wb")  # noqa: SIM115
        spool.add_findings("a", b"x" * size)
        list(spool.findings())


@pytest.mark.parametrize("format", ["jsonl", "parquet"])
def test_findings_by_event_type(
    tmp_path: Path, log: Path, format: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    if format == "parquet":
        pytest.importorskip("pyarrow")
    whole = audit(log, ORDER_RULES, out=tmp_path / "whole", format=format)
    folder = tmp_path / (
        "parts.parquet" if format == "jsonl" else "parts.jsonl"
    )  # a folder may be called anything
    result = audit(log, ORDER_RULES, out=folder, format=format, partition_by_rule=True)
    assert not any("whatever its name says" in note for note in result.summary.notes)
    expected: dict[str, list[dict[str, Any]]] = {}
    for record in whole.records():
        expected.setdefault(record["name"], []).append(record)
    found = sorted(path.parent.name for path in result.out.glob(f"*/findings.{format}"))
    assert found == [f"name={name}" for name in sorted(expected)] and len(found) > 1
    assert list(result.records()) == [record for name in sorted(expected) for record in expected[name]]
    assert result.summary.per_rule == whole.summary.per_rule
    with pytest.raises(OutputError, match="is there already"):
        audit(log, ORDER_RULES, out=result.out, format=format, partition_by_rule=True)

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    before = sorted(tmp_path.iterdir())
    with pytest.raises(OutputError, match="other: cannot be written: No space left"):
        audit(log, ORDER_RULES, out=tmp_path / "other", format=format, partition_by_rule=True)
    assert sorted(tmp_path.iterdir()) == before
