"""Reading change logs: JSON Lines and Parquet, to rows and to events."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from .engine import count
from .frame import Figure, Settings, Unavailable
from .histories import History, as_record
from .measure import measure, per_event
from .queries import rows_in_memory

TITLE = "Reading change logs from disk (1000 items open at once); the ratio is to json.loads of the lines"


def run(settings: Settings) -> Iterator[Figure]:
    """Events from JSON Lines and from Parquet, and the batches of rows that replay uses."""
    try:
        from xmlcep.log import read_log
    except ImportError as error:
        raise Unavailable(f"the change log: {error}") from error
    history = History(settings.events, 1000, seed=settings.seed)
    with TemporaryDirectory() as directory:
        lines = Path(directory) / "log.jsonl"
        _write_lines(history, lines)
        alternatives: dict[str, Callable[[], object]] = {
            "json.loads": partial(_load_all, lines),
            "JSON Lines to rows": partial(_count_rows, lines),
            "JSON Lines to events": lambda: count(read_log(lines)),
        }
        columns = Path(directory) / "log.parquet"
        if _write_columns(history, columns):
            alternatives["Parquet to rows"] = partial(_count_rows, columns)
            alternatives["Parquet to events"] = lambda: count(read_log(columns))
        timings = measure(alternatives, runs=settings.runs)
    yield from per_event("reading", "", timings, events=settings.events, base="json.loads", what="records")


def _count_rows(log: Path) -> int:
    from xmlcep.log import Batch, read_columns

    return sum(len(item.rows) for item in read_columns(log) if isinstance(item, Batch))


def _load_all(lines: Path) -> int:
    with lines.open(encoding="utf-8") as source:
        return count(map(json.loads, source))


def _write_lines(history: History, target: Path) -> None:
    with target.open("w", encoding="utf-8") as lines:
        for row in rows_in_memory(history):
            lines.write(json.dumps(as_record(row)) + "\n")


def _write_columns(history: History, target: Path) -> bool:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        return False
    schema = pa.schema([
        ("doc", pa.string()), ("ts", pa.int64()), ("op", pa.string()), ("path", pa.string()),
        ("ids", pa.list_(pa.int64())), ("value", pa.string()), ("old", pa.string()), ("pos", pa.int64()),
        ("at", pa.string()), ("txn", pa.int64()), ("meta", pa.map_(pa.string(), pa.string())),
    ])  # fmt: skip
    with pq.ParquetWriter(target, schema) as writer:
        records = [as_record(row) for row in rows_in_memory(history)]
        writer.write_table(pa.Table.from_pylist(records, schema))
    return True
