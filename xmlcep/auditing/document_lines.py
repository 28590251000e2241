"""What is kept of documents that an audit goes on with later: a line for each, on disk, for there may be millions."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from typing import Any

from .temporary_tables import from_key, temporary_tables, to_key

_TABLE = "CREATE TABLE line (doc BLOB PRIMARY KEY, line BLOB, open INTEGER) WITHOUT ROWID;"
_MOST_NEW = 4096  # that are not on disk yet
_MOST_BYTES = 4 << 20  # that these have

_to_text = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode
_to_ascii = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode


class DocumentLines(Mapping[str, bytes]):
    """Lines by the names of documents, in the order of these; a new one takes the place of the one before.

    Some are ``open``: of those something may be found where their documents end.
    """

    def __init__(self) -> None:
        self._database: sqlite3.Connection | None = None  # there may be none
        self._new: dict[str, tuple[bytes, bool]] = {}
        self._bytes = 0

    def __setitem__(self, doc: str, line: bytes) -> None:
        self.add(doc, line)

    def add(self, doc: str, line: bytes, *, is_open: bool = False) -> None:
        """Keeps a line, in place of an earlier one."""
        self._new[doc] = line, is_open
        self._bytes += len(line)
        if len(self._new) > _MOST_NEW or self._bytes > _MOST_BYTES:
            self._write()

    def __getitem__(self, doc: str) -> bytes:
        if doc in self._new:
            return self._new[doc][0]
        if self._database is None:
            raise KeyError(doc)
        found = self._database.execute("SELECT line FROM line WHERE doc = ?", (to_key(doc),)).fetchone()
        if found is None:
            raise KeyError(doc)
        return bytes(found[0])

    def discard(self, doc: str) -> None:
        """Forgets the line of a document, if there is one."""
        self._new.pop(doc, None)
        if self._database is not None:
            self._database.execute("DELETE FROM line WHERE doc = ?", (to_key(doc),))

    def __iter__(self) -> Iterator[str]:
        return (from_key(key) for (key,) in self._write().execute("SELECT doc FROM line ORDER BY doc"))

    def __len__(self) -> int:
        [(count,)] = self._write().execute("SELECT count(*) FROM line")
        return int(count)

    def lines(self, *, only_open: bool = False) -> Iterator[tuple[str, bytes]]:
        """Documents and their lines in their order."""
        chosen = "WHERE open" if only_open else ""
        rows = self._write().execute(f"SELECT doc, line FROM line {chosen} ORDER BY doc")
        return ((from_key(key), bytes(line)) for key, line in rows)

    def close(self) -> None:
        """Forgets them all."""
        self._new.clear()
        if self._database is not None:
            self._database.close()
            self._database = None

    def _write(self) -> sqlite3.Connection:
        """Puts all on disk; returns the tables."""
        if self._database is None:
            self._database = temporary_tables(self, _TABLE)
        new = sorted((to_key(doc), *kept) for doc, kept in self._new.items())
        self._database.executemany("INSERT OR REPLACE INTO line VALUES (?, ?, ?)", new)
        self._new.clear()
        self._bytes = 0
        return self._database


def line_of(record: Mapping[str, Any]) -> bytes:
    """A record as a line."""
    try:
        text = _to_text(record).encode()
    except UnicodeEncodeError:  # half of a surrogate pair
        text = _to_ascii(record).encode()
    return text + b"\n"
