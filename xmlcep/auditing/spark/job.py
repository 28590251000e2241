"""An audit of files by Spark: one replay, kept by Spark, from which findings, bad records and counts are taken."""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Protocol

from ...log import BadRecord, Origin
from ...log.json_codec import FASTEST
from ...rules import PlainRules, Rules
from ..failures import Failure, Failures
from ..findings.collector import Collector
from ..findings.writers import FindingsWriter
from ..inputs import LogFile
from ..progress import Steps
from ..request import AuditRequest
from ..rule_counts import records_by_rule, type_of
from .answers import BAD, COUNTS, DOCUMENT, END, FAILURE, FINDING, FOUND, PART
from .frames import LARGE, across_documents, answers, in_order
from .log_source import log_of
from .told import Told
from .workers import on_workers

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


_LEAST_BYTES = 30  # of a record
_UNPACKED = 30  # times as large a packed file, or one of Parquet, may be as lines


class Answered(Protocol):
    """The answers of all tasks."""

    def of_kind(self, kind: str) -> Iterator[Any]:
        """The contents of those of a kind."""

    def bad(self) -> Iterator[tuple[str, bytes]]:
        """Bad records in the order of files: the place of the file, the line of a quarantine file."""


def collect(answered: Answered, rules: Rules, collector: Collector, files: Sequence[LogFile]) -> None:
    """Takes what is bad, and what was counted; raises `ReplayError` if a document cannot be replayed."""
    for place, text in answered.bad():
        line = FASTEST.loads(text)
        raw = base64.b64decode(line["raw_base64"]) if "raw_base64" in line else line["raw"].encode()
        bad = BadRecord(Origin(line["file"], line["record"]), line["offset"], line["reason"], raw)
        collector.add_bad(files[int(place)], bad)
    failures = Failures(rules)
    for line in answered.of_kind(FAILURE):
        failures.add(line["doc"], Failure(*line["failure"]))
    failures.check()
    replayed: Counter[str] = Counter()
    left_out: Counter[str] = Counter()
    for line in answered.of_kind(COUNTS):
        replayed.update(line["replayed"])
        left_out.update(line["left_out"])
    by_type = {type_of(text): count for text, count in replayed.items()}
    collector.count_for_rules(records_by_rule(rules, by_type))
    collector.left_out.update({type_of(text): count for text, count in left_out.items()})
    for line in answered.of_kind(DOCUMENT):
        doc = line["doc"]
        collector.document(doc, line["first"], line["last"], line["records"], disordered=line["disordered"])
        collector.found(doc, line["found"])
        collector.seconds(doc, line["seconds"])
        if line["withheld"]:
            collector.quarantine.withhold(doc)
    for line in answered.of_kind(FOUND):
        collector.found(line["doc"], line["found"])


class SparkAudit:
    """Replays files under a session; ``collector`` gets what is counted and what is bad."""

    def __init__(self, spark: SparkSession, request: AuditRequest, collector: Collector) -> None:
        self._spark = spark
        self._request = request
        self._collector = collector
        self._steps = Steps(request.progress, ("replaying", "writing"))

    def run(self, files: Sequence[LogFile], writer: FindingsWriter) -> None:
        """Audits; findings go to a writer here."""
        request, quarantine = self._request, self._collector.quarantine
        told = Told(
            tuple(PlainRules.of(request.rules)), request.operators, request.until, request.ignore_whitespace
        )
        changes = log_of(self._spark, files)
        with ExitStack() as kept:
            answered = answers(changes, request.rules, told, request.partitions, _large(files)).persist()
            kept.callback(answered.unpersist)
            self._steps.begin()
            collect(_InFrames(answered), request.rules, self._collector, files)
            if quarantine.by_file:
                for row in (
                    changes.where("doc is not null").select("place", "doc").distinct().toLocalIterator()
                ):
                    quarantine.note_documents(files[int(row["place"])].place, {row["doc"]})
            withheld = quarantine.settle()
            self._steps.begin(records=self._collector.summary.records)
            found = self._without(_of_kind(answered, FINDING), withheld)
            if request.rules.graph.across:
                parts = self._without(answered.where(f"kind in ('{PART}', '{END}')"), withheld)
                over = across_documents(parts, told, request.partitions).persist()
                kept.callback(over.unpersist)
                for line in _InFrames(over).of_kind(FOUND):
                    self._collector.found(line["doc"], line["found"])
                found = found.unionByName(_of_kind(over, FINDING))
            self._write(in_order(found), writer)

    def _without(self, found: DataFrame, withheld: set[str]) -> DataFrame:
        if not withheld:
            return found
        others = self._spark.createDataFrame([(doc,) for doc in withheld], "doc string")
        return found.join(others, "doc", "left_anti")

    def _write(self, ordered: DataFrame, writer: FindingsWriter) -> None:
        for name, text in _chunks(ordered, by_name=self._request.partition_by_rule):
            writer.write(text, name)


class _InFrames:
    """Answers in a DataFrame."""

    def __init__(self, answered: DataFrame) -> None:
        self._answered = answered

    def of_kind(self, kind: str) -> Iterator[Any]:
        for _, text in _chunks(_of_kind(self._answered, kind)):
            yield from map(FASTEST.loads, text.splitlines())

    def bad(self) -> Iterator[tuple[str, bytes]]:
        bad = _of_kind(self._answered, BAD).select("file", "place.n", "content").orderBy("file", "n")
        return ((row["file"], bytes(row["content"])) for row in bad.toLocalIterator())


def _large(files: Sequence[LogFile]) -> int | None:
    """From how many records on documents are divided; None if none can have so many: that saves a look at all."""
    most = sum(file.size * (_UNPACKED if file.kind != "plain" else 1) for file in files) // _LEAST_BYTES
    return LARGE if most > LARGE else None


def _of_kind(answered: DataFrame, kind: str) -> DataFrame:
    from pyspark.sql import functions as F

    return answered.where(F.col("kind") == kind)


def _chunks(answered: DataFrame, *, by_name: bool = False) -> Iterator[tuple[str | None, bytes]]:
    """The contents as lines, many together, as each row costs something on its way; or those of one event together."""
    task = on_workers("answers", "joined", by_name)
    for row in (
        answered.select("name", "content").mapInArrow(task, "name string, content binary").toLocalIterator()
    ):
        yield row["name"], bytes(row["content"])
