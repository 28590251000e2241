"""An audit of files by Spark: one replay, kept by Spark, from which findings, bad records and counts are taken."""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...log import BadRecord, Origin
from ...log.json_codec import FASTEST
from ...rules import PlainRules, Rules
from ..choice import likely_records
from ..failures import Failure, Failures
from ..findings.collector import Collector
from ..findings.columns import findings_schema
from ..findings.parts import PartFindings
from ..findings.writers import FindingsWriter
from ..inputs import LogFile
from ..progress import Steps
from ..request import AuditRequest
from ..rule_counts import records_by_rule, type_of
from .answers import BAD, COUNTS, DOCUMENT, END, FAILURE, FINDING, PART
from .columns import ddl
from .frames import LARGE, across_documents, answers, in_order
from .log_source import log_of
from .told import Told
from .workers import on_workers

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


RECORDS_OF_A_TASK = 250_000


def collect(
    answers: Iterable[tuple[str, bytes]], rules: Rules, collector: Collector, files: Sequence[LogFile]
) -> None:
    """Takes what is bad and what was counted: lines labelled with their kind, and of bad records, which come in order
    of files, with the place of their file.

    Raises `ReplayError` if a document cannot be replayed.
    """
    failures = Failures()
    replayed: Counter[str] = Counter()
    left_out: Counter[str] = Counter()
    for label, text in answers:
        kind, _, place = label.partition(" ")
        for line in map(FASTEST.loads, text.splitlines()):
            if kind == BAD:
                raw = base64.b64decode(line["raw_base64"]) if "raw_base64" in line else line["raw"].encode()
                file = files[int(place)]
                origin = Origin(file.name, line["record"])
                collector.add_bad(file, BadRecord(origin, line.get("offset"), line["reason"], raw))
            elif kind == FAILURE:
                failures.add(line["doc"], Failure(*line["failure"]))
            elif kind == COUNTS:
                replayed.update(line["replayed"])
                left_out.update(line["left_out"])
            elif kind == DOCUMENT:
                _collect_document(line, collector)
            else:
                collector.found(line["doc"], line["found"])
    failures.check()
    by_type = {type_of(text): count for text, count in replayed.items()}
    collector.count_for_rules(records_by_rule(rules, by_type))
    collector.left_out.update({type_of(text): count for text, count in left_out.items()})


def _collect_document(line: dict[str, Any], collector: Collector) -> None:
    doc = line["doc"]
    collector.document(doc, line["first"], line["last"], line["records"], disordered=line["disordered"])
    collector.found(doc, line["found"])
    collector.seconds(doc, line["seconds"])
    if line["withheld"]:
        collector.quarantine.withhold(doc)


class SparkAudit:
    """Replays files under a session; ``collector`` gets what is counted and what is bad."""

    def __init__(self, spark: SparkSession, request: AuditRequest, collector: Collector) -> None:
        self._spark = spark
        self._request = request
        self._collector = collector
        self._steps = Steps(request.progress, ("replaying", "writing"))

    def run(self, files: Sequence[LogFile], writer: FindingsWriter | PartFindings) -> None:
        """Audits; findings go to a writer here, or tasks write them."""
        from pyspark.sql import functions as F

        request, quarantine = self._request, self._collector.quarantine
        told = Told(
            tuple(PlainRules.of(request.rules)),
            request.operators,
            request.until,
            request.ignore_whitespace,
            together=not request.partition_by_rule,
        )
        changes = log_of(self._spark, files)
        likely = likely_records(files)
        partitions = request.partitions or 1 + likely // RECORDS_OF_A_TASK
        # Where no document can have so many, by what a record takes, none is looked at for it.
        large = LARGE if likely > LARGE // 2 else None
        with ExitStack() as kept:
            answered = answers(changes, request.rules, told, partitions, large).persist()
            kept.callback(answered.unpersist)
            self._steps.begin()
            collect(_beside_findings(answered), request.rules, self._collector, files)
            if blamed := [f"{place:09}" for place in quarantine.blamed_files]:
                concerned = changes.where("doc is not null").where(F.col("place").isin(blamed))
                for row in concerned.select("place", "doc").distinct().toLocalIterator():
                    quarantine.note_documents(int(row["place"]), {row["doc"]})
            withheld = quarantine.settle()
            self._steps.begin(records=self._collector.summary.records)
            found = self._without(answered.where(_IS_FINDING), withheld)
            if request.rules.graph.across:
                parts = self._without(answered.where(f"kind in ('{PART}', '{END}')"), withheld)
                over = across_documents(parts, told, partitions).persist()
                kept.callback(over.unpersist)
                for _, text in _beside_findings(over):
                    for line in map(FASTEST.loads, text.splitlines()):
                        self._collector.found(line["doc"], line["found"])
                found = found.unionByName(over.where(_IS_FINDING))
            if isinstance(writer, PartFindings):
                self._write_parts(in_order(found), writer.written)
            else:
                for name, text in _lines(in_order(found), "name" if request.partition_by_rule else "null"):
                    writer.write(text, name)

    def _without(self, found: DataFrame, withheld: set[str]) -> DataFrame:
        if not withheld:
            return found
        others = self._spark.createDataFrame([(doc,) for doc in withheld], "doc string")
        return found.join(others, "doc", "left_anti")

    def _write_parts(self, ordered: DataFrame, folder: Path) -> None:
        if self._request.format == "parquet":
            columns = ordered.mapInArrow(on_workers("answers", "columns"), ddl(findings_schema()))
            before = str(self._spark.conf.get(_TIMES))
            self._spark.conf.set(_TIMES, "TIMESTAMP_MICROS")  # as one process writes them
            try:
                columns.write.parquet(folder.absolute().as_uri())
            finally:
                self._spark.conf.set(_TIMES, before)
        else:
            ordered.selectExpr("cast(content as string)").write.text(folder.absolute().as_uri())


_TIMES = "spark.sql.parquet.outputTimestampType"
_IS_FINDING = f"kind = '{FINDING}'"


def _beside_findings(answered: DataFrame) -> Iterator[tuple[str, bytes]]:
    """All answers but findings, in one look: each partition that comes to the driver is a job of its own."""
    order = ("kind", "file", "place.n", "doc")
    others = (
        answered.where(f"kind not in ('{FINDING}', '{PART}', '{END}')")
        .repartitionByRange(*order)
        .sortWithinPartitions(*order)
    )
    return _lines(others, "concat_ws(' ', kind, file)")


def _lines(answered: DataFrame, label: str) -> Iterator[tuple[Any, bytes]]:
    """The contents as lines, many together, as each row costs something on its way: neighbours of one label."""
    rows = answered.selectExpr(f"{label} as label", "content")
    for row in rows.mapInArrow(
        on_workers("answers", "joined"), "label string, content binary"
    ).toLocalIterator():
        yield row["label"], bytes(row["content"])
