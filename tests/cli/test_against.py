"""``xmlcep check --against``: what becomes of running rules if others replace them (rule G7)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from lxml import etree

import xmlcep
from tests.auditing.growing import change, write
from xmlcep.cli.main import run

OLD = "event Both = ins(item/price) & ins(item/quantity)\nevent Two(order) = x[2,2] ins(item/price)\n"
NEW = "event Cheap = ins(item/price)\nevent Both = ins(item/price) ; ins(item/quantity)\n"
LOSES = "  1 new: Cheap\n  1 changed: Both ({})\n  1 removed: Two ({})\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "old.xcep").write_text(OLD)
    (tmp_path / "new.xcep").write_text(NEW)
    return tmp_path


Said = Callable[..., str]


@pytest.fixture
def check(folder: Path, capsys: pytest.CaptureFixture[str]) -> Said:
    def called(*arguments: str) -> str:
        assert run(["check", *arguments]) == 0
        return capsys.readouterr().out

    return called


def test_a_rules_file(folder: Path, check: Said) -> None:
    assert check("-q", "new.xcep", "--against", "old.xcep") == (
        "against old.xcep:\n  1 new: Cheap\n  1 changed: Both\n  1 removed: Two\n"
    )
    assert check("-q", "old.xcep", "--against", "old.xcep") == "against old.xcep:\n  2 kept: Both, Two\n"
    assert check("new.xcep", "--against", "old.xcep").endswith("removed: Two\n")
    said = json.loads(check("--format", "json", "new.xcep", "--against", "old.xcep"))
    assert said["against"]["changed"] == ["Both"] and said["against"]["lost"] == {}


def test_the_state_of_an_audit(folder: Path, check: Said) -> None:
    write(folder / "log.jsonl", *(change(doc, ts, "price", item=ts) for doc in "AB" for ts in (2, 3, 4)))
    xmlcep.audit("log.jsonl", xmlcep.parse_rules(OLD), since="st", out="found.jsonl")
    said = check("-q", "new.xcep", "--against", "st")
    assert said == "against st:\n" + LOSES.format("6 partial matches lost", "2 partial matches lost")


def test_the_state_of_a_recording(folder: Path, check: Said) -> None:
    doc = xmlcep.fromstring("<order><item/></order>", name="order")
    with doc, xmlcep.record(doc, "log.jsonl") as recording:
        recording.watch(xmlcep.parse_rules(OLD))
        etree.SubElement(doc.root[0], "price")
        recording.checkpoint()
        said = check("-q", "new.xcep", "--against", "log.jsonl.state")
    assert said.endswith(LOSES.format("1 partial match lost", "1 partial match lost"))


@pytest.mark.parametrize(
    "content", [b'{"xmlcep":"audit"}', b'{"xmlcep":"other"}', b'{"xmlcep":"audit","version":0}']
)
def test_states_that_are_none(folder: Path, capsys: pytest.CaptureFixture[str], content: bytes) -> None:
    (folder / "st").write_bytes(content)
    assert run(["check", "new.xcep", "--against", "st"]) == 2
    assert capsys.readouterr().err.startswith("xmlcep: st: ")
