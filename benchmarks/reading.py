"""Reading change logs: JSON Lines and Parquet, to rows and to events."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from .engine import count
from .frame import Figure, Settings, Unavailable
from .histories import History
from .logs import write_columns, write_lines
from .measure import measure, per_event

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
        write_lines(history, lines)
        alternatives: dict[str, Callable[[], object]] = {
            "json.loads": partial(_load_all, lines),
            "JSON Lines to rows": partial(_count_rows, lines),
            "JSON Lines to events": lambda: count(read_log(lines)),
        }
        columns = Path(directory) / "log.parquet"
        if write_columns(history, columns):
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
