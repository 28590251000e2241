"""Logs of many documents, audited by both engines: ``python -m benchmarks.shapes SHAPE … [--records N]``.

Of each audit, in a process of its own: CPU and clock, without the start of Spark, the most memory of driver, JVM and
worker, and whether the findings are the local engine's to the byte.
"""

from __future__ import annotations

import filecmp
import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import click
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from xmlcep.log.parquet import arrow_schema

from .one_spark_audit import Measured

SHAPES = {"documents-of-200": 200, "documents-of-10": 10, "one-document": 250_000}
"""How many records a document has."""
RULES = "event Priced = ins(item) ; ins(item/price)\n"
_PATHS = ("/order", "/order/item", "/order/item/price", "/order/item/price/text()")
_ROW_GROUP = 65_536  # as `xmlcep.log` writes them


def write_log(folder: Path, records: int, size: int) -> None:
    """Documents of so many records each, in files of 250,000: an order, then items with a price and its text."""
    folder.mkdir(parents=True)
    most = size * (262_144 // size)
    for first in range(0, records, most):
        table = _table(first, min(most, records - first), size)
        pq.write_table(table, folder / f"{first:012}.parquet", row_group_size=_ROW_GROUP, compression="zstd")


def _table(first: int, count: int, size: int) -> pa.Table:
    ts = np.arange(count, dtype=np.int64) % size + 1
    docs = (np.arange(count) + first) // size
    place = np.where(ts == 1, 0, (ts - 2) % 3 + 1)
    item = (ts - 2) // 3 * 3 + 2
    ids = np.stack([np.ones_like(ts), item, item + 1, item + 2], axis=1)
    ends = np.append(np.int32(0), np.cumsum(place + 1, dtype=np.int32))
    columns = {
        "doc": pa.array([f"d{doc}" for doc in docs.tolist()]), "ts": pa.array(ts),
        "op": pa.repeat(pa.scalar("ins"), count), "path": pa.array(_PATHS).take(pa.array(place)),
        "ids": pa.ListArray.from_arrays(ends, ids[np.arange(4) <= place[:, None]]),
    }  # fmt: skip
    schema = arrow_schema()
    arrays = [columns.get(field.name, pa.nulls(count, field.type)) for field in schema]
    return pa.Table.from_arrays(arrays, schema=schema)


def measure(engine: str, *files: Path) -> Measured:
    """One audit in a process of its own: of a log, with rules, its findings to a file."""
    command = [sys.executable, "-m", f"{__package__}.one_spark_audit", engine, *map(str, files)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return Measured(**json.loads(done.stdout.splitlines()[-1]))


def line(name: str, engine: str, records: int, taken: Measured, same: str) -> str:
    """What an audit took, in a line."""
    busy = taken.cpu / taken.clock
    return (
        f"{name:18} {engine:9} {records:>11,} records {taken.cpu / records * 1e6:7.2f} µs {taken.clock:7.1f} s"
        f" {busy:5.2f} cores  driver {taken.driver / 2**20:6.0f}  JVM {taken.java / 2**20:6.0f}"
        f"  worker {taken.worker / 2**20:6.0f} MiB  {taken.findings:>10,} findings{same}"
    )


@click.command()
@click.argument("shapes", nargs=-1, type=click.Choice(list(SHAPES)))
@click.option("--records", default=1_000_000, show_default=True)
@click.option("--spark", default="local[2]", show_default=True, help="A Spark master; '' leaves Spark out.")
def main(shapes: tuple[str, ...], records: int, spark: str) -> None:
    """Writes the log of each shape, audits it with both engines, compares what they find."""
    for name in shapes or SHAPES:
        with TemporaryDirectory(prefix="xmlcep-shape-") as given:
            folder = Path(given)
            log, rules = folder / "log", folder / "rules.xcep"
            rules.write_text(RULES)
            write_log(log, records, SHAPES[name])
            expected, found = folder / "local.jsonl", folder / "spark.jsonl"
            print(line(name, "local", records, measure("local", log, rules, expected), ""), flush=True)
            if spark:
                taken = measure(spark, log, rules, found)
                same = ", the same" if filecmp.cmp(expected, found, shallow=False) else ", DIFFERENT"
                print(line(name, spark, records, taken, same), flush=True)


if __name__ == "__main__":
    main()
