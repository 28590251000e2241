"""What an audit finds, by DuckDB, as a process of its own: ``python -m benchmarks.one_sql_audit LOG COUNT FOLDER``.

LOG is a Parquet log, COUNT says how many rules (see `audit_sql.queries`), FOLDER gets the findings: one file for one or
two rules, else a file per rule. On one thread. Prints CPU seconds since the process started, those before any work,
and its peak memory in bytes.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from time import process_time

import duckdb

from .audit_sql import queries, statement
from .measure import peak_bytes

_AT_ONCE = 2
"""So many queries are one statement that reads the file; for more the file is read into a table first, which is
faster than to read it for each."""


def main(log: str, count: str, folder: str) -> None:
    """Runs the statements and prints."""
    connection = duckdb.connect(config={"threads": 1})
    started = process_time()
    asked = queries(int(count))
    columns = "select doc, ts, op, path, ids, value, old from read_parquet(?)"
    if len(asked) <= _AT_ONCE:
        connection.execute(f"create view log as {columns.replace('?', repr(log))}")
        connection.execute(statement(asked, str(Path(folder) / "findings.jsonl")))
    else:
        connection.execute(f"create temp table log as {columns}", [log])
        for query in asked:
            connection.execute(statement([query], str(Path(folder) / f"{query.event}.jsonl")))
    print(json.dumps([process_time(), started, peak_bytes()]))


if __name__ == "__main__":
    main(*sys.argv[1:])
