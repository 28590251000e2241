"""What segments tell of documents, as rows of tables on disk, for there may be many.

Documents of which nothing is open at the ends of their one segment stay rows; the others are looked at one by one, each
with all that its segments tell.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import groupby, repeat
from operator import itemgetter
from typing import Any

import pyarrow as pa

from ...log.json_codec import FASTEST
from ..temporary_tables import from_key, temporary_tables, to_key
from .finding_chunks import Extent
from .ipc import from_ipc, to_ipc
from .segment_summary import PlacedClock, PlacedRaised, SegmentSummary, TimePoint

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
        ("transactions", pa.int64()), ("rest", pa.binary()),
    ]
)  # fmt: skip


def is_plain(summary: SegmentSummary) -> bool:
    """Whether a row says all of it without ``rest``."""
    head, tail = summary.head, summary.tail
    if head is None or _open_fields(summary) != _NOTHING_OPEN:
        return False
    return head == TimePoint(head.ts, txn=head.txn) and tail == TimePoint(tail.ts, txn=tail.txn)


def summaries_content(summaries: Iterable[SegmentSummary]) -> bytes:
    """Summaries of a segment as a table."""
    rows = [
        (
            each.doc, *each.position, None if each.head is None else each.head.ts,
            None if each.head is None else each.head.txn, each.tail.ts, each.tail.txn, each.records,
            each.transactions, None if is_plain(each) else _rest(each),
        )
        for each in summaries
    ]  # fmt: skip
    columns = zip(*rows, strict=True)
    arrays = [pa.array(c, f.type) for c, f in zip(columns, _SCHEMA, strict=True)]
    return to_ipc(pa.table(arrays, schema=_SCHEMA), packed=True)


def _rest(summary: SegmentSummary) -> bytes:
    """What a summary has beside the columns of a row: its time points, and what is open."""
    found = {
        name: _as_lists(value)
        for name, value, nothing in zip(_PLAIN, _open_fields(summary), _NOTHING_OPEN, strict=True)
        if value != nothing
    }
    return FASTEST.dumps(found | {"head": _as_lists(summary.head), "tail": _as_lists(summary.tail)})


def _as_lists(value: Any) -> Any:
    if isinstance(value, dict):
        return list(value.items())
    return list(map(_as_lists, value)) if isinstance(value, (list, tuple)) else value


def _from_rest(content: bytes) -> dict[str, Any]:
    """The fields of a summary."""
    found: dict[str, Any] = _PLAIN | FASTEST.loads(content)
    for name in ("head_keys", "open_runs", "touched"):
        found[name] = dict(found[name])
    for name in ("leading", "clocks", "trailing"):
        found[name] = [PlacedClock(*clock) for clock in found[name]]
    for name in ("head", "tail", "first_flush"):
        found[name] = None if found[name] is None else TimePoint(*found[name])
    found["raised"] = [PlacedRaised(*raised) for raised in found["raised"]]
    return found


_TABLES = """
CREATE TABLE told (
    doc BLOB, segment INTEGER, part INTEGER, number INTEGER, first INTEGER, first_txn INTEGER, last INTEGER,
    last_txn INTEGER, records INTEGER, transactions INTEGER, rest BLOB, PRIMARY KEY (doc, segment)
) WITHOUT ROWID;
CREATE TABLE apart (doc BLOB PRIMARY KEY) WITHOUT ROWID;
"""
_AT_ONCE = 5000


class SummaryTables:
    """The summaries of segments: a temporary table on disk, which is deleted with this object."""

    def __init__(self) -> None:
        self._database = temporary_tables(self, _TABLES)

    def add(self, segment: int, content: bytes) -> None:
        """Takes what `summaries_content` made of a segment, given by its number."""
        for batch in from_ipc(content).to_batches(_AT_ONCE):
            docs, *columns = (column.to_pylist() for column in batch.columns)
            rows = sorted(zip(map(to_key, docs), repeat(segment), *columns))
            self._database.executemany(f"INSERT INTO told VALUES ({', '.join('?' * 11)})", rows)

    def set_apart(self) -> None:
        """Documents in more than one segment, or with something open, are to be looked at one by one."""
        self._database.execute(
            "INSERT INTO apart SELECT doc FROM told GROUP BY doc HAVING count(*) > 1 OR count(rest) > 0"
        )

    def set_all_apart(self) -> None:
        """All are."""
        self._database.execute("INSERT OR IGNORE INTO apart SELECT doc FROM told")

    def extents(self) -> Iterator[Extent]:
        """Where the others lie, by name."""
        rows = self._database.execute(
            "SELECT doc, first, last, records FROM told WHERE doc NOT IN apart ORDER BY doc"
        )
        return (Extent(from_key(key), first, last, records) for key, first, last, records in rows)

    def records(self) -> int:
        """How many records the others have."""
        counted = "SELECT coalesce(sum(records), 0) FROM told WHERE doc NOT IN apart"
        [(records,)] = self._database.execute(counted)
        return int(records)

    def documents(self) -> Iterator[Iterator[SegmentSummary]]:
        """The summaries of those that are apart: of one document after the other, in order of their names, each segment
        by segment."""
        rows = self._database.execute("SELECT * FROM told WHERE doc IN apart ORDER BY doc, segment")
        return (map(_summary, of_document) for _, of_document in groupby(rows, itemgetter(0)))

    def duplicates(self) -> int:
        """How many records of those that are apart repeat a time point, or are bad by their place (see
        `SegmentSummary`)."""
        return sum(summary.duplicates for summaries in self.documents() for summary in summaries)

    def segments(self, docs: Collection[str]) -> set[int]:
        """The segments that have records of these documents."""
        wanted = "SELECT segment FROM told WHERE doc = ?"
        return {segment for doc in docs for (segment,) in self._database.execute(wanted, (to_key(doc),))}


def _summary(row: Sequence[Any]) -> SegmentSummary:
    key, segment, part, number, first, first_txn, last, last_txn, records, transactions, rest = row
    told = {
        "segment": segment, "doc": from_key(key), "position": (part, number), "records": records,
        "transactions": transactions,
    }  # fmt: skip
    if rest is None:
        told |= {"head": TimePoint(first, txn=first_txn), "tail": TimePoint(last, txn=last_txn), **_PLAIN}
    else:
        told |= _from_rest(rest)
    return SegmentSummary(**told)
