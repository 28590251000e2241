"""Where findings go: complete or not at all, and over nothing that is needed."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import pytest

from tests.audit.logs import write_log
from tests.audit.test_agreement import ORDER_RULES, lines_of, orders
from xmlcep import XmlCepError, load_rules, parse_rules
from xmlcep.audit import OutputError, audit
from xmlcep.audit.output import AtomicFile


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return write_log(tmp_path / "log.jsonl", lines_of(orders("a")))


def test_what_is_read_is_not_overwritten(tmp_path: Path, log: Path) -> None:
    before = log.read_bytes()
    link = tmp_path / "link.jsonl"
    link.symlink_to(log)
    for target in (log, link, tmp_path / "." / "log.jsonl"):
        with pytest.raises(OutputError, match="is read by the audit"):
            audit(log, ORDER_RULES, out=target)
    with pytest.raises(OutputError, match="is read by the audit"):
        audit(log, ORDER_RULES, out=tmp_path / "out.jsonl", quarantine=log)
    rules = tmp_path / "rules.xcep"
    rules.write_text("event A = ins(item)")
    with pytest.raises(OutputError, match="is read by the audit"):
        audit(log, load_rules(rules), out=rules)
    assert (log.read_bytes(), rules.read_text()) == (before, "event A = ins(item)")


def test_findings_and_bad_records_are_two_files(tmp_path: Path, log: Path) -> None:
    out = tmp_path / "out.jsonl"
    with pytest.raises(OutputError, match="give two names"):
        audit(log, ORDER_RULES, out=out, quarantine=out)


def test_a_folder_is_no_file(tmp_path: Path, log: Path) -> None:
    with pytest.raises(OutputError, match="is a folder: give the name of a file"):
        audit(log, ORDER_RULES, out=tmp_path)


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


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
def test_a_full_device(log: Path) -> None:
    with pytest.raises(OutputError, match=r"/dev/full: cannot be written: No space left on device"):
        audit(log, ORDER_RULES, out="/dev/full")


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


@pytest.mark.parametrize("engine", ["local", "spark"])
@pytest.mark.parametrize(
    ("xml", "reason"),
    [
        ("<order>", "not well-formed"),
        ("<!DOCTYPE order><order/>", "document type declaration"),
        ("<order><item/></order>", "more nodes than ids"),
    ],
)
def test_a_damaged_snapshot_is_named_with_its_file(
    request: pytest.FixtureRequest, tmp_path: Path, xml: str, reason: str, engine: str
) -> None:
    session = request.getfixturevalue("spark") if engine == "spark" else None
    header = json.dumps({"xmlcep": 1, "doc": "a", "snapshot": xml, "ids": [1]}).encode()
    log = write_log(tmp_path / "log.jsonl", [header, *lines_of(orders("a"))])
    rules = parse_rules('event A {when="1"} = ins(item/price) & ins(item/quantity)')
    with pytest.raises(XmlCepError, match=rf"log\.jsonl: the header of the document 'a': .*{reason}"):
        audit(log, rules, engine=engine, spark=session, out=tmp_path / "out.jsonl")  # type: ignore[arg-type]
    assert not (tmp_path / "out.jsonl").exists()
