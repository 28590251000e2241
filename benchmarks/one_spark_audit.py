"""One audit with its processes: ``python -m benchmarks.one_spark_audit ENGINE LOG RULES FINDINGS``.

ENGINE is a Spark master such as ``local[2]``, or ``local`` for the engine without Spark. LOG is a file or a folder.
Prints a `Measured` as JSON.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

import click

from xmlcep import load_rules
from xmlcep.auditing import audit
from xmlcep.auditing.choice import Engine

from .processes import ProcessTree

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


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


@click.command()
@click.argument("engine")
@click.argument("log", type=click.Path(path_type=Path, exists=True))
@click.argument("rules", type=click.Path(path_type=Path, exists=True))
@click.argument("findings", type=click.Path(path_type=Path))
def main(engine: str, log: Path, rules: Path, findings: Path) -> None:
    """Audits LOG under RULES, writes FINDINGS, prints what it took."""
    started = perf_counter()
    tree = ProcessTree()
    spark = None if engine == "local" else _started(engine)
    parsed = load_rules(rules)
    start_cpu, begun, start_of_all = tree.seconds(), perf_counter(), tree.seconds_of_all()
    how: Engine = "local" if spark is None else "spark"
    count = audit(log, parsed, out=findings, engine=how, spark=spark).summary.findings
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


if __name__ == "__main__":
    sys.exit(main())
