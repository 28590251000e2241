"""Audits with events over documents (V11): what is said, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest

import xmlcep
import xmlcep.spark
from tests.auditing.simulation import in_findings
from tests.auditing.test_agreement import assert_same
from xmlcep.auditing import audit
from xmlcep.auditing.pasts import QuestionError
from xmlcep.auditing.request import AuditError
from xmlcep.rules import PlainRules, parse_rules

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

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


def many(folder: Path, bad: bool = False) -> Path:
    """Logs of five documents that have thirty values in common."""
    folder.mkdir()
    for number in range(5):
        path = "/order/item/@part" if number % 2 else "/stock/out/@part"
        records = [
            record(
                f"d{number}", ts, path, str(ts * (number + 3) % 30), f"2026-01-01T00:{ts % 60:02}:0{number}Z"
            )
            for ts in range(1, 60)
        ]
        if bad and number == 3:
            records[20]["path"] = "none"
        log(folder / f"{number}.jsonl", records)
    return folder


LATE = """
    event Ordered(item) = ins(item/@part) as $q
    event Shipped {across, context=continuous} = Ordered(item) as $p = ($q) ; ins(stock/out/@part) as $p
    event Late {across, within="4 min", context=recent} = ins(order/item/@part) as $p ; not ins(stock/out/@part) as $p
"""


def test_spark_writes_what_the_local_engine_writes(spark: SparkSession, tmp_path: Path) -> None:
    logs, rules = many(tmp_path / "logs", bad=True), parse_rules(LATE)
    until, on_bad = "2026-01-01T01:02:00Z", "document"
    local = audit(logs, rules, out=tmp_path / "local", on_bad_record=on_bad, until=until)
    distributed = audit(
        logs, rules, out=tmp_path / "spark", engine="spark", spark=spark, partitions=2, until=until,
        on_bad_record=on_bad,
    )  # fmt: skip
    assert all(count > 10 for count in local.summary.per_rule.values()) and len(local.summary.per_rule) == 3
    assert_same(distributed, local)
    assert distributed.summary.per_rule == local.summary.per_rule


def test_findings_in_tables(spark: SparkSession, tmp_path: Path) -> None:
    logs, rules = many(tmp_path / "logs"), parse_rules(LATE)
    found = xmlcep.spark.findings(xmlcep.spark.read_log(spark, str(logs)), rules, large=10, partitions=2)
    local = list(audit(logs, rules).records())
    ordered = [(row.doc, row.ts, row.name) for row in sorted(found.collect(), key=in_findings)]
    assert ordered == [(each["doc"], each["ts"], each["name"]) for each in local] and len(local) > 50


def test_a_document_that_cannot_be_replayed_ends_the_job() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from xmlcep.auditing.spark.across import KEYS, values_replayed
    from xmlcep.auditing.spark.answers import FAILURE, typed
    from xmlcep.auditing.spark.told import Told

    failed = {
        "kind": FAILURE,
        "content": json.dumps({"doc": "order", "failure": [1, "E", "no time"]}).encode(),
    }
    batch = pyarrow.Table.from_pylist([failed], KEYS).to_batches()
    told = tuple(Told(tuple(PlainRules.of(RULES))))
    assert next(values_replayed(batch, told))["kind"].to_pylist() == [FAILURE]
    with pytest.raises(xmlcep.XmlCepError, match="document 'order' cannot be replayed: no time"):
        list(typed(values_replayed(batch, told)))


def test_streams_are_refused() -> None:
    with pytest.raises(xmlcep.XmlCepError, match="their order is not known"):
        xmlcep.spark.stream(None, RULES)  # type: ignore[arg-type]


def test_what_is_refused(tmp_path: Path) -> None:
    file = log(tmp_path / "log.jsonl", [ORDERED, SENT])
    with pytest.raises(AuditError, match="say 'wait' or 'refuse'"):
        xmlcep.audit(file, RULES, since=tmp_path / "state", out=tmp_path / "out.jsonl", late="restart")
    with pytest.raises(QuestionError, match="leave node and doc out"):
        xmlcep.why_not(file, RULES, "Shipped", doc="order")
    with pytest.raises(QuestionError, match="where you gave time points"):
        xmlcep.why_not(file, RULES, "Shipped", at=1)


@pytest.mark.parametrize("new_since", ["now", "begin"])
def test_audits_that_go_on(tmp_path: Path, new_since: Literal["now", "begin"]) -> None:
    both = parse_rules(f"event Shipped {{across}} = {TEXT}\nevent Also {{across}} = {TEXT}")
    orders, stock = log(tmp_path / "order.jsonl", [ORDERED]), tmp_path / "stock.jsonl"
    first = {"since": tmp_path / "state", "out": tmp_path / "out"}
    assert names(orders, **first) == []
    log(stock, [SENT])
    second = audit(tmp_path.glob("*.jsonl"), both, **first, new_since=new_since)
    assert second.notes == ["rules replaced: 1 kept: Shipped", "rules replaced: 1 new: Also"]
    found = [each["name"] for each in second.records()]
    assert found == (["Shipped"] if new_since == "now" else ["Shipped", "Also"])
    early = record("order", 2, "/order/item/@part", "8", "2026-01-01T12:00:00Z")
    orders.write_text(orders.read_text() + json.dumps(early) + "\n")
    (note,) = audit(tmp_path.glob("*.jsonl"), RULES, **first, on_removed="drop").notes[2:]
    assert note.startswith("1 change was made before what earlier runs have read of other documents")
    assert note.endswith("take them as of 2026-01-02T00:00:00Z (V11)")


def test_questions(tmp_path: Path) -> None:
    third = record("order", 2, "/order/item/@part", "8", "2026-01-03T00:00:00Z")
    file, rules = log(tmp_path / "log.jsonl", [SENT, ORDERED, third]), parse_rules(LATE)
    (shipped,) = (
        number for number, each in enumerate(audit(file, rules).records(), 1) if each["name"] == "Shipped"
    )
    why = xmlcep.why(file, rules, shipped)
    assert why == xmlcep.why(file, rules, "1:Shipped:") == xmlcep.why(file, rules, "1:Shipped:", doc="stock")
    assert str(why).startswith(
        "Shipped was raised at the documents at 1 of 'stock': ins(/stock#1/out#2/@part) at 1 of"
    )
    ordered, sent = why.groups[0].part.parts
    assert [(event.name, event.cause.doc) for event in ordered.events] == [("Ordered", "order")]  # type: ignore[union-attr]
    assert [(each["doc"], each["ts"]) for each in sent.to_record(several=True)["events"]] == [("stock", 1)]
    assert "Ordered(/order#1/item#2) at 1 of 'order' {ins@1 of 'order'}" in why.text()
    with pytest.raises(QuestionError, match="no finding 1:Shipped:"):
        xmlcep.why(file, rules, "1:Shipped:", doc="order")
    with pytest.raises(QuestionError, match="there are 4"):
        xmlcep.why(file, rules, 9)
    assert "has $p = '7', and the others have $p = '8'" in str(xmlcep.why_not(file, rules, "Shipped"))
    before = str(xmlcep.why_not(file, rules, "Shipped", at="2026-01-01T12:00:00Z"))
    assert before.startswith(
        "Shipped was not raised at the documents: never-occurred: no ins(stock/out/@part)"
    )
    (group,) = xmlcep.pending(file, rules, event="Shipped")
    assert (group.values, group.missing) == ((("p", "'8'"),), ["ins(stock/out/@part) as $p"])
    assert {each.event for each in xmlcep.pending(file, rules)} == {"Shipped", "Late"}
    assert not xmlcep.pending(file, rules, doc="order").total


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
