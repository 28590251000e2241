"""What an audit of 10 billion records on 500 cores would take: ``python -m benchmarks.scale``.

Measured here, in one session: the CPU of each stage per record, by the difference between a small log and one that is
three times as large, and what the shuffles write; then the most memory of the driver's Python in audits to one file
with more documents, findings and files. Everything else is assumed, and printed.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click
import numpy as np

from xmlcep.auditing import audit
from xmlcep.auditing.spark.frames import LARGE
from xmlcep.auditing.spark.job import RECORDS_OF_A_TASK
from xmlcep.auditing.spark.session import start_session
from xmlcep.rules import parse_rules
from xmlcep.spark import findings, in_order

from .processes import ProcessTree, peak

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_FEW = "event Priced = ins(item) ; ins(item/price)"
_MANY = f"{_FEW}\nevent Item = ins(item)\nevent Price = ins(item/price)\nevent Text = ins(item/price/text())"
_PATHS = "array('/order/item', '/order/item/price', '/order/item/price/text()')"
_ITEM = "3 * ((ts - 1) div 3)"
_COLUMNS = (
    "doc", "ts", "'ins' as op", f"element_at({_PATHS}, int(1 + (ts - 1) % 3)) as path",
    f"slice(array(1L, {_ITEM} + 2, {_ITEM} + 3, {_ITEM} + 4), 1, int(2 + (ts - 1) % 3)) as ids", "'text' as value",
)  # fmt: skip


def write(spark: SparkSession, folder: Path, records: int, each: int = 100, files: int = 4) -> Path:
    """A log of documents that have so many records ``each``: items with a price."""
    numbers = spark.range(0, records, 1, files)
    rows = numbers.selectExpr(f"concat('d', id div {each}) as doc", f"id % {each} + 1 as ts")
    rows.selectExpr(*_COLUMNS).write.parquet(str(folder))
    return folder


class Stage(NamedTuple):
    name: str
    cpu: float  # seconds of all processes for a record
    shuffled: float  # bytes of a record


def stages(spark: SparkSession, seconds: Callable[[], float], folder: Path, records: int) -> Iterator[Stage]:
    """Measures each stage on so many records and on three times as many; ``seconds`` of CPU were used so far."""
    rules = parse_rules(_FEW)
    # Spark replays twice where findings are sorted that nobody keeps: it looks first how to divide them.
    plans: dict[str, Callable[[DataFrame], DataFrame]] = {
        "reading": lambda changes: changes,
        "shuffle, sort": lambda changes: changes.repartition("doc").sortWithinPartitions("doc", "ts"),
        "replay": lambda changes: findings(changes, rules, large=None),
        "replay again, order": lambda changes: in_order(findings(changes, rules, large=None)),
    }
    logs = [spark.read.parquet(str(write(spark, folder / str(n), n * records))) for n in (1, 3)]
    cpu = shuffled = 0.0
    for name, plan in plans.items():
        small, large = (_measured(spark, seconds, plan(log)) for log in logs)
        before, (cpu, shuffled) = (cpu, shuffled), ((large - small) / (2 * records)).tolist()
        yield Stage(name, cpu - before[0], shuffled - before[1])


def _measured(spark: SparkSession, seconds: Callable[[], float], found: DataFrame) -> Any:
    """CPU and shuffled bytes, the less of two runs: the first may compile what the second has."""
    context: Any = spark.sparkContext._jsc.sc()

    def used() -> Any:
        context.listenerBus().waitUntilEmpty()
        return np.array([seconds(), context.statusStore().executorList(True).apply(0).totalShuffleWrite()])

    runs = []
    for _ in range(2):
        before = used()
        found.write.format("noop").mode("overwrite").save()
        runs.append(used() - before)
    return np.minimum(*runs)


def driver(spark: SparkSession, folder: Path, records: int) -> Iterator[tuple[str, int, int]]:
    """What there is more of, how many there are, and the most memory that the driver's Python has held."""
    few, many = (_FEW, 100, 4), (_MANY, 100, 4)
    logs = {"records": few, "documents": (_FEW, 6, 4), "findings": many, "files": (_FEW, 100, 64)}
    for name, (rules, each, files) in logs.items():
        log = write(spark, folder / name, records, each, files)
        Path("/proc/self/clear_refs").write_text("5")  # the peak is that from here on
        done = audit(log, parse_rules(rules), engine="spark", spark=spark, out=folder / "found").summary
        counts = {"documents": len(done.documents), "findings": done.findings, "files": files}
        yield name, counts.get(name, records), peak(os.getpid())


@click.command()
@click.option("--here", default=300_000, help="How many records the small log has.")
@click.option("--records", default=10**10)
@click.option("--cores", default=500)
def main(here: int, records: int, cores: int) -> None:
    """Measures a small audit, and says what one of so many records would take on so many cores."""
    used, spark = ProcessTree().seconds, start_session("local[2]")
    with tempfile.TemporaryDirectory(prefix="xmlcep-scale-") as name:
        measured = []
        for stage in stages(spark, used, Path(name), here):
            measured.append(stage)
            print(
                f"{stage.name:20} {stage.cpu * 1e6:6.2f} µs, {stage.shuffled:5.1f} bytes a record", flush=True
            )
        for what, count, held in driver(spark, Path(name), here):
            print(f"driver, {what:20} {count:10,} {held / 2**20:6.0f} MiB", flush=True)
    spark.stop()
    cpu, shuffled = (sum(getattr(stage, what) for stage in measured) for what in ("cpu", "shuffled"))
    tasks, one = records // RECORDS_OF_A_TASK, LARGE * sum(stage.cpu for stage in measured[1:3])
    print(
        f"{records:,} records on {cores} cores: {max(records * cpu / cores, one) / 60:.0f} minutes,"
        f" {records * shuffled / 2**30:,.0f} GiB shuffled. Assumed: cores as fast as these, all of them busy;"
        f" a network as fast as this disk; no document or key of more than {LARGE:,} records, which one core"
        f" replays in {one / 60:.1f} minutes; {tasks:,} tasks, of which Spark's driver notes at most a bit for"
        f" each two: {tasks**2 / 2**23:,.0f} MiB"
    )


if __name__ == "__main__":
    main()
