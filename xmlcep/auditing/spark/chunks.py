"""What map tasks hand to replay tasks: chunks of routed rows, each for one bucket, as Arrow IPC streams.

Spark's cost is per row and per value, so it is given neither: a chunk is one value of one row. Keys are many and
of any size; what a task replays is a *bucket*, a share of all keys by their hash.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ...log.columns.blocks import RecordType
from ..rule_counts import text_of
from ..temporary_tables import to_key
from .distinct import Numbers, distinct, in_groups
from .ipc import to_ipc

_ROWS_PER_CHUNK = 8192  # with half as many a chunk's own price shows, twice as many save nothing more
_MOST_ROWS_HELD = 524_288  # with half as many a worker is 25 MiB smaller, and 200 buckets cost a tenth more
_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # 2**64 over the golden ratio: neighbours fall far apart


class Mark:
    """What a row is. Rows of a document are replayed in the order of ts, then of their turns, then of these numbers.

    The turn is 0, but for clock records and external events, of which there may be several at one ts (see
    `SegmentDocument.turn`).
    """

    FRAGMENT = 0
    """A part of the document before the first record (XML text and ids)."""
    BOUNDARY = 1
    """A change elsewhere, the first after records of a key (D2)."""
    COMPOSITE = 2
    """A composite event that trees of another pass raised at the record of this ts."""
    RECORD = 3
    """A record."""
    CLOCK = 4
    """A clock record (W6)."""
    RAISED = 5
    """An external event (L7)."""
    FLUSH = 6
    """The end of a transaction (D3)."""


class ChunkKind(IntEnum):
    """What a chunk holds."""

    ROWS = 0
    """Rows of one bucket, as they stand in one segment, for the passes of one level."""
    FINDINGS = 1
    """Findings of the buckets of one task, for one range of all findings in their order."""
    BAD_RECORD = 2
    """A bad record: there may be more of them than memory holds."""
    FIRINGS = 3
    """Findings of timers of one bucket, with the segment that tells their time points."""
    CLOCKS = 4
    """What the clocks of documents show at the records of a segment."""


INTERLEAVED = -1
"""The number of chunks whose rows have places between those of the other chunks of their segment; they come first."""


class Chunk(NamedTuple):
    """What tasks hand on: one value of one row.

    ``target`` is whom it is for: of rows the bucket, of findings the range. Of what has one ``target`` (and ``level``)
    segment, ``source`` (of findings a bucket of the task that found them) and number say the order; findings have no
    segment: what comes from two buckets never has one place. ``lines``: how many bytes findings are as lines.
    """

    kind: ChunkKind
    level: int
    target: int
    segment: int
    source: int
    number: int
    content: bytes
    lines: int = 0

    @property
    def is_interleaved(self) -> bool:
        """Whether its rows have places between those of other chunks."""
        return self.number == INTERLEAVED


def hash_of(doc: str) -> int:
    """What a document's name adds to the hash of its keys."""
    return hash_of_key(to_key(doc))


def hash_of_key(key: bytes) -> int:
    """The same of its key."""
    return zlib.crc32(key)


def buckets_of(doc_hashes: Any, keys: Any, buckets: int) -> Numbers:
    """The bucket of each key node (its id) of a document (its hash), the same on every machine."""
    hashed = (np.asarray(keys, np.int64).view(np.uint64) + np.asarray(doc_hashes, np.uint64)) * _FACTOR
    return ((hashed >> np.uint64(32)) % np.uint64(buckets)).astype(np.int64)


META = pa.dictionary(pa.int32(), pa.string())
"""Metas as JSON texts."""

# The columns of routed rows beside `doc` and `what`, which are codes while rows are collected and dictionaries in a
# chunk. A fragment has its XML text in `value`, its root's path in `old`, the ids of its nodes in `ids`, and the number
# of its `header`. An external event has the JSON text of its record in `composite`.
# The number of an edit is the ts of its first record in the segment; `time` and `transaction` are what
# the clock shows, as far as the segment tells.
_FIELDS = {
    "pass": pa.int32(), "mark": pa.int8(), "ts": pa.int64(), "ids": pa.list_(pa.int64()),
    "value": pa.string(), "old": pa.string(), "pos": pa.int64(), "at": pa.string(), "txn": pa.int64(),
    "meta": META, "more": pa.bool_(), "turn": pa.int64(), "edit": pa.int64(), "time": pa.int64(),
    "transaction": pa.int64(), "composite": pa.binary(), "header": pa.int64(),
}  # fmt: skip
_FEW_IDS = pa.list_(pa.int32())
_COLLECTED = pa.schema([("cell", pa.int64()), ("doc", pa.int64()), ("what", pa.int64()), *_FIELDS.items()])


