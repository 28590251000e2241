"""Findings put in order, range by range, by the tasks; the driver only joins the ranges."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack
from io import FileIO
from itertools import groupby, islice, pairwise
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ...log.json_codec import FASTEST
from ..findings.order import Ranking
from ..findings.spool import LooseFinding, Spool
from .chunks import Chunk
from .distinct import counted
from .failures import SparkError
from .finding_chunks import findings_of
from .parcels import written_whole

MOST_BYTES = 256 * 2**20
"""So many bytes of findings of a range are put in order in memory."""

_AT_ONCE = 10_000  # findings from the disk
_PIECE = 4 * 2**20  # bytes


class OrderedFindings(NamedTuple):
    """Findings of a range that follow each other in the order of findings: a line each.

    ``counts``: how many there are by document and event type. ``name`` is the event type of all of them, where findings
    go by event type.
    """

    name: str | None
    counts: dict[str, dict[str, int]]
    text: bytes | memoryview


class FindingsPlace(NamedTuple):
    """The file that is going to hold the findings and nothing else, and where in it those of each range begin.

    A task that runs again writes the same once more.
    """

    file: str
    starts: Sequence[int]

    def written(self, number: int, findings: Iterable[OrderedFindings]) -> Iterator[OrderedFindings]:
        """Writes the findings of a range to their place, and hands them out without their text.

        Raises `SparkError` if they cannot be written.
        """
        start = self.starts[number]
        for each in findings:
            try:
                with open(self.file, "r+b", buffering=0) as file:
                    size = written_whole(file, each.text, start)
                    _begin_to_store(file, start, size)
                    start += size
            except OSError as error:
                folder = os.path.dirname(self.file)
                raise SparkError(f"findings cannot be written to {folder}: {error.strerror}") from error
            yield each._replace(text=b"")


def _begin_to_store(file: FileIO, start: int, size: int) -> None:
    """Has the system begin to put on the disk what was just written, while there is more to be done: in the end, when
    workers have nothing to do, the file as a whole is waited for.

    That the system may forget the rest of what it is told of is no aim; it keeps what is not on the disk yet.
    """
    if hasattr(os, "posix_fadvise"):
        os.posix_fadvise(file.fileno(), start, size, os.POSIX_FADV_DONTNEED)


class FindingOrder:
    """Puts the findings of ranges in order.

    Those of documents in ``withheld`` are left out; with ``by_event`` those of each event type stand by themselves.
    """

    def __init__(
        self,
        ranking: Ranking,
        *,
        withheld: Collection[str] = (),
        by_event: bool = False,
        most_bytes: int = MOST_BYTES,
    ) -> None:
        self._ranking = ranking
        self._withheld = withheld
        self._by_event = by_event
        self._most_bytes = most_bytes

    def order(self, chunks: Iterable[Chunk]) -> Iterator[OrderedFindings]:
        """The findings of one range, whose chunks come in order of source and number.

        They are sorted in memory, or on disk if they are more than ``most_bytes``.
        """
        tables: list[pa.Table] = []
        size = 0
        spool: Spool | None = None
        with ExitStack() as stack:
            for chunk in chunks:
                table = self._without_withheld(findings_of(chunk))
                tables.append(table)
                size += table.nbytes
                if size > self._most_bytes:
                    spool = spool or stack.enter_context(Spool())
                    for table in tables:
                        spool.add_loose(_loose(table))
                    tables = []
            if spool is not None:
                for table in tables:
                    spool.add_loose(_loose(table))
                yield from self._from_disk(spool.take_loose())
            elif tables:
                yield from self._in_memory(tables)

    def _without_withheld(self, table: pa.Table) -> pa.Table:
        if not self._withheld:
            return table
        docs = table["doc"].cast(pa.string())
        return table.filter(pc.invert(pc.is_in(docs, pa.array(sorted(self._withheld), pa.string()))))

    def _from_disk(self, findings: Iterable[LooseFinding]) -> Iterator[OrderedFindings]:
        names = self._ranking.names
        while some := list(islice(findings, _AT_ONCE)):
            by_name: dict[str | None, list[LooseFinding]] = {}
            for finding in some:
                by_name.setdefault(names[finding.place] if self._by_event else None, []).append(finding)
            for name, its in by_name.items():
                counts: dict[str, dict[str, int]] = {}
                for (doc, place), number in Counter((each.doc, each.place) for each in its).items():
                    own = counts.setdefault(doc, {})
                    own[names[place]] = own.get(names[place], 0) + number
                yield OrderedFindings(name, counts, b"".join(each.line for each in its))

    def _in_memory(self, tables: Sequence[pa.Table]) -> Iterator[OrderedFindings]:
        table = pa.concat_tables(tables).unify_dictionaries().combine_chunks()
        if not len(table):
            return
        names = table["doc"].chunk(0)
        texts = names.dictionary.to_pylist()
        rank = np.argsort(np.argsort(np.array(texts, object)))  # by code points, as everywhere
        docs, ts, places = rank[names.indices.to_numpy()], table["ts"].to_numpy(), table["place"].to_numpy()
        order = np.lexsort((places, ts, docs))
        _sort_ties(order, (docs, ts, places), table)
        ordered_texts = sorted(texts)
        if not self._by_event:
            yield from self._pieces(None, order, docs, places, table, ordered_texts)
            return
        event_names = np.array(self._ranking.names, object)[places[order]]
        for name in dict.fromkeys(event_names.tolist()):
            chosen = order[event_names == name]
            yield from self._pieces(name, chosen, docs, places, table, ordered_texts)

    def _pieces(
        self, name: str | None, order: np.ndarray, docs: np.ndarray, places: np.ndarray, table: pa.Table,
        texts: Sequence[str],
    ) -> Iterator[OrderedFindings]:  # fmt: skip
        """The findings at these rows, in pieces of a size that can be handed on."""
        lines = table["line"].chunk(0)
        ends = np.cumsum(pc.binary_length(lines).to_numpy()[order], dtype=np.int64)
        cuts = np.searchsorted(ends, np.arange(_PIECE, ends[-1], _PIECE)).tolist()
        for start, end in pairwise(sorted({0, *(cut + 1 for cut in cuts), len(order)})):
            rows = order[start:end]
            # A piece at a time: its memory is used again for the next. All at once it would be new to the system.
            joined = pc.take(lines, pa.array(rows), boundscheck=False).buffers()[2]  # one behind the other
            size = int(ends[end - 1] - (ends[start - 1] if start else 0))
            counts = self._counts(docs[rows], places[rows], texts)
            yield OrderedFindings(name, counts, memoryview(joined).cast("B")[:size])

    def _counts(
        self, docs: np.ndarray, places: np.ndarray, texts: Sequence[str]
    ) -> dict[str, dict[str, int]]:
        size = len(self._ranking.names)
        numbers, counts = counted(docs.astype(np.int64) * size + places)
        found: dict[str, dict[str, int]] = {}
        for number, count in zip(numbers.tolist(), counts.tolist(), strict=True):
            own = found.setdefault(texts[number // size], {})
            name = self._ranking.names[number % size]
            own[name] = own.get(name, 0) + count
        return found


def by_range(chunks: Iterable[Chunk]) -> Iterator[tuple[int, Iterator[Chunk]]]:
    """The ranges of chunks that stand in their order."""
    return groupby(chunks, key=lambda chunk: chunk.target)


def _loose(table: pa.Table) -> Iterator[LooseFinding]:
    docs = table["doc"].cast(pa.string()).to_pylist()
    columns = (table[name].to_pylist() for name in ("ts", "place", "line"))
    for doc, ts, place, line, values in zip(docs, *columns, _values(table), strict=True):
        yield LooseFinding(doc, ts, place, _comparable(_ids_in(line), values), line)


def _ids_in(line: bytes) -> list[int]:
    """The node ids of a finding: most need none to be put in order, so they have no column."""
    return FASTEST.loads(line)["ids"]  # type: ignore[no-any-return]


def _values(table: pa.Table) -> list[Sequence[str]]:
    """The values of each finding by which its operator groups."""
    return table["values"].to_pylist() if "values" in table.column_names else [()] * len(table)


def _comparable(ids: Sequence[int], values: Sequence[str]) -> bytes:
    """Ids, then values, as bytes that compare like these do."""
    numbers = b"".join(b"\1" + (each + 2**63).to_bytes(8, "big") for each in ids)
    texts = (each.encode("utf-8", "surrogatepass").replace(b"\0", b"\0\xff") for each in values)
    return numbers + b"\0" + b"".join(text + b"\0\1" for text in texts)


def _sort_ties(order: np.ndarray, columns: Sequence[np.ndarray], table: pa.Table) -> None:
    """Puts findings of one event type and time point into the order of their path ids and values."""
    same = np.logical_and.reduce([np.diff(column[order]) == 0 for column in columns])
    if not same.any():
        return
    lines = table["line"].chunk(0)
    values = table["values"].chunk(0) if "values" in table.column_names else None
    for start, end in _tied(np.flatnonzero(same)):
        order[start:end] = sorted(
            order[start:end].tolist(),
            key=lambda row: (_ids_in(lines[row].as_py()), () if values is None else values[row].as_py()),
        )


def _tied(places: np.ndarray) -> Iterator[tuple[int, int]]:
    """Ranges of neighbours, of which each but the last is in ``places``."""
    if len(places):
        cuts = np.flatnonzero(np.diff(places) != 1) + 1
        for run in np.split(places, cuts):
            yield int(run[0]), int(run[-1]) + 2
