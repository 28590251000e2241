"""Bad records in logs: every command that reads logs does the same about them (docs/log.md)."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from xmlcep import fromstring, record
from xmlcep.cli.main import group, run

RULES = 'event New = ins(item)\nevent Never = ins(item/prize)\nrule R on New do delete "."\n'
LOOKING = {
    "audit": ["audit", "LOG", "--rules", "RULES", "--engine", "local"],
    "audit html": ["audit", "LOG", "--rules", "RULES", "--engine", "local", "--format", "html", "-o", "page.html"],
    "report": ["report", "LOG", "--rules", "RULES", "-o", "page.html"],
    "pending": ["pending", "LOG", "--rules", "RULES"],
    "why": ["why", "LOG", "--rules", "RULES", "1"],
    "why-not": ["why-not", "LOG", "--rules", "RULES", "Never"],
}  # fmt: skip
"""Commands that look for something: they go on without bad records."""
MAKING = {
    "rebuild": ["rebuild", "LOG"],
    "blame": ["blame", "LOG"],
    "log": ["log", "LOG"],
    "apply": ["apply", "RULES", "order.xml", "--log", "LOG", "--dry-run"],
    "audit actions": ["audit", "LOG", "--rules", "RULES", "--actions"],
}
"""Commands that make the document: they go on without a last line that is cut off."""


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("order.xml").write_text("<order/>")
    Path("rules.xcep").write_text(RULES)
    doc = fromstring("<order/>", name="order")
    with record(doc, "log.jsonl"):
        for _ in range(3):
            doc.root.append(doc.root.makeelement("item"))
    return tmp_path / "log.jsonl"


def words(command: list[str]) -> list[str]:
    return [{"LOG": "log.jsonl", "RULES": "rules.xcep"}.get(word, word) for word in command]


def test_every_command_that_reads_logs_is_here() -> None:
    reading = set()
    for name in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), name)
        assert command is not None
        reading |= {
            name
            for each in command.params
            if (each.metavar or "").startswith("LOG") and "tree" not in (each.metavar or "")
        }
    assert reading - {"verify"} == {name.split()[0] for name in LOOKING | MAKING}


@pytest.mark.parametrize("command", (LOOKING | MAKING).values(), ids=LOOKING | MAKING)
def test_a_torn_last_line_is_left_out(
    command: list[str], log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(words(command)) == 0, capsys.readouterr().err
    with log.open("a") as stream:
        stream.write('{"doc": "or')
    assert run([*words(command), *(["--force"] if "-o" in command else [])]) == 3
    said = capsys.readouterr().err
    assert "1 bad record left out; the first: " in said
    assert "log.jsonl:5: the last line is cut off" in said


@pytest.mark.parametrize("command", (LOOKING | MAKING).values(), ids=LOOKING | MAKING)
def test_a_bad_record_in_the_middle(
    command: list[str], log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = log.read_text().splitlines(keepends=True)
    log.write_text("".join([*lines[:2], "rubbish\n", "more rubbish\n", *lines[2:]]))
    makes = command in MAKING.values()
    assert run(words(command)) == (2 if makes else 3)
    said = capsys.readouterr().err
    assert makes or "2 bad records left out; the first: " in said
    assert "log.jsonl:3: not a JSON object" in said


@pytest.mark.parametrize("command", (LOOKING | MAKING).values(), ids=LOOKING | MAKING)
def test_no_record_is_good(command: list[str], log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An audit has found nothing, and says so; who was asked about a document can say nothing of it."""
    log.write_text('{"doc": "order", "ts": 0}\n' * 10)
    status = 3 if command[0] in ("audit", "report") and "--actions" not in command else 2
    assert run(words(command)) == status
    assert "log.jsonl:1: ts is 0: expected" in capsys.readouterr().err
