"""Findings on their way from the tasks that find them to those that put them in order."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa

from ...events import CompositeEvent
from ...log.columns.arrow_values import numbers
from ..findings.order import Ranking
from .chunks import Chunk, ChunkKind
from .distinct import Numbers
from .ipc import from_ipc, to_ipc

_LARGE = 4 * 2**20  # bytes: with a quarter of it a chunk's own price shows
_AT_ONCE = 64  # findings that are encoded together: documents may have one each


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
    """Collects the findings of the buckets that a task replays, by range; ``source``: a bucket of that task."""

    def __init__(self, ranking: Ranking, source: int, ranges: FindingRanges) -> None:
        self.ranking = ranking
        """What says where they stand, and writes them."""
        self._source = source
        self._ranges = ranges
        self._number = 0
        self._raised: dict[int, list[_Raised]] = {}
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
        ts = [composite[7][0] for composite in composites]
        self._count += len(ts)
        begin = bisect_right(cuts, min(ts))
        if begin == bisect_right(cuts, max(ts)):
            self._raised.setdefault(first + begin, []).append((doc, composites, ts))
        else:
            of_cut = groupby(zip(composites, ts, strict=True), lambda each: bisect_right(cuts, each[1]))
            for cut, its in of_cut:
                some, times = zip(*its, strict=True)
                self._raised.setdefault(first + cut, []).append((doc, some, times))
        if self._count >= _AT_ONCE:
            self._encode()

    def _encode(self) -> None:
        """Puts into columns what was raised."""
        raised, self._raised, self._count = self._raised, {}, 0
        encode = self.ranking.encode
        for number, its in raised.items():
            columns = self._held.get(number)
            if columns is None:
                columns = self._held[number] = _Columns()
            for doc, composites, ts in its:
                columns.order.docs.append(doc)
                columns.order.counts.append(len(composites))
                columns.order.add(self.ranking, composites)
                columns.ts.extend(ts)
            self._size += columns.add_lines([encode(each) for _, composites, _ in its for each in composites])

    def take(self) -> Iterator[Chunk]:
        """Chunks of what was added."""
        self._encode()
        held, self._held, self._size = self._held, {}, 0
        for target, columns in held.items():
            self._number += 1
            yield columns.chunk(target, self._source, self._number)


_Raised: TypeAlias = tuple[str, Sequence[CompositeEvent], Sequence[int]]
"""A document, composites of it, and their time points."""


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


class _Columns:
    """Findings of a range: what their order depends on as columns, the findings as lines.

    Lines are joined while they are few, and in the processor's caches.
    """

    def __init__(self) -> None:
        self.order = _Order([], [], [], [])
        self.ts = array("q")
        self._lengths = array("q")  # without the ends of lines
        self._joined: list[bytes] = []

    def add_lines(self, texts: list[bytes]) -> int:
        """Takes findings as texts; says how many bytes these are as lines."""
        self._lengths.extend(map(len, texts))
        texts.append(b"")
        self._joined.append(b"\n".join(texts))
        return len(self._joined[-1])

    def chunk(self, target: int, source: int, number: int) -> Chunk:
        columns = self.order.columns() | {"ts": numbers(self.ts)}
        sizes = np.frombuffer(self._lengths, np.int64) + 1
        return finding_chunk(target, source, number, columns, sizes, self._joined)


def finding_chunk(
    target: int, source: int, number: int, columns: Mapping[str, pa.Array], sizes: Numbers,
    lines: Sequence[bytes | memoryview],
) -> Chunk:  # fmt: skip
    """Findings of a range as a chunk: ``columns`` of what their order depends on, and lines of these ``sizes``, one
    behind the other, in parts.

    They hold the node ids, too, for which to ask is rarely needed. They stand behind the columns as they are: what
    passes Arrow is copied once more.
    """
    head = to_ipc(pa.table({**columns, "size": pa.array(sizes)}))
    size = sum(map(len, lines))
    return Chunk(ChunkKind.FINDINGS, 0, target, 0, source, number, b"".join((head, *lines)), size)


def findings_of(chunk: Chunk) -> pa.Table:
    """The findings of a chunk: the columns of their order, and each as a line (``line``)."""
    begin = len(chunk.content) - chunk.lines
    table = from_ipc(memoryview(chunk.content)[:begin])
    ends = np.zeros(len(table) + 1, np.int64)
    np.cumsum(table["size"].to_numpy(), out=ends[1:])
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(chunk.content).slice(begin)]
    lines = pa.LargeBinaryArray.from_buffers(pa.large_binary(), len(table), buffers)
    return table.drop_columns("size").append_column("line", lines)


def common_columns(
    ranking: Ranking, docs: Sequence[str], composites: Sequence[CompositeEvent]
) -> dict[str, pa.Array]:
    """The columns of findings, each with its document, that do not depend on their time points."""
    order = _Order([*docs], [1] * len(docs), [], [])
    order.add(ranking, composites)
    return order.columns()
