"""An audit of files by Spark: one replay, kept by Spark, from which findings, bad records and counts are taken."""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...log import BadRecord, Origin
from ...log.json_codec import FASTEST
from ...rules import PlainRules
from ..failures import Failure, Failures
from ..findings.collector import Collector
from ..findings.writers import FindingsWriter
from ..inputs import LogFile
from ..progress import Steps
from ..request import AuditRequest
from ..rule_counts import records_by_rule, type_of
from .answers import BAD, COUNTS, DOCUMENT, FAILURE, FINDING
from .frames import answers, in_order
from .log_source import log_of
from .replay import Told
from .workers import on_workers

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class SparkAudit:
    """Replays files under a session; ``collector`` gets what is counted and what is bad."""

    def __init__(self, spark: SparkSession, request: AuditRequest, collector: Collector) -> None:
        self._spark = spark
        self._request = request
        self._collector = collector
        self._steps = Steps(request.progress, ("replaying", "writing"))

    def run(self, files: Sequence[LogFile], writer: FindingsWriter | Path) -> None:
        """Audits; findings go to a writer here, or to a folder that tasks write part files into."""
        request = self._request
        told = Told(
            tuple(PlainRules.of(request.rules)), request.operators, request.until, request.ignore_whitespace
        )
        changes = log_of(self._spark, files)
        answered = answers(changes, told, request.partitions).persist()
        try:
            self._steps.begin()
            self._count(answered)
            self._take_bad(answered, files)
            if self._collector.quarantine.by_file:
                self._note_documents(changes, files)
            withheld = self._collector.quarantine.settle()
            self._steps.begin(records=self._collector.summary.records)
            self._write(in_order(self._without(_of_kind(answered, FINDING), withheld)), writer)
        finally:
            answered.unpersist()

    def _count(self, answered: DataFrame) -> None:
        """What was counted of documents, and of all; raises `ReplayError` if one cannot be replayed."""
        collector, rules = self._collector, self._request.rules
        failures = Failures(rules)
        for line in _lines(_of_kind(answered, FAILURE)):
            failures.add(line["doc"], Failure(*line["failure"]))
        failures.check()
        replayed: Counter[str] = Counter()
        left_out: Counter[str] = Counter()
        for line in _lines(_of_kind(answered, COUNTS)):
            replayed.update(line["replayed"])
            left_out.update(line["left_out"])
        by_type = {type_of(text): count for text, count in replayed.items()}
        collector.count_for_rules(records_by_rule(rules, by_type))
        collector.left_out.update({type_of(text): count for text, count in left_out.items()})
        for line in _lines(_of_kind(answered, DOCUMENT)):
            doc = line["doc"]
            collector.document(
                doc, line["first"], line["last"], line["records"], disordered=line["disordered"]
            )
            collector.found(doc, line["found"])
            collector.seconds(doc, line["seconds"])
            if line["withheld"]:
                collector.quarantine.withhold(doc)

    def _take_bad(self, answered: DataFrame, files: Sequence[LogFile]) -> None:
        bad = _of_kind(answered, BAD).select("file", "place.n", "content").orderBy("file", "n")
        for row in bad.toLocalIterator():
            line = FASTEST.loads(row["content"])
            raw = base64.b64decode(line["raw_base64"]) if "raw_base64" in line else line["raw"].encode()
            record = BadRecord(Origin(line["file"], line["record"]), line["offset"], line["reason"], raw)
            self._collector.quarantine.add(files[int(row["file"])], record)

    def _note_documents(self, changes: DataFrame, files: Sequence[LogFile]) -> None:
        """Which documents files have, where a bad record may cost those of its file their findings."""
        for row in changes.where("doc is not null").select("place", "doc").distinct().toLocalIterator():
            self._collector.quarantine.note_documents(files[int(row["place"])].place, {row["doc"]})

    def _without(self, found: DataFrame, withheld: set[str]) -> DataFrame:
        if not withheld:
            return found
        others = self._spark.createDataFrame([(doc,) for doc in withheld], "doc string")
        return found.join(others, "doc", "left_anti")

    def _write(self, ordered: DataFrame, writer: FindingsWriter | Path) -> None:
        if isinstance(writer, Path):
            ordered.selectExpr("cast(content as string) as value").write.text(str(writer))
            return
        by_name = self._request.partition_by_rule
        for name, text in _chunks(ordered, by_name=by_name):
            writer.write(text, name)


def _of_kind(answered: DataFrame, kind: str) -> DataFrame:
    from pyspark.sql import functions as F

    return answered.where(F.col("kind") == kind)


def _lines(answered: DataFrame) -> Iterator[Any]:
    """The contents of answers, from JSON."""
    for _, text in _chunks(answered):
        yield from map(FASTEST.loads, text.splitlines())


def _chunks(answered: DataFrame, *, by_name: bool = False) -> Iterator[tuple[str | None, bytes]]:
    """The contents as lines, many together, as each row costs something on its way; or those of one event together."""
    columns = answered.select("name", "content")
    for row in columns.mapInArrow(
        on_workers("answers", "joined", by_name), "name string, content binary"
    ).toLocalIterator():
        yield row["name"], bytes(row["content"])
