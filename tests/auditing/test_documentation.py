"""docs/audit.md: its commands and its Python run, in order, over a folder of logs as it names them."""

from __future__ import annotations

import gzip
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import xmlcep
from tests.project.source import ROOT
from xmlcep.cli.main import run

PAGE = (ROOT / "docs" / "audit.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BLOCKS = BLOCK.findall(PAGE)
COMMANDS = [
    line for kind, text in BLOCKS if not kind for line in text.splitlines() if line.startswith("xmlcep ")
]
ELSEWHERE = ("spark://", "SPARK_SUBMIT_OPTS", "spark-submit", "replaying ")
"""What needs a cluster, or a process of its own (tests/auditing/test_submit.py has the program)."""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with rules and logs, plain and packed."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "logs").mkdir()
    Path("rules.xcep").write_text(
        "event Both = ins(item/price) & ins(item/quantity)\n"
        'event Unpaid {within="3 days"} = ins(item) ; not del(item)\n'
    )
    for name in ("one", "two"):
        doc = xmlcep.fromstring("<order/>", name=name, now=lambda: 1_700_000_000)
        with xmlcep.record(doc, f"logs/{name}.jsonl"):
            item = doc.root.makeelement("item")
            doc.root.append(item)
            for part in ("price", "quantity"):
                item.append(item.makeelement(part))
    Path("logs/two.jsonl.gz").write_bytes(gzip.compress(Path("logs/two.jsonl").read_bytes()))
    Path("logs/two.jsonl").unlink()
    return tmp_path


def test_every_block_is_run_here_or_needs_a_cluster() -> None:
    said = [line for kind, text in BLOCKS if not kind for line in text.splitlines()]
    assert len(COMMANDS) >= 6
    assert [
        line for line in said if line not in COMMANDS and not any(map(line.__contains__, ELSEWHERE))
    ] == []
    assert {kind for kind, _ in BLOCKS} == {"", "python"}


@pytest.mark.parametrize("command", [line for line in COMMANDS if not any(map(line.__contains__, ELSEWHERE))])
def test_the_commands(
    command: str, place: Path, capsys: pytest.CaptureFixture[str], spark: SparkSession
) -> None:
    if "--final" in command:
        assert run([*shlex.split(command)[1:-1]]) == 0  # it closes a state that a run before has made
    assert run(shlex.split(command)[1:]) == 0, capsys.readouterr().err


def test_the_python(place: Path, spark: SparkSession, capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {"rules": xmlcep.load_rules("rules.xcep")}
    for kind, text in BLOCKS:
        if kind == "python":
            exec(compile(text.replace('"/shared/logs"', '"logs/"'), "audit.md", "exec"), names)
    assert names["result"].summary.records == 6
    assert "1/2" in capsys.readouterr().out  # what the progress has printed
