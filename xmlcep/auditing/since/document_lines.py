"""The lines of documents in a state: on disk while an audit runs, for there is one of each document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..temporary_tables import from_key, temporary_tables, to_key

_TABLE = "CREATE TABLE line (doc BLOB PRIMARY KEY, line BLOB) WITHOUT ROWID;"
_MOST_NEW = 4096  # that are not on disk yet


class DocumentLines(Mapping[str, bytes]):
    """Lines by the names of documents, in the order of these; a new one takes the place of the one before."""

    def __init__(self) -> None:
        self._database = temporary_tables(self, _TABLE)
        self._new: dict[str, bytes] = {}

    def __setitem__(self, doc: str, line: bytes) -> None:
        self._new[doc] = line
        if len(self._new) > _MOST_NEW:
            self._write()

    def __getitem__(self, doc: str) -> bytes:
        if doc in self._new:
            return self._new[doc]
        found = self._database.execute("SELECT line FROM line WHERE doc = ?", (to_key(doc),)).fetchone()
        if found is None:
            raise KeyError(doc)
        return bytes(found[0])

    def __iter__(self) -> Iterator[str]:
        self._write()
        return (from_key(key) for (key,) in self._database.execute("SELECT doc FROM line ORDER BY doc"))

    def __len__(self) -> int:
        self._write()
        [(count,)] = self._database.execute("SELECT count(*) FROM line")
        return int(count)

    def lines(self) -> Iterator[bytes]:
        """The lines in their order."""
        self._write()
        return (line for (line,) in self._database.execute("SELECT line FROM line ORDER BY doc"))

    def _write(self) -> None:
        new = sorted((to_key(doc), line) for doc, line in self._new.items())
        self._database.executemany("INSERT OR REPLACE INTO line VALUES (?, ?)", new)
        self._new.clear()
