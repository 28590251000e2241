"""Both engines write the same bytes: findings, quarantine, summary."""

from __future__ import annotations

import gzip
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.auditing.logs import documents, interleaved, with_clocks, write_log
from tests.strategies import rule_sets
from xmlcep.auditing import AuditResult, audit
from xmlcep.auditing.findings.atomic_files import OutputError
from xmlcep.log.parquet import ParquetWriter
from xmlcep.log.records import Header
from xmlcep.rules import Rules, parse_rules

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def assert_same(one: AuditResult, other: AuditResult) -> None:
    """Fails with the first lines that differ."""
    first, second = list(one.lines()), list(other.lines())
    assert [line for line in first if line not in second][:2] == [
        line for line in second if line not in first
    ][:2]
    assert described(one) == described(other)


ORDER_RULES = parse_rules(
    """
    event Complete = ins(item) ; (x[0,1] ins(item/comment) & ins(item/price))
    event Quiet = (x[1,*]{end=non-local} *(item/price) & *(item/quantity)) {end=non-local}
    event Sane = (ins(item/price) & ins(item/quantity)) {when="count(*) > 1"}
    event Flat {flat, context=continuous} = ins(item) ; ins(item/price)
    event Twice = Complete(item) & ins(item/quantity)
    event AtEnd = (ins(item/price) & ins(item/quantity)) {end=custom}
    """
)


def described(result: AuditResult) -> tuple[bytes, bytes | None, list[Any]]:
    """All that must not depend on the engine."""
    quarantine = None if result.quarantine is None else result.quarantine.read_bytes()
    documents = result.summary.documents
    return result.out.read_bytes(), quarantine, [documents[doc].to_record() for doc in sorted(documents)]


@pytest.mark.slow
@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(rule_sets(), st.data())
def test_random_rules_and_logs(spark: SparkSession, definitions, data) -> None:
    rules = Rules.from_definitions(definitions)
    parts = [data.draw(with_clocks(part)) for part in data.draw(documents()) if part]
    partitions = data.draw(st.sampled_from((1, 3)))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        if data.draw(st.booleans()):
            logs = [write_log(path / f"{number}.jsonl", part) for number, part in enumerate(parts)]
        else:
            logs = [write_log(path / "all.jsonl", data.draw(interleaved(parts)))]
        if not parts:
            return
        operators = data.draw(st.booleans())
        local = described(audit(logs, rules, out=path / "local", operators=operators))
        distributed = audit(
            logs,
            rules,
            engine="spark",
            spark=spark,
            out=path / "spark",
            partitions=partitions,
            operators=operators,
        )
        assert described(distributed) == local


def orders(doc: str, count: int = 60, txn: bool = False) -> list[dict[str, Any]]:
    """A log in which items are worked on in turns."""
    records: list[dict[str, Any]] = []

    def add(op: str, path: str, ids: list[int], **more: Any) -> None:
        ts = len(records) + 1
        records.append(
            {"doc": doc, "ts": ts, "op": op, "path": path, "ids": ids, "value": None, "old": None, "pos": None,
             "at": f"2026-01-01T00:00:{ts % 60:02}Z", "txn": ts // 4 if txn else None,
             "meta": {"user": f"user {ts // 8}"} if txn else None, **more}
        )  # fmt: skip

    add("ins", "/order", [1], pos=0)
    for number in range(count):
        item = 10 + number % 7 * 1000 + number // 7 * 10
        name = ("price", "quantity", "comment")[number % 3]
        if number // 7 == 0:
            add("ins", "/order/item", [1, item], pos=0)
        add("ins", f"/order/item/{name}", [1, 10 + number % 7 * 1000, item + 5], pos=0)
    return records


