"""Audits and time: an ``at`` that is not a time, logs without times, ``until``; the same of both engines (W1, W6)."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from path_types import PathType
from tests.auditing.logs import write_log
from tests.auditing.simulation import simulate
from xmlcep.auditing import AuditError, audit
from xmlcep.auditing.failures import ReplayError
from xmlcep.auditing.findings.collector import Collector
from xmlcep.auditing.findings.spool import Spool
from xmlcep.auditing.quarantine import OnBadRecord
from xmlcep.auditing.result import Summary
from xmlcep.cli.main import run
from xmlcep.events import PrimitiveEvent
from xmlcep.log.json_codec import FASTEST
from xmlcep.log.parquet import ParquetWriter
from xmlcep.log.records import ClockRecord
from xmlcep.rules import Rules, parse_rules

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PAIR = "event Pair(item) = ins(item/price) ; ins(item/quantity)"
SOON = parse_rules('event Soon(item) = (ins(item/price) ; ins(item/quantity)) {within="1 h"}')
LATE = parse_rules('event Late(item) = (ins(item/price) ; not ins(item/quantity)) {within="1 h"}')
QUIET = parse_rules('event Quiet(item) = plus[(ins(item/price) | ins(item/quantity)) {end=custom}, "1 h"]')


def order(doc: str, *times: str | None, txn: int | None = None) -> list[PrimitiveEvent]:
    """An item, its price and its quantity, each at one of these times."""
    types = ["/order/item", "/order/item/price", "/order/item/quantity"]
    return [
        PrimitiveEvent(ts, "ins", PathType.parse(path), (1, 2) if ts == 1 else (1, 2, ts + 1), at=at, doc=doc, txn=txn)
        for ts, (path, at) in enumerate(zip(types, times, strict=False), start=1)
    ]  # fmt: skip


def at(clock: str) -> str:
    return f"2026-01-01T{clock}:00Z"


def simulated(
    logs: Sequence[Path], rules: Rules, *, until: str | None = None
) -> tuple[list[dict[str, Any]], int]:
    """What the steps of the distributed audit come to, and how many records are bad."""
    with Spool() as spool:
        collector = Collector(spool, Summary("test"), OnBadRecord.SKIP)
        lines = simulate(logs, rules, collector, split_bytes=300, batch=2, operators=False, until=until)
        collector.quarantine.settle()
        return [FASTEST.loads(line) for line in lines], len(list(spool.bad()))


@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_a_time_that_is_none_matters_only_where_time_is_measured(tmp_path: Path, suffix: str) -> None:
    records = [
        *order("a", at("09:00"), at("09:01"), at("09:02")),
        *order("b", at("09:00"), "soon", at("09:02")),
        *order("c", at("09:00"), at("09:01"), "2026-02-30T09:00:00Z"),
        *order("d", None, at("09:01"), at("09:02")),
    ]
    log = tmp_path / f"log.{suffix}"
    if suffix == "jsonl":
        write_log(log, records)
    else:
        with ParquetWriter(log) as writer:
            writer.write_all(records)
    for rules, docs, bad in ((parse_rules(PAIR), "abcd", 0), (SOON, "ad", 2)):
        result = audit(log, rules, engine="local", out=tmp_path / "f.jsonl")
        assert [record["doc"] for record in result.records()] == list(docs)
        assert result.summary.quarantined == bad
        found, quarantined = simulated([log], rules)
        assert (found, quarantined) == (list(result.records()), bad)
        if result.quarantine is not None:
            text = result.quarantine.read_text()
            assert "at: 'soon' is not a time: expected RFC 3339" in text
            assert "day is out of range for month; the rules measure time (W1)" in text


def test_records_out_of_order_with_such_a_time_are_sorted_without_it(tmp_path: Path) -> None:
    first, price, quantity = order("a", at("09:00"), at("09:01"), at("09:02"))
    bad = price._replace(ts=9, at="later")
    log = write_log(tmp_path / "log.jsonl", [price, bad, quantity, first])
    result = audit(log, SOON, engine="local")
    assert (len(list(result.records())), result.summary.quarantined) == (1, 1)
    assert simulated([log], SOON) == (list(result.records()), 1)


def test_clock_records_out_of_order_are_sorted(tmp_path: Path) -> None:
    """W6 says where they belong: no good record is lost for one that stands elsewhere."""
    clocks = [ClockRecord("a", 2, at("12:00")), ClockRecord("a", 2, at("09:30"))]
    log = write_log(tmp_path / "log.jsonl", [clocks[0], *order("a", at("09:00"), at("09:01")), clocks[1]])
    result = audit(log, LATE, engine="local")
    assert [record["at"] for record in result.records()] == [at("10:01")]
    assert simulated([log], LATE) == (list(result.records()), 0)


def test_a_log_without_times_is_one_sentence_of_any_engine(
    tmp_path: Path, spark: SparkSession, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first document by name is told, wherever the engine fails first."""
    log = write_log(
        tmp_path / "log.jsonl", [*order("c", *[None] * 3), *order("b", None, None), *order("a", at("09:00"))]
    )
    said = (
        "document 'b' (and 1 more document) cannot be replayed: event Soon has durations, and at record 2 the time is"
        " not known: no record up to there has a time in 'at'"
    )
    out = tmp_path / "f.jsonl"
    for options in ({"engine": "local"}, {"engine": "spark", "spark": spark, "partitions": 3}):
        with pytest.raises(ReplayError) as raised:
            audit(log, SOON, out=out, **options)  # type: ignore[arg-type]
        assert (str(raised.value), out.exists()) == (said, False)
    with pytest.raises(ReplayError) as raised:
        simulated([log], SOON)
    assert str(raised.value) == said
    rules = tmp_path / "rules.xcep"
    rules.write_text(str(SOON))
    capsys.readouterr()
    assert run(["audit", str(log), "--rules", str(rules), "--engine", "local", "-q"]) == 2
    assert capsys.readouterr().err.endswith(f"{said}\n")


