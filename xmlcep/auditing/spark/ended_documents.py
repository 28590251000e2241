"""Documents of which nothing but their extent, their end and their clock is left to know: rows of tables, for there may
be many."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Any

from ..temporary_tables import from_key, temporary_tables, to_key
from .document_merge import WholeDocument
from .finding_chunks import Extent
from .whole_log import DocumentEnds

_TABLE = """
CREATE TABLE ended (
    doc BLOB PRIMARY KEY, part INTEGER, number INTEGER, first INTEGER, records INTEGER,
    segment INTEGER, ts INTEGER, at TEXT, txn INTEGER, meta TEXT, time BLOB
) WITHOUT ROWID;
"""
_AT_ONCE = 5000


class EndedDocuments:
    """Such documents: a temporary table on disk, which is deleted with this object."""

    def __init__(self) -> None:
        self._database = temporary_tables(self, _TABLE)
        self._new: list[tuple[Any, ...]] = []

    def add(self, document: WholeDocument) -> None:
        """Takes a document of which only this is to be known."""
        key, *end = _end(document)
        self._new.append((key, *document.position, document.first.ts, document.records, *end))
        if len(self._new) >= _AT_ONCE:
            self._write()

    def extents(self) -> Iterator[Extent]:
        """Where they lie, by name."""
        self._write()
        rows = self._database.execute("SELECT doc, first, ts, records FROM ended ORDER BY doc")
        return (Extent(from_key(key), first, last, records) for key, first, last, records in rows)

    def records(self) -> int:
        """How many records they have."""
        self._write()
        [(records,)] = self._database.execute("SELECT coalesce(sum(records), 0) FROM ended")
        return int(records)

    def position(self, doc: str) -> tuple[int, int] | None:
        """Where the first record of a document stands; None if it is none of these."""
        self._write()
        found = "SELECT part, number FROM ended WHERE doc = ?"
        row: tuple[int, int] | None = self._database.execute(found, (to_key(doc),)).fetchone()
        return row

    def ends(self, others: Iterable[WholeDocument]) -> DocumentEnds:
        """Where they end, and where ``others`` do."""
        self._write()
        rows = chain(
            self._database.execute("SELECT doc, segment, ts, at, txn, meta, time FROM ended"),
            map(_end, others),
        )
        return DocumentEnds.of(iter(lambda: list(islice(rows, _AT_ONCE)), []))

    def _write(self) -> None:
        self._new.sort()
        self._database.executemany(f"INSERT INTO ended VALUES ({', '.join('?' * 11)})", self._new)
        self._new.clear()


def _end(document: WholeDocument) -> tuple[Any, ...]:
    """The row of a document for `DocumentEnds`."""
    time = None if document.time is None else document.time.packed()
    return to_key(document.doc), document.segment, *document.last[:4], time
