"""Nothing in data steers the terminal that shows it, whatever the command and the format (SECURITY.md)."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest
from rich.table import Table
from rich.text import Text

from tests.project.source import ROOT
from xmlcep.cli._output import make_console, plain
from xmlcep.cli.main import run

STEERING = "".join(
    map(
        chr,
        [
            0x7F,
            0x85,
            0x9B,
            0x9D,
            0x61C,
            0x200E,
            0x200F,
            0x2028,
            0x2029,
            0x202A,
            0x202E,
            0x2066,
            0x2069,
            0xE0041,
        ],
    )
)
FORBIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2060-\u206f\U000e0000-\U000e007f]"
)
NAME = f"a{STEERING}b"

COMMANDS = [
    *(f"audit log.jsonl --rules rules.xcep --format {form}" for form in ("table", "csv", "jsonl")),
    "audit log.jsonl --rules rules.xcep --explain", "blame log.jsonl", "blame log.jsonl --format jsonl",
    "log log.jsonl", "rebuild log.jsonl", "check rules.xcep", "check rules.xcep --format=json", "fmt rules.xcep",
    "check wrong.xcep", "check wrong.xcep --format=json",
    "convert rules.xcep --to xml", "convert rules.xcep", "diff one.xml two.xml", "diff one.xml two.xml --format json",
    "why log.jsonl 1 --rules rules.xcep", "pending log.jsonl --rules rules.xcep", f"check {NAME}.xcep",
    f"no{NAME}", f"check --no{NAME} rules.xcep", f"audit log.jsonl --rules rules.xcep --where {NAME}",
]  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
def test_nothing_steers_a_terminal(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in (("one", "x"), ("two", NAME)):
        Path(f"{name}.xml").write_text(f"<a><b>{text}</b></a>", encoding="utf-8")
    Path("rules.xcep").write_text(
        f"event A {{if=\"$old != '{NAME}'\"}} = rep(a/b/text()) # {NAME}\n", encoding="utf-8"
    )
    Path("wrong.xcep").write_text(f"event A = ins({NAME})\n", encoding="utf-8")
    record = {
        "doc": NAME, "ts": 1, "op": "ins", "path": "/a/b", "ids": [1, 2], "value": NAME,
        "meta": {"user": NAME, "reason": NAME},
    }  # fmt: skip
    header = {"xmlcep": 1, "doc": NAME, "snapshot": "<a/>", "ids": [1]}
    lines = [header, record, record | {"ts": 2, "op": NAME}]
    Path("log.jsonl").write_text("".join(json.dumps(each) + "\n" for each in lines), encoding="utf-8")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "500")
    run(command.split(" "))
    written = capsysbinary.readouterr()
    shown = (written.out + written.err).decode("utf-8")
    assert not FORBIDDEN.search(re.sub(r"\x1b\[[0-9;]*m", "", shown)), ascii(shown)


def test_what_a_program_reads_is_as_it_was(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules = tmp_path / "rules.xcep"
    rules.write_text(f"event A = ins(a) # {NAME}\n", encoding="utf-8")
    assert run(["fmt", str(rules)]) == 0
    assert NAME in capsys.readouterr().out


def test_a_console_sends_its_own_codes_only(capsys: pytest.CaptureFixture[str]) -> None:
    console = make_console()
    table = Table(title=NAME)
    table.add_row(Text(NAME, style="bold"), "\x1b[31mred")
    console.print(NAME, table, Text(NAME))
    out = capsys.readouterr().out
    assert not FORBIDDEN.search(out) and plain(NAME) in out


def test_everything_goes_through_one_module() -> None:
    direct = re.compile(
        r"click\.(?:echo|secho)\(|\bprint\((?<!console\.print\()|stdout\.(?:write|buffer)|\bConsole\("
    )
    for module in (ROOT / "xmlcep" / "cli").glob("*.py"):
        if module.name != "_output.py":
            assert not direct.findall(module.read_text(encoding="utf-8")), module


def test_cells_that_a_spreadsheet_would_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "rules.xcep").write_text("event A = ins(a)\n", encoding="utf-8")
    for ts, begin in enumerate(("=", "+", "-", "@", "\t=", "\r=", "\n=", "＝"), start=1):
        record = {"doc": f"{begin}1+1", "ts": ts, "op": "ins", "path": "/a", "ids": [ts]}
        (tmp_path / "log.jsonl").write_text(json.dumps(record) + "\n", encoding="utf-8")
        files = [str(tmp_path / "log.jsonl"), "--rules", str(tmp_path / "rules.xcep")]
        assert run(["audit", *files, "--format", "csv"]) == 0
        document = next(csv.DictReader(io.StringIO(capsys.readouterr().out, newline="")))["document"]
        assert document[0] in "'\\", (begin, document)
