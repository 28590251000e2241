"""One audit with its processes: ``python -m benchmarks.one_spark_audit ENGINE LOG RULES FINDINGS``.

ENGINE is a Spark master such as ``local[2]``, or ``local`` for the engine without Spark. LOG is a file or a folder.
With ``--floor`` Spark does nothing but read the log, shuffle it by the second node id on the path (the item's or
the order's) and sort it: no Python, no rules, no findings. With ``--one-core`` all processes share one
core. Prints a `Measured` as JSON.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click

from xmlcep import load_rules
from xmlcep.auditing import audit
from xmlcep.auditing.choice import Engine

from .processes import ProcessTree

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FLOOR_PARTITIONS = 8
_LOG_DDL = (
    "doc string, ts bigint, op string, path string, ids array<bigint>, value string, old string, pos bigint,"
    " at string, txn bigint"
)


@dataclass(frozen=True, slots=True)
class Measured:
    """Seconds of CPU of all processes and of the clock, without the start (of Spark, of what reads rules), which has
    its own.

    ``others`` are the CPU seconds that the rest of the machine used meanwhile: with many of them the clock says
    little. ``at_once`` is the most memory that all processes held at one time, then the highest peaks of the driver,
    the JVM and a Python worker, in bytes.
    """

    cpu: float
    clock: float
    others: float
    findings: int
    start_cpu: float
    start_clock: float
    at_once: int
    driver: int
    java: int
    worker: int

    @classmethod
    def from_json(cls, record: dict[str, Any]) -> Measured:
        """The figures that this program printed."""
        return cls(**record)


@click.command()
@click.argument("engine")
@click.argument("log", type=click.Path(path_type=Path, exists=True))
@click.argument("rules", type=click.Path(path_type=Path, exists=True))
@click.argument("findings", type=click.Path(path_type=Path))
@click.option("--floor", is_flag=True, help="Read, shuffle and sort the log, nothing else.")
@click.option("--one-core", is_flag=True, help="All processes on one core.")
@click.option("--partitions", type=int, help="How many buckets Spark makes.")
def main(
    engine: str, log: Path, rules: Path, findings: Path, floor: bool, one_core: bool, partitions: int | None
) -> None:
    """Audits LOG under RULES, writes FINDINGS, prints what it took."""
    started = perf_counter()
    if one_core:
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})  # inherited by the JVM and its workers
    tree = ProcessTree()
    spark = None if engine == "local" else _started(engine)
    parsed = load_rules(rules)
    start_cpu, begun, start_of_all = tree.seconds(), perf_counter(), tree.seconds_of_all()
    count = 0
    if floor:
        assert spark is not None, "the floor is one of Spark"
        _shuffle(spark, log)
    else:
        how: Engine = "local" if spark is None else "spark"
        result = audit(log, parsed, out=findings, engine=how, spark=spark, partitions=partitions)
        count = result.summary.findings
    clock, cpu = perf_counter() - begun, tree.seconds() - start_cpu
    others = max(tree.seconds_of_all() - start_of_all - cpu, 0.0)
    measured = Measured(cpu, clock, others, count, start_cpu, begun - started, *tree.memory())
    tree.close()
    print(json.dumps(asdict(measured)))
    if spark is not None:
        spark.stop()


def _started(master: str) -> SparkSession:
    """A session as an audit starts it, with a first job behind it: Java, and a process for Python's workers, which has
    imported what ours has."""
    from xmlcep.auditing.spark.session import start_session

    spark = start_session(master)
    spark.range(1).mapInArrow(lambda batches: batches, "id bigint").count()
    return spark


def _shuffle(spark: SparkSession, log: Path) -> None:
    """All columns that an audit needs, each record a row of Spark's own."""
    columnar = any(file.suffix == ".parquet" for file in ([log] if log.is_file() else log.iterdir()))
    read = spark.read.schema(_LOG_DDL)
    rows = read.parquet(str(log)) if columnar else read.json(str(log))
    columns = ("get(ids, 1) as key", "doc", "ts", "op", "path", "ids", "value", "old", "at", "txn")
    shuffled = rows.selectExpr(*columns).repartition(FLOOR_PARTITIONS, "doc", "key")
    shuffled.sortWithinPartitions("key", "doc", "ts").write.format("noop").mode("overwrite").save()


if __name__ == "__main__":
    sys.exit(main())
