"""Documents all segments of which are known: rows of tables on disk, for there may be many."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from operator import itemgetter
from typing import Any, NamedTuple

from ..temporary_tables import from_key, temporary_tables, to_key
from .document_merge import WholeDocument
from .finding_chunks import Extent
from .whole_log import DocumentEnds, pairs_packed

_TABLE = """
CREATE TABLE ended (
    doc BLOB PRIMARY KEY, part INTEGER, number INTEGER, first INTEGER, records INTEGER,
    segment INTEGER, ts INTEGER, at TEXT, txn INTEGER, meta TEXT, edits BLOB, time BLOB
) WITHOUT ROWID;
CREATE TABLE misplaced (doc BLOB, why INTEGER, part INTEGER, number INTEGER, ts INTEGER, text TEXT);
"""
_AT_ONCE = 5000


class Misplaced(NamedTuple):
    """A clock record or an external event that is bad by its place: in which part of the log and where in it; the time
    of the one, the record of the other."""

    doc: str
    why: int
    part: int
    number: int
    ts: int
    text: str


CLOCK_IN_TRANSACTION, RAISED_ELSEWHERE, RAISED_TWICE = range(3)


class EndedDocuments:
    """Such documents: temporary tables on disk, which are deleted with this object."""

    def __init__(self) -> None:
        self._database = temporary_tables(self, _TABLE)
        self._new: list[tuple[Any, ...]] = []

    def add(self, document: WholeDocument) -> None:
        """Takes where a document begins and ends, how its clock and its edits go on, and what is misplaced in it."""
        key = to_key(document.doc)
        edits = pairs_packed(document.edits) if document.edits else None
        time = None if document.time is None else document.time.packed()
        begin = (key, *document.position, document.first.ts, document.records)
        self._new.append((*begin, document.segment, *document.last[:4], edits, time))
        if len(self._new) >= _AT_ONCE:
            self._write()
        if any((document.misplaced_clocks, document.misplaced_raised, document.repeated_raised)):
            self._add_misplaced(key, document)

    def _add_misplaced(self, key: bytes, document: WholeDocument) -> None:
        raised = [(RAISED_ELSEWHERE, each) for each in document.misplaced_raised]
        raised += [(RAISED_TWICE, each) for each in document.repeated_raised]
        rows = [
            *(
                (CLOCK_IN_TRANSACTION, each.part, each.number, each.ts, each.at)
                for each in document.misplaced_clocks
            ),
            *((why, each.part, each.number, each.ts, each.text) for why, each in raised),
        ]
        self._database.executemany(
            "INSERT INTO misplaced VALUES (?, ?, ?, ?, ?, ?)", [(key, *row) for row in rows]
        )

    def misplaced(self) -> Iterator[Misplaced]:
        """What is misplaced in them."""
        rows = self._database.execute("SELECT * FROM misplaced ORDER BY rowid")
        return (Misplaced(from_key(key), *rest) for key, *rest in rows)

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

    def ends(self) -> DocumentEnds:
        """Where they end."""
        self._write()
        rows = self._database.execute("SELECT doc, segment, ts, at, txn, meta, edits, time FROM ended")
        return DocumentEnds.of(iter(lambda: list(islice(rows, _AT_ONCE)), []))

    def _write(self) -> None:
        self._new.sort(key=itemgetter(0))
        self._database.executemany(f"INSERT INTO ended VALUES ({', '.join('?' * 12)})", self._new)
        self._new.clear()
