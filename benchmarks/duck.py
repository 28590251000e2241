"""DuckDB beside the engine, where it is installed: one SQL query over a Parquet file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from .histories import History
from .queries import rows_in_memory, write_sql_table


@contextmanager
def columns(history: History) -> Iterator[Path | None]:
    """The rows as a Parquet file in a temporary directory; None when DuckDB or pyarrow is not installed."""
    try:
        import duckdb  # noqa: F401
        import pyarrow  # noqa: F401
    except ImportError:
        yield None
        return
    with TemporaryDirectory() as directory:
        target = Path(directory) / "history.parquet"
        write_sql_table(rows_in_memory(history), target)
        yield target


def query(sql: str, source: Path) -> Callable[[], int]:
    """A function that runs the query, reading included, and returns the number it gives."""
    import duckdb

    connection = duckdb.connect()
    connection.execute(f"create view history as select * from read_parquet('{source}')")

    def run() -> int:
        found = connection.execute(sql).fetchone()
        assert found is not None
        return int(found[0])

    return run
