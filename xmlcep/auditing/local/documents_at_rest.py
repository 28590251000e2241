"""Documents that nothing waits in: what has to be known if another of their records comes."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..temporary_tables import from_key, temporary_tables, to_key

_TABLE = """
CREATE TABLE at_rest (
    doc BLOB PRIMARY KEY, ts INTEGER, txn INTEGER, clock_ts INTEGER, clock_time INTEGER, raised TEXT
) WITHOUT ROWID;
"""


class DocumentsAtRest:
    """A table on disk with a row for each document, of some tens of bytes: what `DocumentReplay.pause` says of one that
    is asleep."""

    def __init__(self) -> None:
        self._database: sqlite3.Connection | None = None  # there may be none at rest

    def add(self, states: Iterable[Mapping[str, Any]]) -> None:
        """Keeps the states of documents, in place of earlier ones."""
        if self._database is None:
            self._database = temporary_tables(self, _TABLE)
        self._database.executemany(
            "INSERT OR REPLACE INTO at_rest VALUES (?, ?, ?, ?, ?, ?)", sorted(map(_row, states))
        )

    def get(self, doc: str) -> dict[str, Any] | None:
        """The state of a document; None if it is not there."""
        if self._database is None:
            return None
        found = self._database.execute("SELECT * FROM at_rest WHERE doc = ?", (to_key(doc),)).fetchone()
        return None if found is None else _state(found)

    def remove(self, doc: str) -> None:
        """Forgets a document, if it is there."""
        if self._database is not None:
            self._database.execute("DELETE FROM at_rest WHERE doc = ?", (to_key(doc),))

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """All states."""
        return (
            iter(())
            if self._database is None
            else map(_state, self._database.execute("SELECT * FROM at_rest"))
        )

    def close(self) -> None:
        """Deletes the table."""
        if self._database is not None:
            self._database.close()
            self._database = None


def _row(state: Mapping[str, Any]) -> tuple[Any, ...]:
    raised = json.dumps(state["raised"]) if "raised" in state else None
    return to_key(state["doc"]), state["ts"], state["txn"], *(state["clock"] or (None, None)), raised


def _state(row: tuple[Any, ...]) -> dict[str, Any]:
    key, ts, txn, clock_ts, clock_time, raised = row
    clock = None if clock_ts is None else (clock_ts, clock_time)
    state = {"doc": from_key(key), "ts": ts, "txn": txn, "clock": clock}
    return state if raised is None else state | {"raised": json.loads(raised)}
