"""What the command does, Python does under the same name."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import xmlcep
from xmlcep.auditing import AuditError
from xmlcep.cli.main import run
from xmlcep.versions import VersionError


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for number, text in enumerate(("<order/>", "<order><item/></order>", "<order><item/><item/></order>")):
        Path(f"v{number}.xml").write_text(text)
    done = xmlcep.history(["v0.xml", "v1.xml", "v2.xml"], "log.jsonl", name="order")
    assert (done.read, done.changed) == (3, 2)
    Path("rules.xcep").write_text("event New = ins(item)\nevent Never = ins(item) & ins(item/x)\n")
    return tmp_path / "log.jsonl"


def test_history_is_the_same_log(log: Path) -> None:
    assert run(["history", "v0.xml", "v1.xml", "v2.xml", "-o", "other.jsonl", "--name", "order", "-q"]) == 0
    assert Path("other.jsonl").read_bytes() == log.read_bytes()
    with pytest.raises(VersionError, match="`branch` is for a file in git"):
        xmlcep.history(["v0.xml", "v1.xml"], "x.jsonl", branch="main")


def test_the_others(log: Path) -> None:
    rules = xmlcep.load_rules("rules.xcep")
    assert xmlcep.report(log, rules, "page.html").title == "Audit of log.jsonl"
    assert next(line.text for line in xmlcep.blame(log).lines()) == "<order>"
    assert xmlcep.why(log, rules, 1).text()
    assert xmlcep.why_not(log, rules, "Never").text()
    assert len(xmlcep.pending(log, rules)) == 2
    assert xmlcep.__version__


def test_where(log: Path) -> None:
    rules = xmlcep.load_rules("rules.xcep")
    found = xmlcep.audit(log, rules, where=["event=New", "after=2"], engine="local")
    assert [record["ts"] for record in found.records()] == [2] and found.summary.findings == 2
    assert len(list(found.lines())) == found.to_arrow().num_rows == 1
    stored = xmlcep.audit(log, rules, where=["document=other"], out="all.parquet", engine="local")
    assert list(stored.records()) == [] and len(list(xmlcep.audit(log, rules, engine="local").lines())) == 2
    with pytest.raises(AuditError, match="'Nwe' is not an event of these rules: did you mean New"):
        xmlcep.audit(log, rules, where=["event=Nwe"])


def test_what_is_asked_for_later_is_imported_later() -> None:
    code = "import sys, xmlcep; print('xmlcep.versions.blame' in sys.modules, xmlcep.blame.__name__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "blame"]
    with pytest.raises(AttributeError, match="module 'xmlcep' has no attribute 'blaim'"):
        xmlcep.blaim  # noqa: B018


def test_a_watch_lists_what_is_for_applications() -> None:
    with xmlcep.fromstring("<order/>").watch(xmlcep.parse_rules("event A = ins(item)")) as watch:
        names = [name for name in dir(watch) if not name.startswith("__")]
    assert {"flush", "close", "findings", "pending", "why"} <= set(names)
    assert [name for name in names if name.startswith("on_")] == []
