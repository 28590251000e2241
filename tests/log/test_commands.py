"""``xmlcep rebuild`` and ``xmlcep verify`` as they are called."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.log.helpers import canonical, some_events, write_lines
from tests.log.models import RecordedDocument
from xmlcep.cli.main import run
from xmlcep.log import segments
from xmlcep.log.records import Header
from xmlcep.recording.recorder import record


class Result(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


Command = Callable[..., Result]


@pytest.fixture
def xmlcep(capfd: pytest.CaptureFixture[str]) -> Command:
    def call(*arguments: object) -> Result:
        return Result(run([*map(str, arguments)]), *capfd.readouterr())

    return call


@pytest.fixture
def document(tmp_path: Path) -> RecordedDocument:
    document = RecordedDocument(1)
    with record(document, tmp_path / "log.jsonl", max_bytes=6_000, seal=True):
        for _ in range(30):
            document.change()
        while document.model.root is None:
            document.change()
    return document


def test_rebuild_writes_the_document(xmlcep: Command, tmp_path: Path, document: RecordedDocument) -> None:
    xml = [(ts, xml) for ts, xml in document.versions.items() if xml is not None]
    for arguments, expected in (([], xml[-1][1]), (["--at", xml[5][0]], xml[5][1])):
        result = xmlcep("rebuild", tmp_path / "log.jsonl", *arguments)
        assert (result.returncode, result.stderr) == (0, "")
        assert result.stdout.startswith("<?xml version='1.0' encoding='UTF-8'?>\n")
        assert canonical(result.stdout.partition("?>")[2].strip()) == canonical(expected)


def test_rebuild_leaves_out_a_torn_line_and_says_so(
    xmlcep: Command, tmp_path: Path, document: RecordedDocument
) -> None:
    expected = xmlcep("rebuild", tmp_path / "log.jsonl").stdout
    with segments(tmp_path / "log.jsonl")[-1].open("ab") as stream:
        stream.write(b'{"doc":"d","ts":')
    result = xmlcep("rebuild", tmp_path / "log.jsonl")
    assert (result.returncode, result.stdout) == (0, expected)
    assert "left out" in result.stderr
    assert "the last line is cut off" in result.stderr


def test_rebuild_names_what_is_wrong(xmlcep: Command, tmp_path: Path) -> None:
    log = write_lines(tmp_path / "log.jsonl", some_events(1, 40), Header("d"))
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join([*lines[:20], b"rubbish\n", *lines[20:]]))
    result = xmlcep("rebuild", log)
    assert result.returncode == 2
    assert f"{log}:21: not a JSON object" in result.stderr
    assert xmlcep("rebuild", log, "--at", 10).returncode == 0
    two = write_lines(tmp_path / "two.jsonl", [*some_events(1, 4, "a"), *some_events(2, 4, "b")])
    result = xmlcep("rebuild", two)
    assert result.returncode == 2
    assert "several documents ('a', 'b')" in result.stderr
    assert xmlcep("rebuild", two, "--doc", "b").returncode == 0
    result = xmlcep("rebuild", two, "--doc", "c")
    assert (result.returncode, "nothing is recorded of the document 'c'" in result.stderr) == (2, True)
    result = xmlcep("rebuild", tmp_path / "none.jsonl")
    assert (result.returncode, "cannot be read" in result.stderr) == (2, True)


def test_verify(xmlcep: Command, tmp_path: Path, document: RecordedDocument) -> None:
    log = tmp_path / "log.jsonl"
    result = xmlcep("verify", log)
    assert (result.returncode, result.stderr) == (0, "")
    head = result.stdout.split()[-1]
    assert xmlcep("verify", log, "--head", head).returncode == 0
    result = xmlcep("verify", log, "--head", "0" * 63 + "1")
    assert (result.returncode, "is not in it" in result.stderr) == (1, True)
    assert xmlcep("verify", tmp_path / "none.jsonl").returncode == 2
