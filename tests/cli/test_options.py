"""Options mean one thing in all commands; helps fit a terminal; shells complete events and codes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.shell_completion import ShellComplete

from xmlcep import fromstring, record
from xmlcep.cli._commands import Command
from xmlcep.cli.main import group, run


def commands() -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield name, command


@pytest.mark.parametrize("name", [name for name, _ in commands()])
def test_helps_fit_a_terminal(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert run([name, "--help"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if len(line) > 80] == []


MEANS = {
    "--since": "DATE", "--state": "FILE", "--at": "TS|TIME|DAY", "--doc": "NAME", "--xpath": "EXPR",
    "--reference": "NAME=FILE", "--location": "NS=FILE", "--rules": "FILE",
}  # fmt: skip


def test_options_mean_one_thing() -> None:
    found: dict[str, set[str | None]] = {}
    for name, command in commands():
        assert isinstance(command, Command), name
        for option in command.params:
            for spelling in option.opts:
                if spelling in MEANS:
                    found.setdefault(spelling, set()).add(option.metavar)
                assert spelling not in ("--output", "--json")
                assert spelling != "-o" or "--out" in option.opts
                assert spelling != "--format" or isinstance(option.type, click.Choice)
    assert found == {name: {metavar} for name, metavar in MEANS.items()}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("rules.xcep").write_text(
        "event Complete = ins(item) & ins(item/price)\nevent Other = ins(item)\n#> ins order/item => Other\n"
    )
    Path("act.xcep").write_text("""rule R on (ins(item)) do set "@seen" = "'yes'"\n""")
    Path("order.xml").write_text("<order><item/></order>")
    Path("more.xml").write_text("<order><item/><item/></order>")
    doc = fromstring("<order/>", name="order")
    with record(doc, "log.jsonl", seal=True), doc.transaction(user="ann"):
        doc.root.append(doc.root.makeelement("item"))
    with record(doc, "erasable.jsonl", erasable=True):
        doc.root.set("who", "ann")
    return tmp_path


@pytest.mark.parametrize(
    "command",
    ["check rules.xcep", "log log.jsonl", "blame log.jsonl", "verify log.jsonl", "explain T2 P3", "explain",
     "pending log.jsonl --rules rules.xcep", "why log.jsonl --rules rules.xcep 1",
     "why-not log.jsonl --rules rules.xcep Complete", "test rules.xcep", "audit log.jsonl --rules rules.xcep -q",
     "apply act.xcep order.xml --initial --dry-run", "diff order.xml more.xml",
     "history order.xml more.xml -o new.jsonl", "erase erasable.jsonl --xpath /order/@who"],
)  # fmt: skip
def test_json_of_every_command_that_says_something(
    command: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*command.split(), "--format", "json"]) == 0
    printed = capsys.readouterr().out
    values = (
        [json.loads(printed)] if printed.startswith("{\n") else list(map(json.loads, printed.splitlines()))
    )
    assert values and all(isinstance(value, dict) for value in values)


WRITE = {
    "completion",
    "convert",
    "demo",
    "derive",
    "fmt",
    "keygen",
    "lsp",
    "rebuild",
    "report",
    "serve",
    "witness",
}
"""Commands whose output is a file, a form of its own or a service."""


def test_all_others_have_json() -> None:
    formats = {
        name: option.type.choices
        for name, command in commands()
        for option in command.params
        if "--format" in option.opts and isinstance(option.type, click.Choice)
    }
    assert {name for name, _ in commands()} - formats.keys() == WRITE
    assert all("json" in each for each in formats.values())


def test_json_of_differences_and_histories(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("bad.xml").write_text("<order")
    assert run(["diff", "order.xml", "more.xml", "--format", "json", "-o", "changes"]) == 0
    assert json.loads(Path("changes").read_text()) == {
        "kind": "inserted", "node": "element", "path": "/order/item[2]", "nodes": 1
    }  # fmt: skip
    assert run(["history", "order.xml", "bad.xml", "more.xml", "-o", "new.jsonl", "--format", "json"]) == 0
    done = json.loads(capsys.readouterr().out)
    [skipped] = done.pop("skipped")
    assert (skipped["label"], skipped["reason"][:2]) == ("bad.xml", "1:")
    assert done == {
        "log": "new.jsonl", "versions": 2, "changed": 1, "events": 1, "continued": None, "remarks": []
    }  # fmt: skip


def test_json_of_firings_needs_standard_output(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    apply = ["apply", "act.xcep", "order.xml", "--initial", "--format", "json"]
    assert run(apply) == 2
    assert run([*apply, "-o", "new.xml"]) == 0
    firing = json.loads(capsys.readouterr().out)
    assert (firing["rule"], firing["counts"], len(firing["edits"])) == ("R", [1], 1)


def test_a_state_is_no_date(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    audit = ["audit", "log.jsonl", "--rules", "rules.xcep", "-q", "-o", "found.jsonl"]
    assert run([*audit, "--state", "state"]) == run([*audit, "--state", "state", "--final"]) == 0
    assert run([*audit, "--since", "2026-01-31"]) == 2
    assert not Path("2026-01-31").exists()


def test_rebuild_into_a_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rebuild", "log.jsonl"]) == 0
    shown = capsys.readouterr().out
    assert run(["rebuild", "log.jsonl", "-o", "again.xml"]) == 0
    assert (Path("again.xml").read_text(), capsys.readouterr().out) == (shown, "")
    assert run(["rebuild", "log.jsonl", "-o", "again.xml"]) == 2  # it may be somebody's
    assert run(["rebuild", "log.jsonl", "-o", "log.jsonl", "--force"]) == 2


@pytest.mark.parametrize(
    ("line", "begin", "completed"),
    [
        ("pending log.jsonl --rules rules.xcep --event", "C", {"Complete"}),
        ("audit log.jsonl --rules rules.xcep --where", "event=", {"event=Complete", "event=Other"}),
        ("audit log.jsonl --where", "a", {"after="}),
        ("why-not log.jsonl --rules rules.xcep", "Ot", {"Other", "Ot"}),
        ("pending log.jsonl --rules none.xcep --event", "", set()),
        ("explain", "t2", {"T2"}),
    ],
)
def test_completion(line: str, begin: str, completed: set[str], folder: Path) -> None:
    shell = ShellComplete(group, {}, "xmlcep", "_XMLCEP_COMPLETE")
    assert {each.value for each in shell.get_completions(line.split(), begin)} == completed
