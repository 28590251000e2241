"""What a replay has to know of the log as a whole, which no segment and no bucket tells."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from ..temporary_tables import from_key, to_key
from .chunks import hash_of_key
from .document_clock import DocumentTime
from .finding_chunks import FindingRanges
from .ipc import from_ipc, to_ipc
from .segment_summary import TimePoint


class DocumentEnd(NamedTuple):
    """Where a document ends: in which segment, at which time point."""

    segment: int
    point: TimePoint


_ENDS = pa.schema(
    [
        ("doc", pa.binary()), ("segment", pa.int64()), ("ts", pa.int64()), ("at", pa.string()), ("txn", pa.int64()),
        ("meta", pa.string()), ("edits", pa.binary()), ("time", pa.binary()),
    ]
)  # fmt: skip


def pairs_packed(pairs: Mapping[int, int]) -> bytes:
    """Pairs of numbers as bytes."""
    return np.array(list(pairs.items()), "<i8").tobytes()


_NONE: Mapping[int, int] = MappingProxyType({})


class DocumentEnds(Mapping[str, DocumentEnd]):
    """Where documents end, by name, how their edits go on, and what is known of their clocks: a table, for there may be
    many, and the driver and each worker have one."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._columns = [column.combine_chunks() for column in from_ipc(content).columns]
        self._docs = self._columns[0]
        hashes = np.fromiter((hash_of_key(doc.as_py()) for doc in self._docs), np.uint32, len(self._docs))
        self._order = np.argsort(hashes, kind="stable").astype(np.uint32)
        self._hashes = hashes[self._order]

    @classmethod
    def of(cls, rows: Iterable[Sequence[tuple[Any, ...]]]) -> DocumentEnds:
        """From rows, some at a time: the name as a key, the segment, then the time point up to its meta, the packed
        edits that go on in a later segment, if any do, and the packed `DocumentTime` if that matters."""
        batches = []
        for some in rows:
            columns = zip(*some, strict=True)
            arrays = [pa.array(column, field.type) for column, field in zip(columns, _ENDS, strict=True)]
            batches.append(pa.record_batch(arrays, schema=_ENDS))
        return cls(to_ipc(pa.Table.from_batches(batches, _ENDS)))

    def __reduce__(self) -> tuple[type[DocumentEnds], tuple[bytes]]:
        return DocumentEnds, (self._content,)

    def __getitem__(self, doc: str) -> DocumentEnd:
        row = self._row(doc)
        if row is None:
            raise KeyError(doc)
        segment, *point = (column[row].as_py() for column in self._columns[1:-2])
        return DocumentEnd(segment, TimePoint(*point))

    def __contains__(self, doc: object) -> bool:
        return isinstance(doc, str) and self._row(doc) is not None

    def segment(self, doc: str) -> int | None:
        """In which segment a document ends; None if it is none of these."""
        row = self._row(doc)
        return None if row is None else self._columns[1][row].as_py()

    def edits(self, doc: str) -> Mapping[int, int]:
        """Under which numbers edits go on in a later segment, and began."""
        packed = self._columns[-2]
        row = None if packed.null_count == len(packed) else self._row(doc)
        content = None if row is None else packed[row].as_py()
        return _NONE if content is None else dict(np.frombuffer(content, "<i8").reshape(-1, 2).tolist())

    def time(self, doc: str) -> DocumentTime | None:
        """What is known of its clock; None if that does not matter, or it is none of these."""
        row = self._row(doc)
        content = None if row is None else self._columns[-1][row].as_py()
        return None if content is None else DocumentTime.unpacked(content, self._columns[1][row].as_py())

    def _row(self, doc: str) -> int | None:
        key = to_key(doc)
        wanted = hash_of_key(key)
        place = int(np.searchsorted(self._hashes, wanted))
        while place < len(self._hashes) and self._hashes[place] == wanted:
            row = int(self._order[place])
            if self._docs[row].as_py() == key:
                return row
            place += 1
        return None

    def __iter__(self) -> Iterator[str]:
        return (from_key(key.as_py()) for key in self._docs)

    def __len__(self) -> int:
        return len(self._docs)


@dataclass(frozen=True, slots=True)
class WholeLog:
    """What a replay has to know of the log as a whole.

    ``ends`` says where documents end: there their trees are closed and their state is freed; and how their edits and
    clocks went on, if that matters. Where nothing is raised by ends (`Plan.closes_documents`) it leaves those out that
    have one segment only: they end with it. ``headers`` has the number of each document's header; ``ranges`` those into
    which findings go; ``resorted`` the documents whose records come once more, sorted.
    """

    ends: DocumentEnds
    headers: Mapping[str, int]
    ranges: FindingRanges
    resorted: Collection[str] = ()
