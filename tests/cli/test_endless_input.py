"""Input that never ends, never begins, or is larger than memory: a sentence, whatever the command (status 2 or 3)."""

from __future__ import annotations

import gzip
import io
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import xmlcep
from xmlcep import files
from xmlcep.cli.main import run

RULES = "event A = ins(a)\n"
HEADER = b'{"xmlcep":1,"doc":"d","ts":0,"ids":[]}\n'
CHANGE = b'{"doc":"d","ts":%d,"op":"ins","path":"/a","ids":[%d]}\n'

# Of every command that reads: an argument X for each file.
COMMANDS = [
    "check X", "check {rules} --schema X", "fmt X", "convert X", "audit X --rules {rules}",
    "audit {log} --rules X", "audit {log} --rules {rules} --reference a=X", "verify X", "rebuild X", "log X",
    "blame X", "pending X --rules {rules}", "why X 1 --rules {rules}", "why-not X A --rules {rules}",
    "report X --rules {rules} -o {out}", "diff X {xml}", "diff {xml} X", "derive X",
    "apply X {xml} --initial", "apply {rules} X --initial",
]  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    (tmp_path / "rules").write_text(RULES, encoding="utf-8")
    (tmp_path / "act").write_text(f'{RULES}rule R on A do delete "b"', encoding="utf-8")
    (tmp_path / "log").write_bytes(CHANGE % (1, 1))
    (tmp_path / "xml").write_text("<a/>", encoding="utf-8")
    yield tmp_path


def said(command: str, source: Path | str, folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    names = {name: str(folder / name) for name in ("rules", "act", "log", "xml", "out")}
    given = [part.replace("X", str(source)).format(**names) for part in command.split()]
    assert run(given) == 2, given
    return capsys.readouterr().err


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there is no such device")
@pytest.mark.parametrize("command", COMMANDS)
def test_a_device_without_end(command: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "device" in said(command, "/dev/zero", folder, capsys)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_pipe_that_nobody_writes_to(
    command: str, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "PIPE_WAIT", 0.0)
    os.mkfifo(folder / "pipe")
    assert "pipe" in said(command, folder / "pipe", folder, capsys)


def test_a_pipe_that_somebody_writes_to(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    writer = threading.Thread(target=(folder / "pipe").write_text, args=(RULES,))
    writer.start()
    assert run(["check", str(folder / "pipe")]) == 0
    writer.join()


def test_standard_input_that_never_ends(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with open("/dev/zero", encoding="utf-8") as endless:
        monkeypatch.setattr("sys.stdin", endless)
        for command in ("check -", "verify -", "audit - --rules {rules}"):
            assert "a device, not a file or a pipe" in said(command, "", folder, capsys)


def test_the_limits_can_be_raised(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for kind, command in (
        ("rules file", "check X"),
        ("schema", "derive X"),
        ("document", "apply {act} X --initial"),
        ("reference document", "audit {log} --rules {rules} --reference a=X"),
    ):
        with monkeypatch.context() as lower:
            lower.setitem(files.LARGEST, kind, 3)
            assert f"the 3 bytes that a {kind} may have: set XMLCEP_MAX_SIZE" in said(
                command, folder / "rules", folder, capsys
            )
    monkeypatch.setitem(files.LARGEST, "rules file", 3)
    monkeypatch.setenv("XMLCEP_MAX_SIZE", "1M")
    assert run(["check", str(folder / "rules")]) == 0
    monkeypatch.setenv("XMLCEP_MAX_SIZE", "much")
    assert "XMLCEP_MAX_SIZE is 'much', no size" in said("check X", folder / "rules", folder, capsys)


def test_a_packed_log_that_unpacks_to_one_line_without_end(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(files.LARGEST, "record", 200_000)
    bomb, out = folder / "bomb.jsonl.gz", folder / "out"
    bomb.write_bytes(gzip.compress(CHANGE % (1, 1) + b"0" * 3_000_000 + b"\n" + CHANGE % (2, 2)))
    rules = str(folder / "rules")
    assert run(["audit", str(bomb), "--rules", rules, "--out", str(out)]) == 3
    assert len(out.read_bytes().splitlines()) == 1  # of what stood before it
    bad = (folder / "out.quarantine.jsonl").read_text(encoding="utf-8")
    assert "nothing is read from here on: it has more than the 200,000 bytes that a record may have" in bad
    assert len(bad) < 1000
    capsys.readouterr()
    for command in ("verify X", "rebuild X", "log X", "blame X"):
        assert "Traceback" not in said(command, bomb, folder, capsys)


def test_lines_that_are_long_are_held_a_few_at_a_time(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from xmlcep.log import opening

    monkeypatch.setattr(opening, "_MOST_HELD", 1 << 20)
    long = b"x" * 300_000 + b"\n"
    (folder / "log").write_bytes(long * 40 + b"end")
    with (folder / "log").open("rb") as stream:
        blocks = list(opening.line_blocks(stream, 1000, "log"))
    assert b"".join(b"".join(lines) for lines in blocks) == long * 40 + b"end"
    assert max(sum(map(len, lines)) for lines in blocks) < 2 << 20


def test_deep_values_are_bad_records(folder: Path) -> None:
    (folder / "log").write_bytes(CHANGE % (1, 1) + b"[" * 1_000_000 + b"\n" + b'{"a":' * 100_000 + b"\n")
    rules, out = str(folder / "rules"), str(folder / "out")
    assert run(["audit", str(folder / "log"), "--rules", rules, "--out", out]) == 3


def test_what_was_quarantined_is_known_again_however_long(folder: Path) -> None:
    log, out = folder / "log", folder / "out"
    log.write_bytes(b'{"doc":"' + b"d" * 2_000_000 + b'"}\n' + CHANGE % (1, 1))
    command = ["audit", str(log), "--rules", str(folder / "rules"), "--out", str(out)]
    assert run(command) == 3
    assert run(command) == 3


def test_open_files_have_the_limit_of_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(files.LARGEST, "document", 1000)
    bomb = gzip.compress(b"<a>" + b" " * 100_000 + b"</a>")
    with gzip.open(io.BytesIO(bomb)) as unpacking, pytest.raises(OSError, match="more than the 1,000 bytes"):
        xmlcep.parse(unpacking)
    with open("/dev/zero", "rb") as endless, pytest.raises(OSError, match="a device, not a file or a pipe"):
        xmlcep.parse(endless)
    assert xmlcep.parse(io.BytesIO(b"<a/>")).root.tag == "a"
