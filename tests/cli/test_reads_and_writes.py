"""What commands read may be a pipe; what they write never replaces what is read, nor what is somebody's."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import click
import pytest

import xmlcep
from xmlcep.cli import _log_arguments
from xmlcep.cli.main import group, run
from xmlcep.log import LogError

RECORD = '{"doc":"d","ts":%d,"op":"ins","path":"%s","ids":%s,"pos":0}\n'
LOG = RECORD % (1, "/a", "[1]") + RECORD % (2, "/a/item", "[1,2]")
READS_LOGS = {
    "audit": "audit {log} --rules r.xcep --quiet",
    "blame": "blame {log}",
    "log": "log {log}",
    "pending": "pending {log} --rules r.xcep",
    "rebuild": "rebuild {log}",
    "report": "report {log} --rules r.xcep -o page.html",
    "verify": "verify {log}",
    "why": "why {log} --rules r.xcep 1",
    "why-not": "why-not {log} --rules r.xcep Other",
}
"""Every command that has logs as arguments."""
WRITES = {
    ("apply", "out"): "apply act.xcep a.xml --initial --out {file}",
    ("audit", "out"): "audit log.jsonl --rules r.xcep --quiet --out {file}",
    ("audit", "quarantine"): "audit log.jsonl --rules r.xcep --quiet --quarantine {file}",
    ("audit", "since"): "audit log.jsonl --rules r.xcep --quiet --out new.jsonl --state {file}",
    ("audit", "summary_file"): "audit log.jsonl --rules r.xcep --quiet --summary {file}",
    ("audit", "html"): "audit log.jsonl --rules r.xcep --quiet --format html --out {file}",
    ("audit", "proofs"): "audit log.jsonl --rules r.xcep --quiet --proofs {file}",
    ("convert", "out"): "convert r.xcep -o {file}",
    ("convert", "target"): "convert r.xcep {file}",
    ("derive", "out"): "derive x.xsd -o {file}",
    ("diff", "out"): "diff a.xml b.xml -o {file}",
    ("history", "out"): "history a.xml b.xml -o {file}",
    ("rebuild", "out"): "rebuild log.jsonl -o {file}",
    ("report", "out"): "report log.jsonl --rules r.xcep -o {file}",
    ("stamp", "out"): "stamp kept.note -o {file}",
    ("witness", "out"): "witness log.tree --log-key k --key kept.note --state s -o {file}",
}
"""Every option and argument that names a file to be written; those for folders are tried elsewhere."""
FILES = {
    "log.jsonl": LOG,
    "r.xcep": "event A = ins(item)\nevent Other = ins(other)\n",
    "act.xcep": """rule R on (ins(item)) do set "@seen" = "'yes'"\n""",
    "a.xml": "<a><item/></a>",
    "b.xml": "<a><item/><item/></a>",
    "x.xsd": (
        '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="a"><xs:complexType><xs:sequence>'
        '<xs:element name="item" type="xs:string"/></xs:sequence></xs:complexType></xs:element></xs:schema>'
    ),
    "kept.note": "log.jsonl/1\n1\nAA==\n\n",
    "mine.txt": "written by hand\n\n",
}


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, content in FILES.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    monkeypatch.chdir(tmp_path)


def parameters() -> Iterator[tuple[str, click.Parameter]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        for parameter in command.params:
            yield name, parameter


def test_these_are_all_commands_that_read_logs_and_all_that_write() -> None:
    reading = {
        name
        for name, each in parameters()
        if each.name in ("log", "logs") and isinstance(each, click.Argument)
    }
    assert reading == READS_LOGS.keys()
    kept = {name for name, each in parameters() if each.callback is _log_arguments._kept}
    assert kept == reading
    optional = {name for name, each in parameters() if each.name == "log" and isinstance(each, click.Option)}
    assert optional == {"apply"}  # of which `test_apply_takes_all_through_standard_input`
    takes_rules = {name for name, each in parameters() if each.name in ("rules", "rules_file", "rules_files")}
    in_folder = {"serve"}  # where the rules are that it takes
    for option, more in (("references", in_folder), ("allow", set())):
        taking = {name for name, each in parameters() if each.name == option}
        assert taking == (takes_rules | more) - {"fmt"}
    writing = {
        (name, each.name)
        for name, each in parameters()
        if each.name in ("out", "target", "quarantine", "since", "summary_file", "out", "proofs")
        and isinstance(each.type, (click.Path, click.types.StringParamType))
    }
    assert writing - {("history", "since")} == WRITES.keys() - {("audit", "html")}


@pytest.mark.parametrize("command", READS_LOGS.values(), ids=READS_LOGS)
def test_a_log_may_come_through_standard_input(
    command: str, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    outcomes = []
    for log in ("log.jsonl", "-"):
        monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(LOG.encode())))
        status = run(command.format(log=log).split())
        written = capsysbinary.readouterr()
        assert b"Traceback" not in written.err
        outcomes.append((status, written.out))
        Path("page.html").unlink(missing_ok=True)
    assert outcomes[0] == outcomes[1]
    assert outcomes[0][0] == (4 if command.startswith("verify") else 0)


@pytest.mark.parametrize("name", ["audit", "pending", "why", "why-not", "report"])
def test_so_may_rules_but_not_both(
    name: str, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    command = READS_LOGS[name].replace("r.xcep", "-")
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(FILES["r.xcep"].encode())))
    assert run(command.format(log="log.jsonl").split()) == 0
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(LOG.encode())))
    assert run(command.format(log="-").split()) == 2
    assert b"standard input is the log, it cannot be the rules as well" in capsysbinary.readouterr().err


def test_apply_takes_all_through_standard_input(
    monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    document = xmlcep.parse("a.xml", name="a")
    with xmlcep.record(document, "recorded.jsonl"):
        document.root.append(document.root.makeelement("item"))
    command = ["apply", "act.xcep", "a.xml", "--log", "recorded.jsonl"]
    assert run(command) == 0
    expected = capsysbinary.readouterr().out
    assert b"seen" in expected
    for place in (1, 2, 4):
        content = Path(command[place]).read_bytes()
        monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(content)))
        assert run([*command[:place], "-", *command[place + 1 :]]) == 0
        assert capsysbinary.readouterr().out == expected
    for one, other in ((1, 2), (1, 4), (2, 4)):
        twice = ["-" if place in (one, other) else each for place, each in enumerate(command)]
        monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(b"")))
        assert run(twice) == 2
        assert b"standard input is" in capsysbinary.readouterr().err


@pytest.mark.parametrize("command", WRITES.values(), ids=map("-".join, WRITES))
def test_what_is_somebodys_is_not_replaced_unasked(
    command: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    before = {name: (tmp_path / name).read_bytes() for name in FILES}
    assert run(command.format(file="mine.txt").split()) == 2
    assert "mine.txt" in capsys.readouterr().err
    assert {name: (tmp_path / name).read_bytes() for name in FILES} == before


@pytest.mark.parametrize(
    ("place", "command"), [(place, command) for place, command in WRITES.items() if place[0] != "history"]
)
def test_what_is_read_is_not_replaced_even_if_asked(
    place: tuple[str, str], command: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    before = {name: (tmp_path / name).read_bytes() for name in FILES}
    read = [name for name in FILES if name in command.split()]
    assert read
    for name in read:
        (tmp_path / "link").unlink(missing_ok=True)
        (tmp_path / "link").symlink_to(name)
        for target in (name, "link"):
            arguments = [*command.format(file=target).split(), "--force"]
            assert run(arguments) == 2, arguments
            message = capsys.readouterr().err
            assert "is read and would be overwritten" in message or "is in " in message, message
            assert {each: (tmp_path / each).read_bytes() for each in FILES} == before


@pytest.mark.parametrize("number", [2, 3, 12])
def test_a_log_does_not_begin_where_a_later_file_of_it_is(tmp_path: Path, number: int) -> None:

    document = xmlcep.fromstring("<r/>")
    later = tmp_path / f"sg.{number:04}.jsonl"
    with xmlcep.record(document, later):
        with pytest.raises(LogError, match=rf"a log cannot begin here: .*{later.name} is there"):
            xmlcep.record(document, tmp_path / "sg.jsonl", max_bytes=400)
        assert not (tmp_path / "sg.jsonl").exists()
        document.root.set("k", "v")
    assert xmlcep.rebuild(later).get("k") == "v"