@pytest.mark.parametrize(
    ("until", "found"), [(None, []), (at("10:01"), [at("10:01")]), (at("10:00"), []), (at("08:00"), [])]
)
@pytest.mark.parametrize("txn", [None, 3])
@pytest.mark.parametrize("rules", [LATE, QUIET], ids=["late", "quiet"])
def test_until(tmp_path: Path, rules: Rules, txn: int | None, until: str | None, found: list[str]) -> None:
    """What is due by then fires at the end of a document, after its last transaction, before it is closed."""
    if txn is None and rules is QUIET:
        found = []  # nothing is released before the document is closed
    records = [*order("a", at("09:00"), at("09:01"), txn=txn), *order("b", at("09:00"), txn=txn)]
    log = write_log(tmp_path / "log.jsonl", records)
    result = audit(log, rules, engine="local", until=until)
    assert [(record["doc"], record["ts"], record["at"]) for record in result.records()] == [
        ("a", 2, time) for time in found
    ]
    assert simulated([log], rules, until=until) == (list(result.records()), 0)


def test_what_until_may_be(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = write_log(tmp_path / "log.jsonl", order("a", at("09:00"), at("09:01")))
    noon = datetime.datetime(2026, 1, 1, 13, tzinfo=datetime.timezone(datetime.timedelta(hours=1)))
    assert len(list(audit(log, LATE, until=noon).records())) == 1
    for wrong, said in (
        ("noon", "'noon' is not a time"),
        (datetime.datetime(2026, 1, 1), "has no time zone"),
    ):
        with pytest.raises(AuditError, match=f"^until: .*{said}"):
            audit(log, LATE, until=wrong)
    notes = audit(log, parse_rules(PAIR), until=at("12:00")).summary.notes
    assert "until: changes nothing, because no rule measures time" in notes
    rules = tmp_path / "rules.xcep"
    rules.write_text(str(LATE))
    command = ["audit", str(log), "--rules", str(rules), "-q", "--engine", "local", "--until"]
    assert run([*command, at("12:00")]) == 0
    assert capsys.readouterr().out.count("Late") == 1
    assert run([*command, "noon"]) == 2
    assert "'noon' is not a time" in capsys.readouterr().err
