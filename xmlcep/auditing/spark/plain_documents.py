"""Documents of a segment of which nothing is open at its ends: rows of a table, not objects, for there may be many.

Only those that have more than one segment are looked at one by one; the rest is as it was read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from operator import itemgetter
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

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
_WITH_SEGMENT = _SCHEMA.append(pa.field("segment", pa.int64()))


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
    return to_ipc(
        pa.table([pa.array(c, f.type) for c, f in zip(columns, _SCHEMA, strict=True)], schema=_SCHEMA)
    )


class PlainDocuments:
    """Such documents of several segments."""

    def __init__(self, table: pa.Table) -> None:
        self.table = table

    @classmethod
    def of(cls, contents: Iterable[tuple[int, bytes]]) -> PlainDocuments:
        """What `plain_content` made of segments, given by their numbers."""
        tables = [_WITH_SEGMENT.empty_table()]
        for segment, content in contents:
            table = from_ipc(content)
            tables.append(table.append_column("segment", pa.array(np.full(len(table), segment))))
        return cls(pa.concat_tables(tables).combine_chunks())

    def divided(self, others: Collection[str]) -> tuple[PlainDocuments, PlainDocuments]:
        """Those that are in one segment only and not among ``others``; and the rest."""
        docs = self.table["doc"].combine_chunks()
        codes = docs.dictionary_encode().indices.to_numpy()
        alone = np.bincount(codes, minlength=1)[codes] == 1
        alone &= ~pc.is_in(docs, pa.array(sorted(others), pa.string())).to_numpy(zero_copy_only=False)
        return PlainDocuments(self.table.filter(pa.array(alone))), PlainDocuments(
            self.table.filter(pa.array(~alone))
        )

    def summaries(self) -> Iterator[SegmentSummary]:
        """The same as summaries, segment by segment."""
        for batch in self.table.sort_by("segment").to_batches(10_000):
            for doc, part, number, first, first_txn, last, last_txn, records, transactions, segment in zip(
                *(column.to_pylist() for column in batch.columns), strict=True
            ):
                yield SegmentSummary(
                    segment=segment, doc=doc, position=(part, number), head=TimePoint(first, txn=first_txn),
                    tail=TimePoint(last, txn=last_txn), records=records, transactions=transactions, **_PLAIN,
                )  # fmt: skip
