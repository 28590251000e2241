"""The frame of the command line: exit statuses, messages, and what a terminal gets."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

import click
import pytest
from rich.table import Table

from tests.project.source import ROOT
from xmlcep.cli import main
from xmlcep.cli._output import make_console, plain
from xmlcep.errors import MissingExtraError, XmlCepError


def raising(error: BaseException) -> Callable[[], None]:
    def fail() -> None:
        raise error

    return fail


@pytest.fixture
def pose(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], object]], None]:
    """Makes the given function the command ``posed``."""

    def pose_as(callback: Callable[[], object]) -> None:
        command = click.Command("posed", callback=callback)
        monkeypatch.setattr(main._Commands, "get_command", lambda *_: command)

    return pose_as


def test_a_command_that_returns_nothing_has_status_0(pose: Callable[..., None]) -> None:
    pose(lambda: None)
    assert main.run(["posed"]) == 0


def test_a_command_gives_its_status(pose: Callable[..., None]) -> None:
    pose(lambda: 3)
    assert main.run(["posed"]) == 3
    pose(lambda: click.get_current_context().exit(1))
    assert main.run(["posed"]) == 1


@pytest.mark.parametrize(
    ("error", "status", "message"),
    [
        (XmlCepError("line 3: ts is 0"), 2, "xmlcep: line 3: ts is 0\n"),
        (XmlCepError("value \x1b[31mred"), 2, "xmlcep: value \\x1b[31mred\n"),
        (MissingExtraError("Parquet", "pyarrow", "arrow"), 2,
         "xmlcep: Parquet needs pyarrow: run  pip install 'xmlcep[arrow]'\n"),
        (FileNotFoundError(2, "No such file or directory", "a.jsonl"), 2,
         "xmlcep: a.jsonl: No such file or directory\n"),
        (KeyboardInterrupt(), 130, "stopped\n"),
        (click.Abort(), 130, "stopped\n"),
        (click.UsageError("no such thing"), 2,
         "Usage: xmlcep posed [OPTIONS]\nTry 'xmlcep posed --help' for help.\n\nError: no such thing\n"),
        (click.ClickException("wrong file"), 2, "Error: wrong file\n"),
    ],
)  # fmt: skip
def test_what_can_go_wrong_is_one_message(
    pose: Callable[..., None],
    capsys: pytest.CaptureFixture[str],
    error: BaseException,
    status: int,
    message: str,
) -> None:
    pose(raising(error))
    assert main.run(["posed"]) == status
    written = capsys.readouterr()
    assert (written.out, written.err) == ("", message)


def test_our_own_mistakes_are_not_hidden(pose: Callable[..., None]) -> None:
    pose(raising(ZeroDivisionError()))
    with pytest.raises(ZeroDivisionError):
        main.run(["posed"])


def test_unknown_commands_and_options(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["nonsense"]) == 2
    assert "No such command 'nonsense'" in capsys.readouterr().err
    assert main.run(["--nonsense"]) == 2
    assert "No such option" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("typed", "message"),
    [("chek", "did you mean check?"), ("Audit", "did you mean audit?"), ("xyz", "there is apply, ")],
)
def test_did_you_mean(typed: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run([typed]) == 2
    assert f"No such command {typed!r}: {message}" in capsys.readouterr().err


def test_short_options(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["-V"]) == 0
    assert capsys.readouterr().out.startswith("xmlcep")


@pytest.mark.parametrize(
    ("words", "completed"),
    [("xmlcep ch", "plain,check"), ("xmlcep check --sch", "plain,--schema"), ("xmlcep check ", "file,")],
)
def test_shells_complete(words: str, completed: str) -> None:
    """As the script of `xmlcep completion bash` asks, through the entry point."""
    asked = {"_XMLCEP_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    command = [sys.executable, "-m", "xmlcep"]
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, **asked}, capture_output=True, text=True, check=True
    )
    assert completed in done.stdout.splitlines()


@pytest.mark.parametrize("shell", ["zsh", "fish"])  # bash is asked for its version first, where there is one
def test_the_script_of_a_shell(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["completion", shell]) == 0
    assert f"_XMLCEP_COMPLETE={shell}_complete" in capsys.readouterr().out


def test_the_list_of_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["--help"]) == 0
    listed = capsys.readouterr().out.partition("Commands:")[2].splitlines()
    names = {line.split()[0] for line in listed if line.startswith("  ") and line[2] != " "}
    assert {"audit", "check", "demo", "derive", "rebuild"} <= names
    assert not names & {"main", "_output"}


@pytest.mark.parametrize("arguments", [["--help"], ["--version"]])
def test_both_ways_to_call_it(arguments: list[str]) -> None:
    command = [sys.executable, "-m", "xmlcep", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert "xmlcep" in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize(
    "arguments", [["--help"], ["check", "samples/purchase_order/purchase-order.xcep"]], ids=["click", "rich"]
)
def test_a_reader_that_has_seen_enough(arguments: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "xmlcep", *arguments]
    done = subprocess.run(command, cwd=ROOT, stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
@pytest.mark.parametrize(
    "arguments", [["--help"], ["check", "samples/purchase_order/purchase-order.xcep"]], ids=["click", "rich"]
)
def test_output_on_a_full_disk(arguments: list[str]) -> None:
    command = [sys.executable, "-m", "xmlcep", *arguments]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == "xmlcep: the output cannot be written: No space left on device\n"


def test_a_terminal_that_cannot_show_every_character() -> None:
    rules = ROOT / "samples" / "purchase_order" / "purchase-order.xcep"
    command = [sys.executable, "-m", "xmlcep", "check", str(rules)]
    ascii_only = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(command, cwd=ROOT, env=ascii_only, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "\\xd7[0,1]" in done.stdout


@pytest.mark.parametrize("package", ["click", "rich"])
def test_without_the_packages_of_the_extra(package: str) -> None:
    """A finder that denies the package stands for an installation without it."""
    code = f"import sys; sys.modules[{package!r}] = None; from xmlcep.__main__ import main; sys.exit(main())"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"xmlcep: the command line needs {package}: run  pip install 'xmlcep[cli]'\n"


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        ("price 12", "price 12"),
        ("a\tb\nc", "a\tb\nc"),
        ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
        ("\x9b31m", "\\x9b31m"),
        ("over\rwritten", "over\\rwritten"),
        ("\u202eturned", "\\u202eturned"),
        ("ö ×", "ö ×"),
    ],
)
def test_data_cannot_steer_a_terminal(data: str, shown: str) -> None:
    assert plain(data) == shown


def test_no_colour_without_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    make_console().print("[bold]as it is[/]", style="red")
    assert capsys.readouterr().out == "[bold]as it is[/]\n"


def test_a_narrow_terminal_takes_no_words_apart(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It breaks the lines of a table itself; only what is drawn over itself has to fit."""
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("FORCE_COLOR", "1")  # a terminal, for rich
    table = Table("document", "records", "findings by event type")
    table.add_row("purchase-order", "1,000,000", "CompleteItem 3, BothChanged 12")
    make_console().print(table)
    shown = capsys.readouterr().out
    assert all(word in shown for row in table.columns for cell in row.cells for word in str(cell).split())
    assert make_console(fits=True).width == 40
