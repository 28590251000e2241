"""Documents of a segment of which nothing is open at its ends: rows of a table, not objects, for there may be many.

Only those that have more than one segment are looked at one by one; the rest stays on disk.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat
from operator import itemgetter
from typing import Any

import pyarrow as pa

from ..temporary_tables import from_key, temporary_tables, to_key
from .finding_chunks import Extent
from .ipc import from_ipc, to_ipc
from .segment_summary import SegmentSummary, TimePoint

_PLAIN: dict[str, Any] = {
    "disordered": False, "duplicates": 0, "head_keys": {}, "open_runs": {}, "first_flush": None, "touched": {},
    "leading": [], "clocks": [], "trailing": [], "edit": None, "open_edit": None, "time": None, "edit_time": None,
    "raised": [], "raised_late": False, "raised_there": [],
}  # fmt: skip
_open_fields = itemgetter(*(SegmentSummary._fields.index(name) for name in _PLAIN))
_NOTHING_OPEN = tuple(_PLAIN.values())
OPEN_FIELDS = frozenset(_PLAIN)
"""The fields of a summary that say what is open."""

_SCHEMA = pa.schema(
    [
        ("doc", pa.string()), ("part", pa.int64()), ("number", pa.int64()), ("first", pa.int64()),
        ("first_txn", pa.int64()), ("last", pa.int64()), ("last_txn", pa.int64()), ("records", pa.int64()),
        ("transactions", pa.int64()),
    ]
)  # fmt: skip


def is_plain(summary: SegmentSummary) -> bool:
    """Whether a row says all of it."""
    head, tail = summary.head, summary.tail
    if head is None or _open_fields(summary) != _NOTHING_OPEN:
        return False
    return head == TimePoint(head.ts, txn=head.txn) and tail == TimePoint(tail.ts, txn=tail.txn)


def plain_content(summaries: Sequence[SegmentSummary]) -> bytes:
    """Plain summaries of a segment as a table."""
    rows = [
        (
            each.doc, *each.position, each.head.ts, each.head.txn, each.tail.ts, each.tail.txn, each.records,
            each.transactions,
        )
        for each in summaries
        if each.head is not None
    ]  # fmt: skip
    columns = zip(*rows, strict=True)
    arrays = [pa.array(c, f.type) for c, f in zip(columns, _SCHEMA, strict=True)]
    return to_ipc(pa.table(arrays, schema=_SCHEMA), packed=True)


_TABLES = """
CREATE TABLE plain (
    doc BLOB, segment INTEGER, part INTEGER, number INTEGER, first INTEGER, first_txn INTEGER, last INTEGER,
    last_txn INTEGER, records INTEGER, transactions INTEGER, PRIMARY KEY (doc, segment)
) WITHOUT ROWID;
CREATE TABLE apart (doc BLOB PRIMARY KEY) WITHOUT ROWID;
"""
_AT_ONCE = 5000


class PlainDocuments:
    """Such documents of several segments: a temporary table on disk, which is deleted with this object."""

    def __init__(self) -> None:
        self._database = temporary_tables(self, _TABLES)

    def add(self, segment: int, content: bytes) -> None:
        """Takes what `plain_content` made of a segment, given by its number."""
        for batch in from_ipc(content).to_batches(_AT_ONCE):
            docs, *columns = (column.to_pylist() for column in batch.columns)
            rows = sorted(zip(map(to_key, docs), repeat(segment), *columns))
            self._database.executemany(f"INSERT INTO plain VALUES ({', '.join('?' * 10)})", rows)

    def set_apart(self, others: Iterable[str]) -> None:
        """Those among ``others``, or in more than one segment, are to be looked at one by one."""
        add = "INSERT OR IGNORE INTO apart"
        self._database.execute(f"{add} SELECT doc FROM plain GROUP BY doc HAVING count(*) > 1")
        self._database.executemany(f"{add} VALUES (?)", ((to_key(doc),) for doc in others))

    def set_all_apart(self) -> None:
        """All are."""
        self._database.execute("INSERT OR IGNORE INTO apart SELECT doc FROM plain")

    def extents(self) -> Iterator[Extent]:
        """Where the others lie, by name."""
        rows = self._database.execute(
            "SELECT doc, first, last, records FROM plain WHERE doc NOT IN apart ORDER BY doc"
        )
        return (Extent(from_key(key), first, last, records) for key, first, last, records in rows)

    def records(self) -> int:
        """How many records the others have."""
        counted = "SELECT coalesce(sum(records), 0) FROM plain WHERE doc NOT IN apart"
        [(records,)] = self._database.execute(counted)
        return int(records)

    def summaries(self) -> Iterator[SegmentSummary]:
        """The summaries of those that are apart, segment by segment."""
        rows = self._database.execute("SELECT * FROM plain WHERE doc IN apart ORDER BY segment, doc")
        for key, segment, part, number, first, first_txn, last, last_txn, records, transactions in rows:
            yield SegmentSummary(
                segment=segment, doc=from_key(key), position=(part, number), head=TimePoint(first, txn=first_txn),
                tail=TimePoint(last, txn=last_txn), records=records, transactions=transactions, **_PLAIN,
            )  # fmt: skip
