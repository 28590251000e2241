"""Logs of many shapes, audited by both engines: ``python -m benchmarks.shapes SHAPE … [--records N] [--spark MASTER]``.

The shapes are in `SHAPES`. Of each audit, in a process of its own: CPU and clock, without the start of Spark, the most
memory of driver, JVM and worker, and whether the findings are the local engine's to the byte.
"""

from __future__ import annotations

import filecmp
import gzip
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import click
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from xmlcep.log.parquet import arrow_schema

from .bulk import BulkLog, ShapeName
from .make_log import Kind, item_names, write_log
from .one_spark_audit import Measured
from .queries import both_rule, complete_rule

BY_ITEM = f"{complete_rule()}\n{both_rule()}\n"
BY_ORDER = "event Complete(order) = ins(item) ; (ins(item/price) & ins(item/quantity))\n"
ONE_EACH = "event Any = " + " | ".join(
    f"*({path})"
    for path in (
        "item", "item/price", "item/price/text()", "item/quantity", "item/quantity/text()", "item/comment",
        "item/comment/text()",
    )
) + "\n"  # fmt: skip
PRICED = "event Priced = ins(item) ; ins(item/price)\n"
_KEYS = 25
DEEP = "".join(
    f"event Complete{n} = ins(item{n}) ; (ins(item{n}/price) & ins(item{n}/quantity))\n"
    f"event Two{n}(order) = Complete{n}(item{n}) ; Complete{n}(item{n})\n"
    for n in range(_KEYS)
)
_OWN_TYPES = ("/order/item", "/order/item/price", "/order/item/price/text()")


class Shape(NamedTuple):
    """What a log of so many records looks like, and the rules it is audited under; with how many partitions."""

    write: Callable[[Path, int], None]
    rules: str = BY_ITEM
    partitions: int | None = None


def _bulk(
    files: int = 1, kind: Kind = "parquet", shape: ShapeName = "many", names: int = 1
) -> Callable[[Path, int], None]:
    return lambda folder, events: write_log(
        BulkLog(events, shape, names=item_names(names)), folder, kind, files
    )


def _files_of(records: int, kind: Kind = "parquet") -> Callable[[Path, int], None]:
    return lambda folder, events: write_log(BulkLog(events), folder, kind, max(1, events // records))


def _packed(folder: Path, events: int) -> None:
    """One file of JSON Lines, packed with gzip."""
    write_log(BulkLog(events), folder, "jsonl")
    for plain in list(folder.iterdir()):
        with plain.open("rb") as source, gzip.open(f"{plain}.gz", "wb", 6) as target:
            shutil.copyfileobj(source, target, 1 << 20)
        plain.unlink()


def _documents(size: int) -> Callable[[Path, int], None]:
    """Documents of so many records each, in files of 250,000: an order, then items with a price and its text."""

    def write(folder: Path, events: int) -> None:
        folder.mkdir(parents=True)
        schema = arrow_schema()
        paths = pa.array(["/order", *_OWN_TYPES])
        most = size * (262_144 // size)
        for first in range(0, events, most):
            with pq.ParquetWriter(folder / f"{first:012}.parquet", schema, compression="zstd") as writer:
                count = min(most, events - first)
                ts = np.arange(count, dtype=np.int64) % size + 1
                docs = (np.arange(count) + first) // size
                place = np.where(ts == 1, 0, (ts - 2) % 3 + 1)
                item = (ts - 2) // 3 * 3 + 2
                ids = np.stack([np.ones_like(ts), item, item + 1, item + 2], axis=1)
                kept = np.arange(4) <= place[:, None]
                ends = np.append(np.int32(0), np.cumsum(place + 1, dtype=np.int32))
                columns = {
                    "doc": pa.array([f"d{doc}" for doc in docs.tolist()]), "ts": pa.array(ts),
                    "op": pa.repeat(pa.scalar("ins"), count), "path": paths.take(pa.array(place)),
                    "ids": pa.ListArray.from_arrays(ends, ids[kept]),
                }  # fmt: skip
                arrays = [columns.get(field.name, pa.nulls(count, field.type)) for field in schema]
                writer.write_table(pa.Table.from_arrays(arrays, schema=schema), row_group_size=65_536)

    return write


SHAPES = {
    "one": Shape(_bulk()),
    "files": Shape(_files_of(2000)),
    "lines": Shape(_bulk(kind="jsonl")),
    "files-of-lines": Shape(_files_of(2000, "jsonl")),
    "gzip": Shape(_packed),
    "documents-of-200": Shape(_documents(200), PRICED),
    "documents-of-10": Shape(_documents(10), PRICED),
    "one-document": Shape(_documents(250_000), PRICED),
    "buckets-8": Shape(_bulk(8), partitions=8),
    "buckets-200": Shape(_bulk(8), partitions=200),
    "findings": Shape(_bulk(8), ONE_EACH),
    "skew": Shape(_bulk(8, shape="skew"), BY_ORDER),
    "deep-rules": Shape(_bulk(8, names=_KEYS), DEEP),
}


def measure(
    engine: str, log: Path, rules: Path, findings: Path, partitions: int | None, one_core: bool = False
) -> Measured:
    """One audit in a process of its own."""
    command = [
        sys.executable,
        "-m",
        f"{__package__}.one_spark_audit",
        engine,
        str(log),
        str(rules),
        str(findings),
    ]
    command += [] if partitions is None or engine == "local" else ["--partitions", str(partitions)]
    command += ["--one-core"] * one_core
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return Measured.from_json(json.loads(done.stdout.splitlines()[-1]))


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
@click.option("--runs", default=1, show_default=True)
@click.option("--without-local", is_flag=True, help="Spark only; nothing is compared.")
def main(shapes: tuple[str, ...], records: int, spark: str, runs: int, without_local: bool) -> None:
    """Writes the log of each shape, audits it with both engines, compares what they find."""
    for name in shapes or SHAPES:
        shape = SHAPES[name]
        with TemporaryDirectory(prefix="xmlcep-shape-") as folder:
            log, rules = Path(folder) / "log", Path(folder) / "rules.xcep"
            rules.write_text(shape.rules)
            shape.write(log, records)
            for _ in range(runs):
                expected = Path(folder) / "local.jsonl"
                for engine in [*(["local"] * (not without_local)), *([spark] if spark else [])]:
                    found = expected if engine == "local" else Path(folder) / "spark.jsonl"
                    taken = measure(engine, log, rules, found, shape.partitions)
                    same = ""
                    if engine != "local" and expected.exists():
                        same = ", the same" if filecmp.cmp(expected, found, shallow=False) else ", DIFFERENT"
                    print(line(name, engine, records, taken, same), flush=True)


if __name__ == "__main__":
    main()
