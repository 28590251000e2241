"""``xmlcep rebuild`` and ``xmlcep verify`` as they are called."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.log.helpers import canonical, some_events, write_lines
from tests.log.models import RecordedDocument
from xmlcep.cli.main import run
from xmlcep.log import segments
from xmlcep.log.errors import LogError
from xmlcep.log.records import Header
from xmlcep.recording.rebuilding import rebuild
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


@pytest.mark.parametrize("command", ["rebuild", "verify", "log", "blame"])
def test_a_log_from_standard_input(
    xmlcep: Command, tmp_path: Path, document: RecordedDocument, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    files = segments(tmp_path / "log.jsonl")
    whole = b"".join(file.read_bytes() for file in files)
    expected = xmlcep(command, *files)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(whole)))
    given = xmlcep(command, "-")
    assert (given.returncode, given.stdout) == (expected.returncode, expected.stdout)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    assert "standard input: " in xmlcep(command, "-").stderr


@pytest.fixture
def timed(tmp_path: Path) -> Path:
    """A log whose clock goes back once (at 3), of three changes that can be told by the text of the root."""
    text = {"path": "/a/text()", "ids": [1, 2]}
    records = [
        {"ts": 1, "at": "2026-01-01T00:00:00Z", "op": "ins", "path": "/a", "ids": [1]},
        {"ts": 2, "at": "2026-01-02T00:00:00Z", "op": "ins", **text, "value": "2", "pos": 0},
        {"ts": 3, "at": "2026-01-01T12:00:00Z", "op": "upd", **text, "value": "3", "old": "2"},
        {"ts": 4, "at": "2026-01-03T00:00:00Z", "op": "upd", **text, "value": "4", "old": "3"},
        {"ts": 4, "at": "2026-01-04T00:00:00Z", "clock": True},
    ]
    log = tmp_path / "timed.jsonl"
    log.write_text("".join(json.dumps({"doc": "d", **record}) + "\n" for record in records), encoding="utf-8")
    return log


@pytest.mark.parametrize(
    ("at", "text", "beyond"),
    [
        (2, "2", ""),
        (4, "4", ""),
        (5, "4", "the log ends before 5, at 4, 2026-01-04T00:00:00Z: this is its end"),
        ("2026-01-01T00:00:00Z", None, ""),
        ("2026-01-01T12:00:00Z", None, ""),  # the time of 3 is that of 2 (W1)
        ("2026-01-02T01:00:00+01:00", "3", ""),
        ("2026-01-03T23:59:59.5Z", "4", ""),
        ("2026-01-04T00:00:00Z", "4", ""),
        ("2026-01-05T00:00:00Z", "4", "the log ends before 2026-01-05T00:00:00Z, at 4, 2026-01-04T00:00:00Z"),
    ],
)
def test_rebuild_at_a_time(
    xmlcep: Command, timed: Path, at: int | str, text: str | None, beyond: str
) -> None:
    assert rebuild(timed, at).text == text
    result = xmlcep("rebuild", timed, "--at", at)
    assert result.returncode == 0
    assert (f">{text}</a>" if text else "<a/>") in result.stdout
    assert beyond in result.stderr
    assert bool(beyond) is bool(result.stderr)


@pytest.mark.parametrize(
    ("at", "message"),
    [
        ("5", "a time point is a number, not text"),
        ("yesterday", "'yesterday' is not a time"),
        (True, "at is True: expected a time point"),
        (1.5, "at is 1.5: expected a time point"),
        (0, "has no root element at 0"),
        ("2025-01-01T00:00:00Z", "has no root element at 2025-01-01T00:00:00Z"),
    ],
)
def test_moments_that_are_none(timed: Path, at: Any, message: str) -> None:
    with pytest.raises(LogError, match=message):
        rebuild(timed, at)


def test_a_log_without_times(xmlcep: Command, tmp_path: Path) -> None:
    log = write_lines(tmp_path / "log.jsonl", some_events(1, 5), Header("d"))
    result = xmlcep("rebuild", log, "--at", "2026-01-01T00:00:00Z")
    assert result.returncode == 2
    assert f"{log}:2: the record has no time (at): say a time point, such as --at 1" in result.stderr


def test_rebuild_leaves_out_a_torn_line_and_says_so(
    xmlcep: Command, tmp_path: Path, document: RecordedDocument
) -> None:
    expected = xmlcep("rebuild", tmp_path / "log.jsonl").stdout
    with segments(tmp_path / "log.jsonl")[-1].open("ab") as stream:
        stream.write(b'{"doc":"d","ts":')
    result = xmlcep("rebuild", tmp_path / "log.jsonl")
    assert (result.returncode, result.stdout) == (3, expected)
    assert "1 bad record left out; the first: " in result.stderr
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
