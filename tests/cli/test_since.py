"""`xmlcep audit --state`: runs that go on, from the command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from xmlcep.cli.main import run

RULES = "event Both(item) = ins(item/price) & ins(item/quantity)\n"


def change(ts: int, name: str) -> str:
    return json.dumps(
        {"doc": "o", "ts": ts, "op": "ins", "path": f"/order/item/{name}", "ids": [1, 2, 2 + ts], "pos": 0}
    )


def resumed(rules: Path, log: Path, folder: Path) -> list[str]:
    """The command whose runs go on from each other."""
    where = ["--out", str(folder / "found.jsonl"), "--state", str(folder / "state")]
    return ["audit", str(log), "--rules", str(rules), *where]


def test_a_folder_that_grows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules, logs, out, whole = (tmp_path / name for name in ("r.xcep", "logs", "found.jsonl", "whole.jsonl"))
    rules.write_text(RULES, encoding="utf-8")
    logs.mkdir()
    command = ["audit", str(logs), "--rules", str(rules)]
    going_on = [*command, "--out", str(out), "--state", str(tmp_path / "audit.state")]
    (logs / "a.jsonl").write_text(change(1, "price") + "\n", encoding="utf-8")
    assert run(going_on) == 0
    assert out.read_bytes() == b""
    (logs / "b.jsonl").write_text(change(2, "quantity") + "\n", encoding="utf-8")
    assert run([*going_on, "--final"]) == 0
    assert len(out.read_bytes().splitlines()) == 1
    assert run([*command, "--out", str(whole)]) == 0
    assert out.read_bytes() == whole.read_bytes()
    capsys.readouterr()
    assert run(going_on) == 2
    assert "audit.state: the audit was closed by its last run (--final)" in capsys.readouterr().err


def test_a_late_record_is_not_called_one_that_fits_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules, log = tmp_path / "r.xcep", tmp_path / "a.jsonl"
    rules.write_text(RULES, encoding="utf-8")
    command = resumed(rules, log, tmp_path)
    log.write_text(f"{change(1, 'price')}\n{change(3, 'price')}\n", encoding="utf-8")
    assert run(command) == 0
    with log.open("a", encoding="utf-8") as lines:
        lines.write(f"{change(2, 'quantity')}\n")
    capsys.readouterr()
    assert run(command) == 3
    said = capsys.readouterr().err
    assert "no usable record of this run fits the paths of Both" in said
    assert "1 record came too late: an earlier run had already read up to ts 3" in said


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--final"], "--final needs --state"),
        (["--on-removed", "drop"], "--on-removed and --new-since need --state"),
        (["--state", "s", "--late", "refuse", "--wait", "1 h"], "leave it out, or --late refuse"),
        (["--state", "s", "--on-bad-record", "document"], "--on-bad-record document withholds"),
    ],
)
def test_an_error_names_options_not_parameters(
    options: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules, log = tmp_path / "r.xcep", tmp_path / "a.jsonl"
    rules.write_text(RULES, encoding="utf-8")
    log.write_text(change(1, "price"), encoding="utf-8")
    where = ["--rules", str(rules), "--out", str(tmp_path / "found.jsonl")]
    assert run(["audit", str(log), *where, *options]) == 2
    assert said in capsys.readouterr().err


def test_changed_rules_are_refused_with_the_option(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules, log = tmp_path / "r.xcep", tmp_path / "a.jsonl"
    log.write_text(change(1, "price"), encoding="utf-8")
    command = resumed(rules, log, tmp_path)
    for text in (RULES, "event Other(item) = ins(item/price)\n"):
        rules.write_text(text, encoding="utf-8")
        status = run(command)
    assert status == 2
    assert "(--on-removed, 'flush' or 'drop')" in capsys.readouterr().err
