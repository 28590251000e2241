"""Paths on the command line: every one of every command, empty, and with content that is something else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from xmlcep.cli._arguments import FilePath
from xmlcep.cli.main import group, run

LOG = '{"doc":"d","ts":1,"op":"ins","path":"/a","ids":[1]}\n'
RULES = "event A = ins(a)\n"
FILES = (
    "FILE",
    "PATH",
    "XSD",
    "SOURCE",
    "TARGET",
    "LOG",
    "RULES",
    "DOC.xml",
    "NEW.xml",
    "OLD",
    "NEW",
    "DIRECTORY",
)


def parameters() -> Iterator[tuple[click.Command, click.Parameter]]:
    """All parameters of all commands that take files or folders."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        for parameter in command.params:
            called = (parameter.make_metavar(context)).strip("[].…")
            if isinstance(parameter.type, click.Path | click.File) or called in FILES:
                yield command, parameter


PATHS = list(parameters())


def arguments(command: click.Command, wanted: click.Parameter) -> list[str]:
    """What to give a command, with nothing for this parameter and something for the others that it needs."""
    given = [str(command.name)]
    for parameter in command.params:
        if parameter is wanted:
            given += [""] if isinstance(parameter, click.Argument) else [parameter.opts[0], ""]
        elif parameter.required:
            given += ["x"] if isinstance(parameter, click.Argument) else [parameter.opts[0], "x"]
    return given


@pytest.mark.parametrize(
    ("command", "parameter"), PATHS, ids=[f"{command.name}-{parameter.name}" for command, parameter in PATHS]
)
def test_an_empty_path_names_nothing(
    command: click.Command, parameter: click.Parameter, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is not the folder that one is in, nor left out."""
    assert isinstance(parameter.type, FilePath)
    assert run(arguments(command, parameter)) == 2
    assert "'' names no file: it is empty" in capsys.readouterr().err


def test_paths_of_all_commands_are_looked_at() -> None:
    assert len({command.name for command, _ in PATHS}) >= 17


@pytest.mark.parametrize(
    "command",
    [
        "audit utf16 --rules a.xcep", "rebuild utf16", "log utf16", "blame utf16", "verify utf16",
        "pending utf16 --rules a.xcep", "why utf16 1 --rules a.xcep", "why-not utf16 A --rules a.xcep",
        "report utf16 --rules a.xcep -o r.html",
    ],
)  # fmt: skip
def test_a_log_in_another_encoding(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.xcep").write_text(RULES, encoding="utf-8")
    Path("utf16").write_text(LOG, encoding="utf-16")
    assert run(command.split()) == 2
    assert "it is UTF-16, not UTF-8: save it as UTF-8" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("hello\n", "log.jsonl: not a change log: expected a JSON object per line"),
        ("<a/>\n", "not a change log: it is XML"),
        ("[1]\n", "log.jsonl: not a change log: expected a JSON object per line"),
    ],
)
def test_what_is_no_log_is_not_called_altered(
    content: str, expected: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text(content, encoding="utf-8")
    assert run(["verify", str(log)]) == 2
    assert expected in capsys.readouterr().err


def test_a_document_without_a_name_is_asked_for_as_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text(LOG, encoding="utf-8")
    assert run(["rebuild", str(log), "--doc", ""]) == 2
    assert "nothing is recorded of the document ''" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("option", "said"),
    [
        (["--name", ""], "'' is not a name: it is empty"),
        (["--since", ""], "--since is for a file in git"),
        (["--branch", ""], "--branch is for a file in git"),
    ],
)
def test_empty_options_of_a_history(
    option: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("a.xml", "b.xml"):
        (tmp_path / name).write_text("<a/>", encoding="utf-8")
    files = [str(tmp_path / name) for name in ("a.xml", "b.xml")]
    assert run(["history", *files, "-o", str(tmp_path / "h.jsonl"), *option]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "h.jsonl").exists()
