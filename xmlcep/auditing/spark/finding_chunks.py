"""Findings on their way from the tasks that find them to those that put them in order."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from ...events import CompositeEvent
from ..findings.order import Ranking
from .chunks import Chunk, ChunkKind
from .ipc import to_ipc

_LARGE = 2**20  # bytes
_AT_ONCE = 200  # findings that are encoded together: documents may have one each


class Extent(NamedTuple):
    """Where a document lies in the order of findings: its time points from the first to the last, how many records."""

    doc: str
    first: int
    last: int
    records: int


class FindingRanges:
    """The findings of an audit, which stand by document and time point, cut into ranges of about equal size.

    A range begins at each of the ``cuts``, pairs of a document and a time point in ascending order, and the first one
    before them.
    """

    def __init__(self, cuts: Sequence[tuple[str, int]]) -> None:
        self.cuts = list(cuts)

    def __len__(self) -> int:
        return len(self.cuts) + 1

    @classmethod
    def of(cls, extents: Iterable[Extent], records_per_range: int) -> FindingRanges:
        """Ranges in which about so many records raise what is found; a document's are thought to be spread evenly.

        ``extents`` are those of the documents in the order of their names.
        """
        return cls(list(dict.fromkeys(_cuts(extents, records_per_range))))

    def of_document(self, doc: str) -> tuple[int, list[int]]:
        """The range in which a document's findings begin, and the time points at which further ones do."""
        first = bisect_left(self.cuts, (doc, 0))
        within = bisect_left(self.cuts, (doc + "\0", 0), lo=first)
        return first, [ts for _, ts in self.cuts[first:within]]


def _cuts(extents: Iterable[Extent], records_per_range: int) -> Iterator[tuple[str, int]]:
    place = records_per_range  # of the next cut among the records of documents, one behind the other
    before = 0
    for doc, first, last, records in extents:
        while place < before + records:
            cut = first + (place - before) * (last - first + 1) // records
            if (doc, cut) > ("", 0):
                yield doc, cut
            place += records_per_range
        before += records


class FindingChunkWriter:
    """Collects the findings of a bucket, by range."""

    def __init__(self, ranking: Ranking, bucket: int, ranges: FindingRanges) -> None:
        self._ranking = ranking
        self._bucket = bucket
        self._ranges = ranges
        self._number = 0
        self._raised: dict[int, list[tuple[str, Sequence[CompositeEvent]]]] = {}
        self._count = 0
        self._held: dict[int, _Columns] = {}
        self._size = 0

    @property
    def is_large(self) -> bool:
        """Whether chunks should be taken."""
        return self._size >= _LARGE

    def add(self, doc: str, composites: Sequence[CompositeEvent]) -> None:
        """Takes what was raised, in that order."""
        first, cuts = self._ranges.of_document(doc)
        if cuts:
            for cut, its in groupby(composites, lambda composite: bisect_right(cuts, composite[7][0])):
                self._raised.setdefault(first + cut, []).append((doc, list(its)))
        else:
            self._raised.setdefault(first, []).append((doc, composites))
        self._count += len(composites)
        if self._count >= _AT_ONCE:
            self._encode()

    def _encode(self) -> None:
        """Puts into columns what was raised."""
        raised, self._raised, self._count = self._raised, {}, 0
        encode = self._ranking.encode
        for number, its in raised.items():
            columns = self._held.get(number)
            if columns is None:
                columns = self._held[number] = _Columns(_Order([], [], [], []), [], [])
            composites = [composite for _, together in its for composite in together]
            for doc, together in its:
                columns.order.docs.append(doc)
                columns.order.counts.append(len(together))
            columns.order.add(self._ranking, composites)
            columns.ts.extend([composite[7][0] for composite in composites])
            lines = [encode(composite) for composite in composites]
            columns.lines.extend(lines)
            self._size += sum(map(len, lines)) + len(lines)

    def take(self, segment: int) -> Iterator[Chunk]:
        """Chunks of what was added, found in this segment."""
        self._encode()
        held, self._held, self._size = self._held, {}, 0
        for target, columns in held.items():
            self._number += 1
            content = to_ipc(columns.table())
            yield Chunk(ChunkKind.FINDINGS, 0, target, segment, self._bucket, self._number, content)


class _Order(NamedTuple):
    """On what the order of findings depends beside their time points and node ids.

    Documents, each with how many of its findings follow each other; places by event type and operator; values if any
    operator groups by some.
    """

    docs: list[str]
    counts: list[int]
    places: list[int]
    values: list[tuple[str, ...]]

    def add(self, ranking: Ranking, composites: Sequence[CompositeEvent]) -> None:
        """Takes findings, whose documents were added."""
        self.places.extend(map(ranking.number, composites))
        if ranking.uses_values:
            self.values.extend(map(ranking.values, composites))

    def columns(self) -> dict[str, pa.Array]:
        codes = {doc: code for code, doc in enumerate(dict.fromkeys(self.docs))}
        indexes = np.repeat(np.array([codes[doc] for doc in self.docs], np.int32), self.counts)
        docs = pa.DictionaryArray.from_arrays(pa.array(indexes), pa.array(codes, pa.string()))
        found = {"doc": docs, "place": pa.array(self.places, pa.int32())}
        if self.values:
            found["values"] = pa.array(self.values, pa.list_(pa.string()))
        return found


class _Columns(NamedTuple):
    order: _Order
    ts: list[int]
    lines: list[bytes]

    def table(self) -> pa.Table:
        return pa.table(
            {**self.order.columns(), "ts": pa.array(self.ts, pa.int64()), "line": _lines(self.lines)}
        )


def _lines(texts: Sequence[bytes]) -> pa.Array:
    """Texts as lines, one behind the other; they hold the node ids, for which to ask is rarely needed."""
    text = b"\n".join((*texts, b""))
    ends = np.zeros(len(texts) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)) + 1, out=ends[1:])
    return pa.LargeBinaryArray.from_buffers(
        pa.large_binary(), len(texts), [None, pa.py_buffer(ends), pa.py_buffer(text)]
    )


def common_columns(
    ranking: Ranking, docs: Sequence[str], composites: Sequence[CompositeEvent]
) -> dict[str, pa.Array]:
    """The columns of findings, each with its document, that do not depend on their time points."""
    order = _Order([*docs], [1] * len(docs), [], [])
    order.add(ranking, composites)
    return order.columns()
