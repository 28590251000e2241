"""Findings marked on the document (Y6)."""

from __future__ import annotations

from pathlib import Path

import pytest
from lxml import etree

from xmlcep import audit, fromstring, parse_rules, record
from xmlcep.cli.main import run

RULES = """event Priced = ins(item/price)
event Changed = upd(item/price/text())
event Gone = ins(item/price) ; del(item/price)
event Label = upd(item/@label)
"""
F = "{urn:xmlcep:findings}"


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """A log and the findings in it."""
    doc = fromstring("<order><item label='a'/><item/></order>", name="--order-->")
    with record(doc, tmp_path / "log.jsonl"):
        for item in doc.root:
            item.append(item.makeelement("price"))
            item[0].text = "3"
        doc.root[0][0].text = "4"
        doc.root[0].set("label", "b")
        doc.root[1].remove(doc.root[1][0])
    audit(tmp_path / "log.jsonl", parse_rules(RULES), out=tmp_path / "findings.jsonl")
    return tmp_path / "log.jsonl", tmp_path / "findings.jsonl"


def annotated(capfdbinary: pytest.CaptureFixture[bytes], *arguments: object) -> etree._Element:
    assert run(["rebuild", *map(str, arguments)]) == 0
    return etree.fromstring(capfdbinary.readouterr().out.strip())


def test_marks(files: tuple[Path, Path], capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    log, findings = files
    first, second = annotated(capfdbinary, log, "--annotate", findings)
    assert first.get(f"{F}events") == "Label" and first.get(f"{F}at") == "6"
    assert first[0].get(f"{F}events") == "Priced Changed"
    assert [comment.text for comment in second.iter(etree.Comment)] == [
        " Priced at 3: #1/#4/#7, deleted ", " Gone at 8: #1/#4/#7, deleted ",
    ]  # fmt: skip


def test_marks_of_the_time(files: tuple[Path, Path], capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    log, findings = files
    root = annotated(capfdbinary, log, "--annotate", findings, "--at", "4")
    assert [price.get(f"{F}events") for price in root.iter("price")] == ["Priced", "Priced"]
    assert not list(root.iter(etree.Comment))


def test_what_is_no_finding(files: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    log, _ = files
    assert run(["rebuild", str(log), "--annotate", str(log)]) == 2
    assert "line 1: no finding" in capsys.readouterr().err
