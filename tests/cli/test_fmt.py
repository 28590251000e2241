"""`xmlcep fmt`: prints, rewrites, compares."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

import pytest

from xmlcep.cli.main import run

UGLY = "event  A=ins( item )  # new\r\n"
FINE = "event A = ins(item)  # new\n"


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    for name, text in (("ugly", UGLY), ("fine", FINE)):
        (tmp_path / name).write_bytes(text.encode())
    return [tmp_path / "ugly", tmp_path / "fine"]


def test_it_prints(files: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["fmt", str(files[0])]) == 0
    assert capsys.readouterr().out == FINE
    assert files[0].read_bytes() == UGLY.encode()


def test_it_compares(files: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["fmt", "--check", *map(str, files)]) == 1
    assert capsys.readouterr().out == f"{files[0]}\n"
    assert run(["fmt", "--check", str(files[1])]) == 0


def test_it_rewrites(files: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    files[0].chmod(0o640)
    before = os.stat(files[1])
    assert run(["fmt", "--write", *map(str, files)]) == 0
    assert capsys.readouterr().err == f"{files[0]}: rewritten\n"
    assert [file.read_bytes() for file in files] == [FINE.encode()] * 2
    assert os.stat(files[1]).st_mtime_ns == before.st_mtime_ns
    assert os.stat(files[0]).st_mode & 0o777 == 0o640
    assert sorted(files[0].parent.iterdir()) == sorted(files)


def test_standard_input(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(UGLY.encode())))
    assert run(["fmt", "-"]) == 0
    assert capsys.readouterr().out == FINE


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--write", "-"], "standard input cannot be rewritten"),
        (["--write", "--check", "x"], "exclude each other"),
        (["x", "y"], "several files can be rewritten"),
        (["no-such.xcep"], "the rules file cannot be read"),
        ([], "Missing argument"),
    ],
)
def test_what_cannot_be_done(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["fmt", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_a_file_with_mistakes_is_left_alone(files: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    files[1].write_text("event A = ins(", encoding="utf-8")
    assert run(["fmt", "--write", *map(str, files)]) == 2
    assert "fine:1:14: the statement ends too early" in capsys.readouterr().err
    assert files[0].read_bytes() == UGLY.encode()
