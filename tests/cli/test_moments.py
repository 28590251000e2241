"""Moments as arguments: time points, times and days wherever one is asked for."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from xmlcep import fromstring, record
from xmlcep.cli._arguments import Moment
from xmlcep.cli.main import group, run

COMMANDS = {
    "rebuild": "rebuild log.jsonl",
    "blame": "blame log.jsonl",
    "log": "log log.jsonl",
    "pending": "pending log.jsonl --rules rules.xcep",
    "why-not": "why-not log.jsonl --rules rules.xcep Never",
}
DAYS = (1_767_225_600, 1_767_312_000, 1_767_398_400)  # 2026-01-01, -02, -03


@pytest.fixture(autouse=True)
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An item at noon of each of three days: time points 1 to 3."""
    monkeypatch.chdir(tmp_path)
    Path("rules.xcep").write_text("event New = ins(item)\nevent Never = ins(item) & ins(item/prize)\n")
    now = iter(day + 43_200 for day in DAYS)
    doc = fromstring("<order/>", name="order", now=lambda: next(now))
    with record(doc, "log.jsonl"):
        for _ in DAYS:
            doc.root.append(doc.root.makeelement("item"))


def test_every_command_with_at_is_here() -> None:
    """All take a moment in the same way."""
    found = {}
    for name in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), name)
        assert command is not None
        found[name] = next((each for each in command.params if "--at" in each.opts), None)
    changes = {"erase"}  # the log itself: tests/proofs
    assert {name for name, option in found.items() if option is not None} - changes == set(COMMANDS)
    assert all(isinstance(option.type, Moment) for option in found.values() if option is not None)


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_a_time_point_a_time_and_a_day(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    shown = set()
    for at in ("2", "2026-01-02T12:00:00Z", "2026-01-02T14:00:00+02:00", "2026-01-03"):
        assert run([*command.split(), "--at", at]) == 0
        printed = capsys.readouterr()
        assert "ends before" not in printed.out + printed.err
        shown.add(printed.out)
    assert len(shown) == 1
    assert run([*command.split(), "--at", "1"]) == 0
    assert capsys.readouterr().out not in shown


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
@pytest.mark.parametrize("at", ["4", "2026-01-04", "2026-01-03T12:00:01Z"])
def test_beyond_the_end(command: str, at: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*command.split(), "--at", at]) == 0
    printed = capsys.readouterr()
    assert f"he log ends before {at}" in printed.out + printed.err


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_what_is_no_moment(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*command.split(), "--at", "yesterday"]) == 2
    assert (
        "'yesterday' is not a time: expected a day or a time, such as 2026-01-31" in capsys.readouterr().err
    )


@pytest.mark.parametrize(
    ("where", "count"),
    [("after=2", 2), ("before=2", 1), ("after=2026-01-02", 2), ("before=2026-01-03T12:00:00Z", 2)],
)
def test_where(where: str, count: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["audit", "log.jsonl", "--rules", "rules.xcep", "-q", "--where", where]) == 0
    assert len(capsys.readouterr().out.splitlines()) == count


def test_until(capsys: pytest.CaptureFixture[str]) -> None:
    Path("rules.xcep").write_text('event Late {within="1 day"} = ins(item) ; not ins(item/prize)\n')
    audit = ["audit", "log.jsonl", "--rules", "rules.xcep", "-q", "--until"]
    assert run([*audit, "2026-01-04"]) == 0
    early = capsys.readouterr().out.splitlines()
    assert run([*audit, "2026-01-05"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == len(early) + 1
    assert run([*audit, "7"]) == 2
    assert "'7' is not a time" in capsys.readouterr().err
