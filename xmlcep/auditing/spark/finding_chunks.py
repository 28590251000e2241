"""Findings on their way from the tasks that find them to the one file they stand in, in its order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, islice, pairwise
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ...events import CompositeEvent
from ..findings.order import Ranking
from ..findings.spool import LooseFinding, Spool
from .chunks import Chunk, from_ipc, to_ipc

FOUND = -2
"""The level of chunks of findings."""

MOST_BYTES = 256 * 2**20
"""So many bytes of findings of a segment are put in order in memory."""

_LARGE = 2**20  # bytes
_LOOSE_AT_ONCE = 10_000


class Found:
    """Collects the findings of a bucket."""

    def __init__(self, ranking: Ranking, bucket: int) -> None:
        self._ranking = ranking
        self._bucket = bucket
        self._number = 0
        self._clear()

    def _clear(self) -> None:
        self._docs: list[str] = []
        self._ts: list[int] = []
        self._places: list[int] = []
        self._ids: list[tuple[int, ...]] = []
        self._lines: list[bytes] = []
        self._size = 0

    def __bool__(self) -> bool:
        return bool(self._lines)

    @property
    def is_large(self) -> bool:
        """Whether a chunk should be taken."""
        return self._size >= _LARGE

    def add(self, doc: str, composites: Sequence[CompositeEvent]) -> None:
        """Takes what was raised, in that order."""
        number, encode = self._ranking.number, self._ranking.encode
        lines = [encode(composite) + b"\n" for composite in composites]
        self._docs += [doc] * len(lines)
        self._ts += [composite[7][0] for composite in composites]
        self._places += [number(composite) for composite in composites]
        self._ids += [composite[3] for composite in composites]
        self._lines += lines
        self._size += sum(map(len, lines))

    def take(self, segment: int) -> Chunk:
        """A chunk of what was added, found in this segment."""
        table = pa.table(
            {
                "doc": pa.array(self._docs, pa.string()).dictionary_encode(),
                "ts": pa.array(self._ts, pa.int64()),
                "place": pa.array(self._places, pa.int32()),
                "ids": pa.array(self._ids, pa.list_(pa.int64())),
                "line": pa.array(self._lines, pa.binary()),
            }
        )
        self._clear()
        self._number += 1
        return Chunk(FOUND, self._bucket, segment, self._number, to_ipc(table))


class Part(NamedTuple):
    """Findings of a document in their order: how many of which event type, and the findings, a line each."""

    doc: str
    counts: dict[str, int]
    text: bytes


def in_order(
    chunks: Iterable[Chunk], ranking: Ranking, spool: Spool, most_bytes: int = MOST_BYTES
) -> Iterator[Part]:
    """The findings of the chunks, which stand in order of segment, bucket and number; by segment and document.

    Those of a segment are put in order in memory, or by ``spool`` on disk if they are more than ``most_bytes``.
    """
    for _, together in groupby(chunks, key=lambda chunk: chunk.segment):
        held: list[pa.Table] = []
        size = 0
        for chunk in together:
            table = from_ipc(chunk.content)
            held.append(table)
            size += table.nbytes  # a chunk is packed
            if size > most_bytes:
                for table in held:
                    spool.add_loose(_loose(table))
                held = []
        if size > most_bytes:
            yield from _parts_of(spool.take_loose(), ranking)
        else:
            yield from _merged(held, ranking)


def _loose(table: pa.Table) -> Iterator[LooseFinding]:
    docs = table["doc"].cast(pa.string()).to_pylist()
    columns = (table[name].to_pylist() for name in ("ts", "place", "ids", "line"))
    for doc, ts, place, ids, line in zip(docs, *columns, strict=True):
        # As bytes that compare like the numbers do.
        yield LooseFinding(doc, ts, place, b"".join((each + 2**63).to_bytes(8, "big") for each in ids), line)


def _parts_of(findings: Iterable[LooseFinding], ranking: Ranking) -> Iterator[Part]:
    """Sorted findings by document, some at a time."""
    for doc, of_one in groupby(findings, key=lambda finding: finding.doc):
        while some := list(islice(of_one, _LOOSE_AT_ONCE)):
            counts = Counter(ranking.names[finding.place] for finding in some)
            yield Part(doc, dict(counts), b"".join(finding.line for finding in some))


def _merged(tables: Sequence[pa.Table], ranking: Ranking) -> Iterator[Part]:
    """The findings of a segment, put in order in memory."""
    table = pa.concat_tables(tables).unify_dictionaries().combine_chunks()
    names = table["doc"].chunk(0)
    docs, ts, places = names.indices.to_numpy(), table["ts"].to_numpy(), table["place"].to_numpy()
    order = np.lexsort((places, ts, docs))
    _settle_ties(order, (docs, ts, places), table)
    docs, places = docs[order], places[order]
    lines = table["line"].chunk(0).take(pa.array(order))
    offsets = np.append(0, np.cumsum(pc.binary_length(lines).to_numpy(), dtype=np.int64)).tolist()
    text = memoryview(lines.buffers()[2])  # the lines in order, one behind the other
    starts = [0, *(np.flatnonzero(np.diff(docs)) + 1).tolist(), len(docs)]
    for start, end in pairwise(starts):
        numbers, counts = np.unique(places[start:end], return_counts=True)
        found: dict[str, int] = {}
        for number, count in zip(numbers.tolist(), counts.tolist(), strict=True):
            name = ranking.names[number]
            found[name] = found.get(name, 0) + count
        yield Part(
            names.dictionary[int(docs[start])].as_py(),
            found,
            bytes(text[offsets[start] : offsets[end]]),
        )


def _settle_ties(order: np.ndarray, columns: Sequence[np.ndarray], table: pa.Table) -> None:
    """Puts findings of one event type and time point into the order of their path ids."""
    same = np.logical_and.reduce([np.diff(column[order]) == 0 for column in columns])
    ids = table["ids"].chunk(0) if same.any() else None
    for start, end in _runs(np.flatnonzero(same)):
        assert ids is not None
        order[start:end] = sorted(order[start:end].tolist(), key=lambda row: ids[row].as_py())


def _runs(places: np.ndarray) -> Iterator[tuple[int, int]]:
    """Ranges of neighbours, of which each but the last is in ``places``."""
    if len(places):
        cuts = np.flatnonzero(np.diff(places) != 1) + 1
        for run in np.split(places, cuts):
            yield int(run[0]), int(run[-1]) + 2
