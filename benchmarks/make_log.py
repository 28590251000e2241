"""Writes a large log: ``python -m benchmarks.make_log --events 100000000 --files 20 --shape many FOLDER``."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter, process_time
from typing import Literal, TypeAlias, cast, get_args

import click
import pyarrow as pa
import pyarrow.parquet as pq

from xmlcep.log.json_codec import FASTEST
from xmlcep.log.parquet import arrow_schema

from .bulk import BulkLog, ShapeName

Kind: TypeAlias = Literal["parquet", "jsonl"]
_ROW_GROUP = 65_536  # as `xmlcep.log` writes them
_WITH_FEW_VALUES = ["doc", "op", "path", "value", "old"]


def write_log(log: BulkLog, folder: Path, kind: Kind = "parquet", files: int = 1) -> None:
    """The log in so many files of about equal size: ``part-00000.parquet``, or ``.jsonl``, and so on."""
    folder.mkdir(parents=True, exist_ok=True)
    parts = _parts(log.tables(), [log.events * number // files for number in range(1, files + 1)])
    for number, part in enumerate(parts):
        target = folder / f"part-{number:05}.{kind}"
        if kind == "parquet":
            _write_columns(part, target)
        else:
            _write_lines(part, target)


def _parts(tables: Iterator[pa.Table], ends: list[int]) -> Iterator[Iterator[pa.Table]]:
    """The tables cut so that each part ends where ``ends`` says; a part is to be used up before the next."""
    done = 0
    rest = pa.table({})

    def until(end: int) -> Iterator[pa.Table]:
        nonlocal done, rest
        while done < end:
            table = rest if len(rest) else next(tables)
            taken, rest = table.slice(0, end - done), table.slice(end - done)
            done += len(taken)
            yield taken

    for end in ends:
        yield until(end)


def _write_columns(tables: Iterator[pa.Table], target: Path) -> None:
    writing = {"compression": "zstd", "use_dictionary": _WITH_FEW_VALUES}
    with pq.ParquetWriter(target, arrow_schema(), **writing) as writer:
        for table in tables:
            writer.write_table(table, row_group_size=_ROW_GROUP)


def _write_lines(tables: Iterator[pa.Table], target: Path) -> None:
    dumps, names = FASTEST.dumps, arrow_schema().names
    with target.open("wb") as lines:
        for table in tables:
            for batch in table.to_batches(_ROW_GROUP):
                columns = [column.to_pylist() for column in batch.columns]
                records = (dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True))
                lines.writelines(dumps(record) + b"\n" for record in records)


@click.command()
@click.option("--events", default=1_000_000, show_default=True, help="How many records.")
@click.option("--shape", type=click.Choice(get_args(ShapeName)), default="many", show_default=True)
@click.option("--format", "kind", type=click.Choice(get_args(Kind)), default="parquet", show_default=True)
@click.option("--files", default=1, show_default=True, help="How many files of equal size.")
@click.option("--names", default=1, show_default=True, help="How many element names: item0, item1 and so on.")
@click.option(
    "--transaction", type=int, help="How many records a transaction has; without it there are none."
)
@click.option("--seed", default=1, show_default=True)
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
def main(
    events: int,
    shape: str,
    kind: str,
    files: int,
    names: int,
    transaction: int | None,
    seed: int,
    folder: Path,
) -> None:
    """Writes a log of purchase orders into FOLDER and says how long it took."""
    started = perf_counter()
    log = BulkLog(events, cast(ShapeName, shape), names=item_names(names), transaction=transaction, seed=seed)
    write_log(log, folder, cast(Kind, kind), files)
    size = sum(file.stat().st_size for file in folder.iterdir())
    clock, cpu = perf_counter() - started, process_time()
    print(
        f"{events:,} records, {size / 2**20:,.0f} MiB in {clock:.1f} s ({cpu / events * 1e6:.2f} µs CPU each)"
    )


def item_names(count: int) -> tuple[str, ...]:
    """``item`` alone, or as many numbered names."""
    return ("item",) if count == 1 else tuple(f"item{number}" for number in range(count))


if __name__ == "__main__":
    sys.exit(main())