def lines_of(records: list[dict[str, Any]]) -> list[bytes]:
    from xmlcep.log.json_codec import FASTEST

    return [FASTEST.dumps(record) for record in records]


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of all that logs can be: an audit in Spark takes its time whatever is in them."""
    import pyarrow

    from tests.auditing.test_splits import damage, write_parquet
    from xmlcep.events import PrimitiveEvent

    folder = tmp_path_factory.mktemp("logs")
    many = [orders(f"doc{number:03}", 12, txn=number % 3 == 0) for number in range(60)]
    in_turns = [record for records in zip(*many[:20], strict=False) for record in records]
    write_log(folder / "a.jsonl", lines_of(in_turns))
    write_log(folder / "b.jsonl", lines_of([record for log in many[20:40] for record in log]))
    packed = [record for log in many[40:] for record in log]
    damage(write_parquet(folder / "c.parquet", packed, 150), 2, "ts", at_end=False)
    (folder / "d.jsonl.gz").write_bytes(gzip.compress(b"\n".join(lines_of(orders("packed", txn=True)))))
    with pyarrow.CompressedOutputStream(str(folder / "e.jsonl.zst"), "zstd") as stream:
        stream.write(b"\n".join(lines_of(orders("packed otherwise"))))
    with ParquetWriter(folder / "f.parquet", Header("columns")) as writer:
        writer.write_all([PrimitiveEvent.from_record(record) for record in orders("columns", txn=True)])
    (folder / "g.jsonl").write_bytes(bad_and_disordered())
    write_log(folder / "h.jsonl", lines_of(half_known("half known")))
    return folder


def bad_and_disordered() -> bytes:
    """Two documents with six bad records, one of them out of order."""
    first, second = lines_of(orders("disordered", txn=True)), lines_of(orders("in order"))
    first[7], first[8] = first[8], first[7]  # out of order: sorted
    first.insert(20, first[19])  # the same time point twice, in a document that has to be sorted
    second.insert(30, second[29])  # the same in one that is in order
    second.insert(10, b'{"doc": "in order", "ts": 1, "op": "gone"}')
    second.insert(5, b"not json \xff")
    second[40] = second[40].replace(b'"ids":[1,', b'"ids":[')
    return b"\n".join([*first, b"", *second]) + b'\n{"doc": "disordered", "ts"'


def half_known(doc: str) -> list[dict[str, Any]]:
    """Records of which some do not say who and when."""
    records = orders(doc, 14, txn=True)
    for record in records[::3]:
        record["at"] = None
    for record in records[::4]:
        del record["meta"]
    return records


RULES = parse_rules(f"{ORDER_RULES.text}\nevent Several(order) {{end=custom}} = x[3,3] Complete(item)")


def test_logs_of_all_kinds(spark: SparkSession, logs: Path, tmp_path: Path) -> None:
    local = audit(logs, RULES, out=tmp_path / "local.out")
    documents = local.summary.documents
    assert len(documents) > 55 and local.summary.quarantined == 7
    assert all(documents[doc].findings > 20 for doc in ("packed", "packed otherwise", "columns"))
    assert documents["disordered"].disordered and not documents["in order"].disordered
    assert documents["in order"].missing == 1
    assert all(local.summary.per_rule.values()) and len(local.summary.per_rule) == 7
    say_who_and_when(local, half_known("half known"))
    setting = "spark.sql.execution.arrow.maxRecordsPerBatch"
    before = spark.conf.get(setting)
    distributed = audit(logs, RULES, out=tmp_path / "spark.out", engine="spark", spark=spark)
    assert_same(distributed, local)
    assert distributed.summary.rules == local.summary.rules
    assert spark.conf.get(setting) == before


def say_who_and_when(result: AuditResult, records: list[dict[str, Any]]) -> None:
    """Of each change as far as its record says it, of the finding what the record says that caused it."""
    findings = [each for each in result.records() if each["doc"] == records[0]["doc"]]
    assert len(findings) > 5
    for finding in findings:
        cause = records[finding["ts"] - 1]
        assert finding["txn"] == cause["txn"] and finding.get("meta") == cause.get("meta")
        for each in flattened(finding):
            record = records[each["ts"] - 1]
            said = {name: record[name] for name in ("at", "txn", "meta") if record.get(name) is not None}
            assert {name: each[name] for name in each.keys() & {"at", "txn", "meta"}} == said


def test_part_files_in_their_order_are_the_one_file(spark: SparkSession, tmp_path: Path) -> None:
    log = write_log(tmp_path / "log.jsonl", [line for name in "abcdef" for line in lines_of(orders(name))])
    local = audit(log, ORDER_RULES, out=tmp_path / "local.jsonl")
    setting = "spark.sql.adaptive.enabled"  # small parts would be put together
    spark.conf.set(setting, False)
    try:
        result = audit(log, ORDER_RULES, engine="spark", spark=spark, out=f"{tmp_path}/found/")
    finally:
        spark.conf.unset(setting)
    names = sorted(path.name for path in (tmp_path / "found").iterdir())
    assert names == [f"part-{number:05}.jsonl" for number in range(len(names))] and len(names) > 1
    assert b"".join((tmp_path / "found" / name).read_bytes() for name in names) == local.out.read_bytes()
    assert list(result.lines()) == list(local.lines())
    with pytest.raises(OutputError, match="is there already: findings in several files need a new folder"):
        audit(log, ORDER_RULES, engine="spark", spark=spark, out=tmp_path / "found")
    with pytest.raises(OutputError, match="is a folder: give the name of a file, or engine='spark'"):
        audit(log, ORDER_RULES, out=tmp_path / "found", engine="local")


def test_findings_as_parquet_without_documents_that_have_bad_records(
    spark: SparkSession, logs: Path, tmp_path: Path
) -> None:
    pc = pytest.importorskip("pyarrow.compute")
    local = audit(logs, RULES, out=tmp_path / "local.parquet", on_bad_record="document")
    documents = local.summary.documents
    assert documents["disordered"].withheld and documents["in order"].withheld
    assert not documents["packed"].withheld
    distributed = audit(
        logs, RULES, out=tmp_path / "spark.parquet", on_bad_record="document", engine="spark", spark=spark
    )
    assert_same(distributed, local)
    assert list(local.records()) == list(audit(logs, RULES, on_bad_record="document").records())
    assert local.findings.num_rows == local.summary.findings > 20
    with_meta = local.findings.filter(pc.field("doc") == "packed")["meta"].to_pylist()
    assert len(with_meta) == documents["packed"].findings and {"user": "user 1"} in map(dict, with_meta)


def test_parts_of_parquet(spark: SparkSession, tmp_path: Path) -> None:
    log = write_log(tmp_path / "a.jsonl", lines_of(orders("a")) + lines_of(orders("b", txn=True)))
    in_parts = audit(
        log, ORDER_RULES, out=f"{tmp_path}/parts/", format="parquet", engine="spark", spark=spark
    )
    assert list(in_parts.records()) == list(audit(log, ORDER_RULES).records())


def flattened(finding: dict[str, Any]) -> list[dict[str, Any]]:
    """The changes in a finding, or the constituent itself."""
    if "constituents" not in finding:
        return [finding]
    return [inner for each in finding["constituents"] for inner in flattened(each)]
