"""Audits with events over documents (V11): what is said, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

import xmlcep
from xmlcep.auditing.pasts import QuestionError
from xmlcep.auditing.request import AuditError
from xmlcep.rules import parse_rules

TEXT = "ins(order/item/@part) as $p ; ins(stock/out/@part) as $p"
RULES = parse_rules(f"event Shipped {{across}} = {TEXT}")


def record(doc: str, ts: int, path: str, value: str, at: str | None) -> dict[str, Any]:
    ids = list(range(ts, ts + path.count("/")))
    return {"doc": doc, "ts": ts, "op": "ins", "path": path, "ids": ids, "value": value, "at": at}


def log(file: Path, records: Iterable[dict[str, Any]]) -> Path:
    file.write_text("".join(json.dumps(each) + "\n" for each in records), encoding="utf-8")
    return file


ORDERED = record("order", 1, "/order/item/@part", "7", "2026-01-01T00:00:00Z")
SENT = record("stock", 1, "/stock/out/@part", "7", "2026-01-02T00:00:00Z")


def names(log: Path, rules: xmlcep.Rules = RULES, **options: Any) -> list[tuple[str, int]]:
    return [
        (each["doc"], each["ts"]) for each in xmlcep.audit(log, rules, engine="local", **options).records()
    ]


def test_the_order_is_that_of_time(tmp_path: Path) -> None:
    file = log(tmp_path / "log.jsonl", [SENT, ORDERED])
    assert names(file) == [("stock", 1)]
    before = record("order", 1, "/order/item/@part", "7", "2026-01-03T00:00:00Z")
    assert names(log(tmp_path / "other.jsonl", [SENT, before])) == []


def test_documents_that_are_not_in_order(tmp_path: Path) -> None:
    second = record("order", 2, "/order/item/@part", "8", "2026-01-01T00:00:01Z")
    file = log(tmp_path / "log.jsonl", [second, SENT, ORDERED])
    assert names(file) == [("stock", 1)]


def test_without_a_time_nothing_is_found(tmp_path: Path) -> None:
    file = log(tmp_path / "log.jsonl", [ORDERED | {"at": None}, SENT])
    with pytest.raises(
        xmlcep.XmlCepError, match="Shipped has durations, and at record 1 the time is not known"
    ):
        xmlcep.audit(file, RULES, engine="local")


def test_documents_with_bad_records_are_left_out_if_asked(tmp_path: Path) -> None:
    bad = record("order", 2, "no path", "8", None)
    file = log(tmp_path / "log.jsonl", [ORDERED, bad, SENT])
    assert names(file) == [("stock", 1)]
    assert names(file, on_bad_record="document") == []


def test_findings_as_parquet(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    file = log(tmp_path / "log.jsonl", [ORDERED, SENT])
    (lines,) = xmlcep.audit(file, RULES, out=tmp_path / "found.jsonl").records()
    (columns,) = xmlcep.audit(file, RULES, out=tmp_path / "found.parquet").records()
    assert [each["doc"] for each in lines["constituents"]] == ["order", "stock"]
    assert [each["doc"] for each in columns["constituents"]] == ["order", "stock"]


def test_rules_of_one_document_say_where_operands_occur(tmp_path: Path) -> None:
    file = log(tmp_path / "log.jsonl", [ORDERED, SENT])
    rules = parse_rules(f"event Shipped {{flat}} = {TEXT}")
    result = xmlcep.audit(file, rules, engine="local")
    said = (
        "event Shipped: ins(order/item/@part) occurs in document 'order' only, ins(stock/out/@part) occurs in"
    )
    assert any(note.startswith(said) and "{across}" in note for note in result.notes), result.notes
    assert "{across} combines several" in " ".join(xmlcep.why_not(file, rules, "Shipped").notes)
    both = [ORDERED, SENT, record("stock", 2, "/order/item/@part", "9", None)]
    assert not xmlcep.audit(log(file, both), rules, engine="local").notes[1:]


def test_what_is_refused(tmp_path: Path) -> None:
    file = log(tmp_path / "log.jsonl", [ORDERED, SENT])
    with pytest.raises(AuditError, match=r"Shipped is about several documents .* use engine='local'"):
        xmlcep.audit(file, RULES, engine="spark")
    with pytest.raises(AuditError, match="without since"):
        xmlcep.audit(file, RULES, since=tmp_path / "state", out=tmp_path / "out.jsonl")
    with pytest.raises(QuestionError, match="about several documents"):
        xmlcep.why_not(file, RULES, "Shipped")


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ("event E {across} = ins(a/@x) as $p ; ins(b)", "no variable that all its operands bind"),
        ("event E {across} = x[2,3] ins(a/@x) as $p & ins(b/@x) as $p", "can have several values"),
        (
            'event E {across, within="3 changes"} = ins(a/@x) as $p ; ins(b/@x) as $p',
            "counted in each document",
        ),
        (
            'event E {across, within="1 transaction"} = ins(a/@x) as $p ; ins(b/@x) as $p',
            "counted in each document",
        ),
        (
            "event E {across, end=custom} = ins(a/@x) as $p ; ins(b/@x) as $p",
            "no transaction is over several",
        ),
        ("event E {across, strict} = ins(a/@x) as $p ; ins(b/@x) as $p", "strict is about"),
        ("event E {across} = ins(a) as $p = (@x) ; ins(b/@x) as $p", "it asks a document"),
        ("event E(a) {across} = external", "raised in one document"),
        (
            "event E {across} = ins(a/@x) as $p ; ins(b/@x) as $p\nevent F {flat} = E(a) & ins(b)",
            "is made of E",
        ),
        (
            "event E {across} = ins(a/@x) as $p ; ins(b/@x) as $p\nrule R on E do delete '.'",
            "a rule acts in one",
        ),
    ],
)
def test_rules_that_cannot_be(rules: str, said: str) -> None:
    with pytest.raises(xmlcep.RuleError, match=said):
        parse_rules(rules)


def test_an_event_of_any_name_is_none_of_several_documents() -> None:
    rules = parse_rules(f"event Shipped {{across}} = {TEXT}\nevent Any(/order) = ?(order/item)")
    assert [tree.dependencies for tree in rules.graph.trees if tree.name == "Any"] == [()]
