"""Markers that only the segments of a log together tell: where keys, transactions and documents go on in the next."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby, islice
from operator import itemgetter

import numpy as np

from ...log.json_codec import FASTEST
from ..plan.partition_key import Plan
from ..temporary_tables import from_key, temporary_tables, to_key
from .chunks import Chunk, ChunkWriter, Mark, buckets_of, hash_of
from .document_merge import SeamMarker, WholeDocument
from .segment_summary import TimePoint, point_columns, turn

_TABLE = """
CREATE TABLE seams (
    segment INTEGER, mark INTEGER, pass INTEGER, doc BLOB, bucket INTEGER, turn INTEGER, record BLOB,
    ts INTEGER, at TEXT, txn INTEGER, meta TEXT, edit INTEGER, time INTEGER, transactions INTEGER
);
"""
_AT_ONCE = 5000


class Seams:
    """The markers of documents: a temporary table on disk, which is deleted with this object."""

    def __init__(self, plan: Plan, buckets: int) -> None:
        self._plan = plan
        self._buckets = buckets
        self._database = temporary_tables(self, _TABLE)

    def add(self, document: WholeDocument) -> None:
        """Takes the markers of a document."""
        rows = [
            (
                each.segment, each.mark, each.pass_index, to_key(each.doc), each.bucket, each.turn, each.record,
                *each.point,
            )
            for markers in (document.seams, self._clocks(document), self._raised(document))
            for each in markers
        ]  # fmt: skip
        if rows:
            self._database.executemany(f"INSERT INTO seams VALUES ({', '.join('?' * 14)})", rows)

    def _clocks(self, document: WholeDocument) -> Iterator[SeamMarker]:
        """The clock records of a document, for the passes that measure (W6); these see documents as a whole."""
        if not document.clocks:
            return
        bucket = int(buckets_of(hash_of(document.doc), [0], self._buckets)[0])
        for each in self._plan.passes:
            if each.measures and not each.reads_clock:
                ts = count = 0
                for segment, clock in document.clocks:
                    ts, count = clock.ts, count + 1 if clock.ts == ts else 1
                    point = TimePoint(clock.ts, clock.at)
                    yield SeamMarker(
                        segment, Mark.CLOCK, each.index, document.doc, bucket, point, turn(count)
                    )

    def _raised(self, document: WholeDocument) -> Iterator[SeamMarker]:
        """The external events of a document whose records stand in the segment before (L7)."""
        if not document.raised:
            return
        bucket = int(buckets_of(hash_of(document.doc), [0], self._buckets)[0])
        for segment, place, raised in document.raised:
            record = raised.text.encode()
            name = FASTEST.loads(record)["name"]
            for each in self._plan.passes:
                if name in each.externals:
                    point = TimePoint(raised.ts)
                    yield SeamMarker(
                        segment, Mark.RAISED, each.index, document.doc, bucket, point, place, record
                    )

    def chunks(self) -> Iterator[Chunk]:
        """All of them as chunks whose rows have their places between others, segment by segment."""
        rows = self._database.execute("SELECT * FROM seams ORDER BY segment, rowid")
        for segment, of_segment in groupby(rows, itemgetter(0)):
            writer = ChunkWriter([each.level for each in self._plan.passes], self._buckets, ())
            while some := list(islice(of_segment, _AT_ONCE)):
                _, marks, passes, docs, buckets, turns, records, *points = zip(*some, strict=True)
                columns = {
                    "mark": marks, "doc": [writer.code(from_key(doc)) for doc in docs],
                    **point_columns(map(TimePoint._make, zip(*points, strict=True))), "turn": turns,
                    "composite": records,
                }  # fmt: skip
                numbers = np.array(buckets, np.int64)
                writer.add(np.array(passes, np.int64), numbers, columns, ordered=False)
            yield from writer.take(segment, interleaved=True)
