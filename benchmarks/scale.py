"""A model of audits that are too large to run here: ``python -m benchmarks.scale [--records 10000000000]``.

From costs that were measured on two cores (`COSTS`, rules Q1 and Q2 on Parquet; `benchmarks/NOTES.md` has the runs) it
says what an audit takes on so many cores: the clock, what is shuffled, the memory of driver and worker, the largest
key; and what breaks first when the log grows. ``--check RECORDS`` audits logs of these sizes here and compares.

The clock is that of the work divided by the cores, or of the largest key, which no cores divide, if that is longer;
then what the driver does alone, while the workers wait.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from subprocess import run
from tempfile import TemporaryDirectory

import click

GIB = 2**30


@dataclass(frozen=True, slots=True)
class Costs:
    """What was measured: seconds of CPU and bytes.

    ``warm_up`` is what a session does before its code is compiled. Of workers: ``read`` and ``replay`` of a record, the
    ``order`` of a finding, what a ``task``, a ``file`` and a ``document`` add. Of the driver: ``driver_file``,
    ``driver_document``, ``driver_finding``, ``driver_job`` (a range of findings is fetched by a job). Of a record
    ``shuffled``, of a finding ``moved`` are the packed bytes; ``driver_base`` and ``document_bytes`` are the driver's
    memory.
    """

    start: float = 7.0
    warm_up: float = 1.5
    read: float = 0.55e-6
    replay: float = 1.5e-6
    order: float = 2.5e-6
    task: float = 0.02
    file: float = 1.7e-3
    document: float = 15e-6
    driver_file: float = 0.16e-3
    driver_document: float = 11e-6
    driver_finding: float = 1.05e-6
    driver_job: float = 0.03
    shuffled: float = 8.2
    moved: float = 57.0
    driver_base: float = 175 * 2**20
    document_bytes: float = 65.0


COSTS = Costs()
ONE_MACHINE = replace(
    COSTS, read=0.45e-6, replay=1.3e-6, order=0.9e-6, driver_finding=0.05e-6, driver_job=0.0
)
"""Nothing is packed there, and tasks write findings where they belong."""


@dataclass(frozen=True, slots=True)
class Log:
    """A log: how many records, files, documents and findings it has, and the share of its largest key."""

    records: int
    files: int
    documents: int
    findings: int
    largest_key: float = 0.0

    @property
    def tasks(self) -> int:
        """Reading, replaying and ordering, as the job divides them."""
        return self.records // 500_000 + max(8, self.records * 64 // (128 * 2**20)) + self.ranges

    @property
    def ranges(self) -> int:
        """Into which the findings are put in order."""
        return max(4, self.records // 500_000)


@dataclass(frozen=True, slots=True)
class Estimate:
    """What an audit takes: CPU of all processes, the clock, bytes."""

    cpu: float
    clock: float
    alone: float
    shuffled: float
    driver: float
    largest_key: float


def estimate(log: Log, cores: int, costs: Costs = COSTS) -> Estimate:
    """The audit of a log on so many cores, the start of Spark apart."""
    divided = (
        costs.warm_up
        + log.records * (costs.read + costs.replay)
        + log.findings * costs.order
        + log.tasks * costs.task
        + log.files * costs.file
        + log.documents * costs.document
    )
    alone = (
        log.files * costs.driver_file
        + log.documents * costs.driver_document
        + log.findings * costs.driver_finding
        + log.ranges * costs.driver_job
    )
    largest = log.largest_key * log.records * costs.replay
    return Estimate(
        cpu=divided + alone,
        clock=max(divided / cores, largest) + alone,
        alone=alone,
        shuffled=log.records * costs.shuffled + log.findings * costs.moved,
        driver=costs.driver_base + log.documents * costs.document_bytes,
        largest_key=largest,
    )


def usual(records: int, *, documents: int = 1, files: int | None = None, largest_key: float = 0.0) -> Log:
    """A log of purchase orders, one finding for six records, a file for each million records."""
    return Log(records, files or max(1, records // 1_000_000), documents, records // 6, largest_key)


LARGE: tuple[tuple[str, dict[str, float]], ...] = (
    ("one document", {}),
    ("a document for each 10,000 records", {"documents": 10_000}),
    ("a document for each 100 records", {"documents": 100}),
    ("a file for each 10,000 records", {"files": 10_000}),
    ("a key with 1 % of the records", {"largest_key": 0.01}),
)


def _large(records: int, shape: dict[str, float]) -> Log:
    log = usual(records, largest_key=shape.get("largest_key", 0.0))
    counts = {name: int(records // each) for name, each in shape.items() if name != "largest_key"}
    return replace(log, **counts)


def _check(records: int) -> None:
    """An audit here, and what the model says of it."""
    from .bulk import BulkLog
    from .make_log import write_log
    from .shapes import BY_ITEM

    with TemporaryDirectory(prefix="xmlcep-scale-") as name:
        folder = Path(name)
        (folder / "rules.xcep").write_text(BY_ITEM)
        files = max(1, records // 1_000_000)
        write_log(BulkLog(records), folder / "log", "parquet", files)
        program = [sys.executable, "-m", f"{__package__}.one_spark_audit", "local[2]"]
        done = run(
            [*program, *(str(folder / each) for each in ("log", "rules.xcep", "found"))],
            check=True, capture_output=True, text=True,
        )  # fmt: skip
        taken = json.loads(done.stdout.splitlines()[-1])
    said = estimate(Log(records, files, 1, taken["findings"]), 2, ONE_MACHINE)
    print(
        f"{records:>14,} records: {taken['cpu']:7.1f} s of CPU, the model says {said.cpu:7.1f}"
        f" ({said.cpu / taken['cpu']:.2f}); clock {taken['clock']:.1f} and {said.clock:.1f} s"
        f" ({taken['others'] / taken['clock']:.1f} cores used by others); driver {taken['driver'] / 2**20:.0f} and"
        f" {said.driver / 2**20:.0f} MiB"
    )


@click.command()
@click.option("--records", default=10**10, show_default=True)
@click.option("--check", multiple=True, type=int, help="Audit a log of so many records here, and compare.")
def main(records: int, check: tuple[int, ...]) -> None:
    """Prints what audits of large logs would take."""
    for size in check:
        _check(size)
    if check:
        return
    print(f"{records:,} records, one finding for six; clock in minutes on 10, 100, 1,000 cores")
    for name, shape in LARGE:
        log = _large(records, dict(shape))
        taken = [estimate(log, cores) for cores in (10, 100, 1000)]
        clocks = " ".join(f"{each.clock / 60:8.0f}" for each in taken)
        one = taken[0]
        print(
            f"{name:38}{clocks}   driver alone {one.alone / 60:5.0f} min, {one.driver / GIB:7.1f} GiB; shuffled"
            f" {one.shuffled / GIB:,.0f} GiB; largest key {one.largest_key / 60:.1f} min"
        )


if __name__ == "__main__":
    main()