class ChunkWriter:
    """Collects routed rows and hands them out in chunks.

    ``levels`` are those of the passes, by index; ``types`` (it may grow) says what the codes of ``what`` stand for.
    """

    def __init__(self, levels: Sequence[int], buckets: int, types: Sequence[RecordType]) -> None:
        self.buckets = buckets
        self.docs: list[str] = []
        self._codes: dict[str, int] = {}
        self._levels = np.asarray(levels, np.int64)
        self._types = types
        self._held: list[pa.RecordBatch] = []
        self._rows = 0
        self._number = 0
        self._ordered = True
        self._limit = min(_ROWS_PER_CHUNK * buckets, _MOST_ROWS_HELD)

    def code(self, doc: str) -> int:
        """The number by which a document goes here."""
        code = self._codes.get(doc)
        if code is None:
            code = self._codes[doc] = len(self.docs)
            self.docs.append(doc)
        return code

    def begin(self) -> None:
        """Starts a segment."""
        self._number = 0

    def add(self, passes: Any, buckets: Numbers, columns: dict[str, Any], *, ordered: bool = True) -> None:
        """Takes rows: their passes and buckets, and columns by name (missing ones are null).

        ``ordered``: whether rows of a document come after those that were added before.
        """
        count = len(buckets)
        if not count:
            return
        given = columns | {"pass": passes, "cell": self._levels[passes] * self.buckets + buckets}
        arrays = [
            _array(given[field.name], field.type) if field.name in given else pa.nulls(count, field.type)
            for field in _COLLECTED
        ]
        self._held.append(pa.RecordBatch.from_arrays(arrays, schema=_COLLECTED))
        self._ordered &= ordered
        self._rows += count

    def ready(self) -> bool:
        """Whether so much has come together that chunks should be taken."""
        return self._rows >= self._limit

    def take(self, segment: int, *, interleaved: bool = False) -> Iterator[Chunk]:
        """All rows that were added, in chunks: by pass, document and, if need be, time.

        ``interleaved``: their places are between those of other chunks of the segment.
        """
        if not self._held:
            return
        table = pa.Table.from_batches(self._held)
        # A column without values is left out, here and of chunks.
        names = [
            name for name in table.column_names if name not in _FIELDS or table[name].null_count < len(table)
        ]
        table = _narrowed(table.select(names).combine_chunks())
        ordered, self._ordered = self._ordered, True
        self._held, self._rows = [], 0
        cell, pass_, doc = (table[name].to_numpy() for name in ("cell", "pass", "doc"))
        place = (cell * len(self._levels) + pass_) * len(self.docs) + doc
        if not ordered:
            order = np.lexsort((table["mark"].to_numpy(), turns(table), table["ts"].to_numpy(), place))
        elif np.all(place[1:] >= place[:-1]):
            order = None
        else:
            order = in_groups(place)
        if order is not None:  # made here: there is nothing to check
            table, cell = pc.take(table, pa.array(order), boundscheck=False), cell[order]
        starts = np.flatnonzero(np.diff(cell, prepend=-1)).tolist()
        for start, end in zip(starts, [*starts[1:], len(cell)], strict=True):
            level, bucket = divmod(int(cell[start]), self.buckets)
            content = self._content(table.slice(start, end - start).combine_chunks())
            number = INTERLEAVED if interleaved else self._number
            yield Chunk(ChunkKind.ROWS, level, bucket, segment, 0, number, content)
            self._number += 1

    def _content(self, table: pa.Table) -> bytes:
        columns = {
            "doc": _named(table["doc"], self.docs.__getitem__),
            "what": _named(table["what"], lambda code: text_of(self._types[code])),
        }
        given = (name for name in table.column_names if name in _FIELDS)
        columns |= {name: table[name] for name in given if table[name].null_count < len(table)}
        if "meta" in columns:
            metas = columns["meta"].combine_chunks()
            columns["meta"] = _named(
                pa.chunked_array([metas.indices]), metas.dictionary.to_pylist().__getitem__
            )
        return to_ipc(pa.table(columns))


def turns(table: pa.Table) -> Numbers:
    """The turns of rows; those without are of the first."""
    if "turn" not in table.column_names:
        return np.zeros(len(table), np.int64)
    return np.asarray(table["turn"].fill_null(0).to_numpy())


def _narrowed(table: pa.Table) -> pa.Table:
    """The same with node ids of four bytes, if these do: ids are most of what a row has."""
    try:
        return _with_ids_as(_FEW_IDS, table)
    except pa.ArrowInvalid:  # one is larger
        return table


def widened(table: pa.Table) -> pa.Table:
    """The rows of a chunk with node ids of eight bytes, as those of others may have."""
    return _with_ids_as(_FIELDS["ids"], table)


def _with_ids_as(type_: pa.DataType, table: pa.Table) -> pa.Table:
    """The same with node ids, if there are any, of this type."""
    place = table.schema.get_field_index("ids")
    return table if place < 0 else table.set_column(place, "ids", table["ids"].cast(type_))


def _array(values: Any, type_: pa.DataType) -> pa.Array:
    return values if isinstance(values, pa.Array) else pa.array(values, type_)


def _named(codes: pa.ChunkedArray, name: Any) -> pa.DictionaryArray:
    """Codes as a dictionary with names for those that occur."""
    occurring, places = distinct(codes.combine_chunks().drop_null().to_numpy())
    names = pa.array([name(code) for code in occurring.tolist()], pa.string())
    indexes = pa.array(places.astype(np.int32))
    if codes.null_count:
        mask = codes.combine_chunks().is_valid().to_numpy(zero_copy_only=False)
        filled = np.zeros(len(codes), np.int32)
        filled[mask] = places
        indexes = pa.array(filled, mask=~mask)
    return pa.DictionaryArray.from_arrays(indexes, names)
