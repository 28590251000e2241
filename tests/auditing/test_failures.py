"""Killed workers, an engine or a job that fails, a full disk: the answer is right, or one sentence."""

from __future__ import annotations

import gzip
import json
import os
import signal
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.auditing.levels import LEVELS
from tests.auditing.logs import write_log
from tests.auditing.simulation import simulate
from tests.auditing.test_agreement import described, lines_of, orders
from xmlcep.auditing import SparkError, audit
from xmlcep.auditing.failures import ReplayError
from xmlcep.auditing.findings.atomic_files import OutputError
from xmlcep.auditing.findings.collector import Collector
from xmlcep.auditing.findings.spool import Spool
from xmlcep.auditing.quarantine import OnBadRecord
from xmlcep.auditing.result import Summary
from xmlcep.auditing.spark import frames, log_source
from xmlcep.auditing.spark.failures import explain, explained
from xmlcep.auditing.spark.session import start_session
from xmlcep.engine import Detector
from xmlcep.log.records import ClockRecord
from xmlcep.rules import parse_rules

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A log of two documents, one with transactions."""
    return write_log(tmp_path / "log.jsonl", lines_of(orders("a", txn=True)) + lines_of(orders("b")))


def changed(monkeypatch: pytest.MonkeyPatch, name: str, change: Callable[[Any, Any], Iterator[Any]]) -> None:
    """Has the task of this name done by ``change``, which gets it and the batches."""
    usual = log_source.on_workers  # with the changes before this one

    def on_workers(module: str, function: str, *arguments: Any) -> Any:
        task = usual(module, function, *arguments)
        if function != name:
            return task
        return lambda batches: change(task, batches)

    for module in (frames, log_source):
        monkeypatch.setattr(module, "on_workers", on_workers)


def test_killed_workers_change_nothing(
    spark: SparkSession, log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def deadly(step: str) -> Callable[[Any, Any], Iterator[Any]]:
        killed = tmp_path / step

        def killing(task: Any, batches: Any) -> Iterator[Any]:
            for answer in task(batches):
                yield answer
                if not killed.exists():  # some of its answer is out
                    killed.touch()
                    os.kill(os.getpid(), signal.SIGKILL)

        return killing

    steps = ("lines_read", "replayed")
    for step in steps:
        changed(monkeypatch, step, deadly(step))
    distributed = audit(log, LEVELS, engine="spark", spark=spark, partitions=2, out=tmp_path / "spark.out")
    assert all((tmp_path / step).exists() for step in steps)
    local = audit(log, LEVELS, out=tmp_path / "local.out")
    assert described(distributed) == described(local)
    one, other = distributed.summary, local.summary
    assert (one.records, one.to_record()["rules"]) == (other.records, other.to_record()["rules"])


def test_an_engine_that_fails_is_one_sentence_and_leaves_nothing(
    spark: SparkSession, log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(task: Any, batches: Any) -> Iterator[Any]:
        def fail(_: Any, rows: Iterable[Any], *, ends: bool) -> Iterator[Any]:
            for _row in rows:
                raise ValueError("the engine\nis broken")
            yield

        with pytest.MonkeyPatch.context() as patch:  # the worker process will be used again
            patch.setattr(Detector, "replay", fail)
            yield from task(batches)

    changed(monkeypatch, "replayed", broken)
    said = r"document '[ab]' cannot be replayed: ValueError: the engine is broken"
    with pytest.raises(SparkError, match=rf"^the Spark job failed: ReplayError: {said}$"):
        audit(log, LEVELS, engine="spark", spark=spark, partitions=1, out=tmp_path / "f.jsonl")
    assert [path.name for path in tmp_path.iterdir()] == ["log.jsonl"]


def test_a_failure_says_where(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = parse_rules("event A {severity=error} = (ins(item) ; ins(item/price))")

    def feed(*_: Any) -> bool:
        raise IndexError("list index out of range")

    monkeypatch.setattr("xmlcep.engine.evaluation.Evaluation.take_report", feed)
    said = r"^document '[ab]' cannot be replayed at time point \d+: IndexError: list index out of range$"
    with Spool() as spool, pytest.raises(ReplayError, match=said):
        collector = Collector(spool, Summary("simulated"), OnBadRecord.SKIP)
        simulate([log], rules, collector, split_bytes=10**6, batch=100)


def test_a_full_disk_for_temporary_files_is_one_sentence_and_leaves_nothing(
    spark: SparkSession, log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    log.write_bytes(log.read_bytes() + b"no record\n")
    monkeypatch.setattr(Spool, "add_bad", full)
    with pytest.raises(
        OutputError, match=r"^temporary files in .*: .*disk is full: set TMPDIR to a folder with room$"
    ):
        audit(log, LEVELS, engine="spark", spark=spark, partitions=2, out=tmp_path / "f.jsonl")
    assert [path.name for path in tmp_path.iterdir()] == ["log.jsonl"]


@pytest.mark.parametrize("master", ["nonsense", "local[x]", "local[2", "spark:/host", "local[2] ", ""])
def test_what_is_no_master(master: str) -> None:
    with pytest.raises(
        SparkError, match=r"is no Spark master: expected local, local\[4\], spark://HOST:PORT"
    ):
        start_session(master)


def test_causes_are_named() -> None:
    assert "master cannot be reached" in explain(
        RuntimeError(
            "java.lang.IllegalStateException: Cannot call methods on a stopped SparkContext.\n\tat x.y"
        )
    )
    assert "memory" in explain(RuntimeError("... java.lang.OutOfMemoryError: Java heap space\n\tat x.y"))
    too_large = "Total size of results of 1 tasks (2.0 MiB) is bigger than spark.driver.maxResultSize (1 MiB)"
    assert "maxResultSize to 0" in explain(RuntimeError(f"Job aborted due to stage failure: {too_large}"))
    assert "SPARK_LOCAL_DIRS" in explain(RuntimeError("java.io.IOException: No space left on device"))
    assert "use more partitions" in explain(RuntimeError("Traceback …\nMemoryError\n\n\tat x.y"))
    assert "use more partitions" in explain(
        RuntimeError("pyarrow.lib.ArrowMemoryError: malloc of size 64 failed")
    )
    for text in (
        "Error while sending or receiving",
        "Answer from Java side is empty",
        "[Errno 111] Connection refused",
    ):
        assert "Java has ended: it was killed" in explain(RuntimeError(text))
    with pytest.raises(ZeroDivisionError), explained():
        raise ZeroDivisionError  # our own faults are not dressed up


@pytest.mark.parametrize("error", [EOFError(), ConnectionResetError(), BrokenPipeError()])
def test_what_a_killed_jvm_leaves_behind_is_one_sentence(error: Exception) -> None:
    """PySpark reads from sockets by itself, too."""
    with (
        pytest.raises(SparkError, match="Java has ended: it was killed, perhaps for lack of memory"),
        explained(),
    ):
        raise error
    with pytest.raises(FileNotFoundError), explained():
        raise FileNotFoundError("something else")


def test_a_packed_file_that_is_damaged_from_its_beginning(log: Path) -> None:
    packed = log.with_suffix(".jsonl.gz")
    packed.write_bytes(gzip.compress(b"x")[:10] + bytes(range(255, 0, -1)))
    with Spool() as spool:
        summary = Summary("simulated")
        collector = Collector(spool, summary, OnBadRecord.SKIP)
        assert simulate([packed, log], LEVELS, collector, split_bytes=10**6, batch=100)
        [(file, record, line)] = spool.bad()
    assert (file, record) == (0, 1) and b"nothing after it can be unpacked" in line


@pytest.mark.parametrize("as_clock", [False, True])
def test_a_time_that_is_far_off_costs_its_document_only(tmp_path: Path, as_clock: bool) -> None:
    """A clock record, or the time of a change, far behind the others makes a window beat without end."""
    rules = parse_rules(
        'event Beat = periodic[ins(item), "10 min", del(item)]\nevent Priced = ins(item/price)'
    )
    lines = []
    for doc in ("a", "b"):
        lines += [
            f'{{"doc":"{doc}","ts":1,"op":"ins","path":"/o/item","ids":[1,2],"at":"2026-01-01T00:00:00Z"}}',
            f'{{"doc":"{doc}","ts":2,"op":"ins","path":"/o/item/price","ids":[1,2,3],"at":"2026-01-01T00:11:00Z"}}',
        ]
    clock = ClockRecord("b", 2, "9026-01-01T00:00:00Z").to_record()
    change = {"doc": "b", "ts": 3, "op": "ins", "path": "/o/c", "ids": [1, 9], "at": "9026-01-01T00:00:00Z"}
    lines.append(json.dumps(clock if as_clock else change))
    log = tmp_path / "log.jsonl"
    log.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    result = audit(log, rules, engine="local", out=tmp_path / "out.jsonl")
    assert [(each["doc"], each["name"]) for each in result.records()] == [("a", "Beat"), ("a", "Priced")]
    assert result.summary.documents["b"].withheld and result.summary.quarantined == 1
    assert result.quarantine is not None
    bad = json.loads(result.quarantine.read_text(encoding="utf-8"))
    assert bad["record"] == 5 and bad["reason"].startswith(
        "its time is 9026-01-01T00:00:00Z, more than a hundred years"
    )
    assert "9026" in bad["raw"]
