"""The audit of change logs: `audit`, the one function for both engines."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from ..errors import XmlCepError
from ..log.records import Row
from ..rules import Rules
from .bad_records import OnBadRecord
from .findings.atomic_files import AtomicFile, check_targets, quarantine_for
from .findings.by_event import PartitionedFindings
from .findings.collector import Collector
from .findings.spool import Spool
from .findings.writers import FindingsWriter, JsonLinesFindings, ParquetFindings, TemporaryFolder
from .inputs import LogFile, LogPath, find_files
from .local.engine import LocalAudit
from .progress import Progress, Steps
from .result import AuditResult, Summary

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Engine: TypeAlias = Literal["local", "spark"]
Format: TypeAlias = Literal["jsonl", "parquet"]

_WRITERS: dict[str, type[JsonLinesFindings] | type[ParquetFindings]] = {
    "jsonl": JsonLinesFindings,
    "parquet": ParquetFindings,
}


class AuditError(XmlCepError, ValueError):
    """An audit that was asked for in a way that cannot be."""


def audit(
    logs: LogPath | Iterable[LogPath],
    rules: Rules,
    *,
    engine: Engine = "local",
    out: LogPath | None = None,
    format: Format = "jsonl",
    partition_by_rule: bool = False,
    operators: bool = False,
    on_bad_record: Literal["skip", "document", "fail"] = "skip",
    quarantine: LogPath | None = None,
    summary_file: LogPath | None = None,
    ignore_whitespace: bool = False,
    spark: SparkSession | None = None,
    master: str | None = None,
    partitions: int | None = None,
    progress: Progress | None = None,
) -> AuditResult:
    """Replays change logs under ``rules``; the findings are the same, byte for byte, whatever the engine.

    ``logs`` are files (with those they were rolled over to), folders and glob patterns, of one or many documents.
    ``engine="spark"`` runs on ``spark``, else on ``master`` (default: this machine), in ``partitions`` partitions.
    ``out`` is where the findings go (JSON Lines or Parquet by ``format``); it appears when it is complete.
    ``partition_by_rule`` makes it a folder with a file for each event type, ``name=EVENT/findings.FORMAT``.
    ``operators`` reports inner operators, too. A bad record goes to the ``quarantine`` file (default: beside
    ``out``); ``on_bad_record`` says what becomes of its document. ``summary_file`` gets the counts in all, by event
    type and document, as a JSON object. ``ignore_whitespace`` leaves out changes of
    text that is white space before and after. ``progress`` is called now and then with an `Advance`, which says
    how far the audit is; with Spark from another thread, and what it raises then ends the audit later.

    Raises `XmlCepError`: for logs that cannot be read, a bad record with ``on_bad_record="fail"``, no Java, and
    whatever else a user can set right.
    """
    started = time.perf_counter()
    if format not in _WRITERS:
        raise AuditError(f"format is {format!r}: expected 'jsonl' or 'parquet'")
    if engine not in ("local", "spark"):
        raise AuditError(f"engine is {engine!r}: expected 'local' or 'spark'")
    if partitions is not None and partitions < 1:
        raise AuditError(f"partitions is {partitions}: expected 1 or more")
    if partition_by_rule and out is None:
        raise AuditError("partition_by_rule needs out: the folder for the findings")
    rules.warn_ignored(stacklevel=2)
    files = find_files(logs)
    summary = Summary(engine, files=len(files))
    keep = keep_meaningful if ignore_whitespace else None
    with ExitStack() as stack:
        temporary = None
        if out is None:
            temporary = TemporaryFolder("xmlcep-findings-")
            failed = stack.enter_context(ExitStack())
            failed.callback(temporary.delete)
            target = temporary.path / f"findings.{format}"
        else:
            target = Path(out)
        bad_records = quarantine_for(target) if quarantine is None else Path(quarantine)
        counts_file = None if summary_file is None else Path(summary_file)
        check_targets(
            [each for each in (None if partition_by_rule else target, bad_records, counts_file) if each],
            [*rules.files, *(file.path for file in files)],
        )
        spool = stack.enter_context(Spool())
        collector = Collector(spool, summary, OnBadRecord(on_bad_record))
        with _writing(target, format, partition_by_rule) as writer:
            if engine == "local":
                steps = Steps(progress, ("reading", "writing"))
                LocalAudit(rules, collector, operators=operators, keep=keep, steps=steps).run(files)
                _write_spooled(writer, collector, summary, steps)
            else:
                _write_from_spark(
                    writer, files, rules, collector, summary,
                    operators=operators, keep=keep, spark=spark, master=master, partitions=partitions,
                    progress=progress,
                )  # fmt: skip
            writer.close()
            bad = _write_quarantine(spool, summary, bad_records)
            summary.seconds = time.perf_counter() - started
            if counts_file is not None:
                _write_summary(summary, counts_file)
        if temporary is not None:
            failed.pop_all()
    return AuditResult(summary, target, bad, format, temporary)


@contextmanager
def _writing(target: Path, format: Format, partition_by_rule: bool) -> Iterator[FindingsWriter]:
    """A writer for findings that appear at ``target`` when the block is left without an error."""
    with ExitStack() as stack:
        writer: FindingsWriter
        if partition_by_rule:
            writer = stack.enter_context(PartitionedFindings(target, format, _WRITERS[format]))
        else:
            file = stack.enter_context(AtomicFile(target))
            assert file.stream is not None
            writer = _WRITERS[format](file.stream)
        try:
            yield writer
        except BaseException:
            writer.abandon()
            raise


def keep_meaningful(row: Row) -> bool:
    """Whether a record is more than a change of white space between elements."""
    value, old = row[4], row[5]
    if (value is None or value.isspace() or not value) and (old is None or old.isspace() or not old):
        return row[2].last.test != "text()"
    return True


def _write_spooled(writer: FindingsWriter, collector: Collector, summary: Summary, steps: Steps) -> None:
    withheld = collector.finish()
    records = summary.records
    findings = sum(sum(counts.values()) for counts in collector.found.values())
    done = 0
    steps.begin(records=records, total=records)
    for doc, text in collector.spool.findings():
        if doc not in withheld:
            writer.write(text)
        done += text.count(b"\n")
        steps.tell(done / findings, records, records)
    for doc, counts in collector.found.items():
        for name, count in counts.items():
            if doc not in withheld:
                _count(summary, doc, name, count)


def _write_from_spark(
    writer: FindingsWriter,
    files: list[LogFile],
    rules: Rules,
    collector: Collector,
    summary: Summary,
    *,
    operators: bool,
    keep: Callable[[Row], bool] | None,
    spark: SparkSession | None,
    master: str | None,
    partitions: int | None,
    progress: Progress | None,
) -> None:
    from .spark.session import require_spark, spark_session

    require_spark()
    from .spark.job import SparkAudit

    size = sum(file.size for file in files)
    with spark_session(spark, master=master, input_bytes=size) as session:
        job = SparkAudit(
            session, rules, collector,
            operators=operators, keep=keep, partitions=partitions, progress=progress,
        )  # fmt: skip
        for counts, text in job.run(files, collector.finish):
            for doc, name, count in counts:
                _count(summary, doc, name, count)
            writer.write(text)


def _count(summary: Summary, doc: str, name: str, count: int) -> None:
    entry = summary.document(doc)
    entry.findings += count
    entry.per_rule[name] = entry.per_rule.get(name, 0) + count


def _write_summary(summary: Summary, target: Path) -> None:
    with AtomicFile(target) as file:
        assert file.stream is not None
        text = json.dumps(summary.to_record(), ensure_ascii=False, indent=2)
        file.stream.write(text.encode() + b"\n")


def _write_quarantine(spool: Spool, summary: Summary, target: Path) -> Path | None:
    """Writes what was quarantined, if anything; returns where."""
    if not summary.quarantined:
        return None
    with AtomicFile(target) as file:
        assert file.stream is not None
        for _, _, line in spool.bad():
            file.stream.write(line)
    return target
