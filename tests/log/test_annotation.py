"""Findings marked on the document (Y6)."""

from __future__ import annotations

from pathlib import Path

import pytest
from lxml import etree

from xmlcep import Replica, audit, fromstring, parse_rules, record
from xmlcep.cli.main import run
from xmlcep.recording.annotation import mark_findings

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


def test_the_replica_is_left_alone() -> None:
    replica = Replica.from_snapshot("<order><item/></order>", [1, 2])
    finding = {"doc": "", "ts": 7, "name": "Both", "path": "/order/item", "ids": [1, 2]}
    once, again = (mark_findings(replica, [finding], doc="", ts=9) for _ in range(2))
    assert once is not None and again is not None
    assert etree.tostring(once) == etree.tostring(again)
    plain = replica.tree()
    assert plain is not None and etree.tostring(plain) == b"<order><item/></order>"


def test_marks_of_the_time(files: tuple[Path, Path], capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    log, findings = files
    root = annotated(capfdbinary, log, "--annotate", findings, "--at", "4")
    assert [price.get(f"{F}events") for price in root.iter("price")] == ["Priced", "Priced"]
    assert not list(root.iter(etree.Comment))


def test_what_is_no_finding(files: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    log, _ = files
    assert run(["rebuild", str(log), "--annotate", str(log)]) == 2
    assert "line 1: not a finding: expected JSON Lines" in capsys.readouterr().err


def test_only_marks_are_added(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """One declaration, wherever the first mark is, and none of the document's is lost: a type's name may need it."""
    text = '<order xmlns:t="urn:types"><item kind="t:book"/></order>'
    doc = fromstring(text, name="order")
    with record(doc, tmp_path / "log.jsonl"):
        doc.root.set("sent", "1")
        doc.root[0].set("sent", "1")
    rules = parse_rules("event Sent = ins(order/@sent)\nevent Taken = ins(item/@sent)")
    audit(tmp_path / "log.jsonl", rules, out=tmp_path / "findings.jsonl")
    root = annotated(capfdbinary, tmp_path / "log.jsonl", "--annotate", tmp_path / "findings.jsonl")
    assert root.nsmap == {"t": "urn:types", "f": F[1:-1]}
    for element in root.iter():
        assert element.attrib.pop(f"{F}events") and element.attrib.pop(f"{F}at")
        assert element.attrib.pop("sent")
    etree.cleanup_namespaces(root, keep_ns_prefixes=["t"])
    assert etree.tostring(root).decode() == text
