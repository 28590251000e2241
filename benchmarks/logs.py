"""Change logs of histories on disk, written in batches: no more memory than a batch."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from .histories import History, as_record

BATCH = 65_536  # records of a row group: as `xmlcep.log` writes them


def write_lines(history: History, target: Path) -> None:
    """The history as a JSON Lines log."""
    with target.open("w", encoding="utf-8") as lines:
        for row in history.rows():
            lines.write(json.dumps(as_record(row)) + "\n")


def write_columns(history: History, target: Path) -> bool:
    """The history as a Parquet log; False when pyarrow is not installed."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq

        from xmlcep.log.parquet import arrow_schema
    except ImportError:
        return False
    schema = arrow_schema()
    with pq.ParquetWriter(target, schema) as writer:
        for records in _batches(history):
            writer.write_table(pa.Table.from_pylist(records, schema))
    return True


def _batches(history: History) -> Iterator[list[dict[str, Any]]]:
    records = map(as_record, history.rows())
    while batch := list(islice(records, BATCH)):
        yield batch
