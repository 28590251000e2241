"""Reading chunks of routed rows: tables of rows as values, and the runs of a pass and a document in them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice, repeat
from operator import length_hint
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from path_types import PathType

from ...events import record_path
from ...log.columns.arrow_values import integers, rows_of
from ...log.json_codec import FASTEST
from ..rule_counts import type_of
from .chunks import Mark, turns, widened
from .distinct import counted
from .ipc import from_ipc


class RowType(NamedTuple):
    """Operation and path of a record."""

    op: str | None
    path: PathType | None


_NO_TYPE = RowType(None, None)  # of a marker


class _RowTypes(dict[str, RowType]):
    """By their texts."""

    def __missing__(self, text: str) -> RowType:
        op, path = type_of(text)
        found = self[text] = RowType(op, path)
        return found


class Fragment(NamedTuple):
    """A part of a document before its first record: XML text, the ids of its nodes, the path type of its root, the
    number of its header."""

    xml: str
    ids: tuple[int, ...]
    path: PathType
    header: int


class RowRun(NamedTuple):
    """Rows of one pass and document that follow each other in a table; ``plain`` if all of them are records.

    The rows of a table can be had once, and in their order.
    """

    pass_index: int
    doc: str
    plain: bool
    table: RowTable
    start: int
    end: int

    @property
    def last(self) -> int:
        """The time point of its last row."""
        return self.table.ts[self.end - 1]

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """Plain tuples with the layout of `PrimitiveEvent`."""
        return self.table.rows(self.start, self.end)

    def marked_rows(self) -> Iterator[tuple[int, tuple[Any, ...], bytes | None, int | None]]:
        """Mark, a tuple with the layout of `PrimitiveEvent`, a composite, the edit's number; without fragments."""
        marks, composites, edits = map(self._values, ("mark", "composite", "edit"))
        rows = zip(marks, self.rows(), composites, edits, strict=True)
        return (row for row in rows if row[0] != Mark.FRAGMENT)

    def readings(self) -> Iterator[tuple[int | None, int]]:
        """The time and the transaction of each of the `marked_rows`, as far as their segment tells."""
        rows = zip(*map(self._values, ("mark", "time", "transaction")), strict=True)
        return ((time, transaction or 0) for mark, time, transaction in rows if mark != Mark.FRAGMENT)

    def fragments(self) -> Iterator[Fragment]:
        """The fragments among the rows; they come before all others of the document."""
        if self.plain:
            return
        names = ("mark", "value", "ids", "old", "header")
        for mark, value, ids, old, header in zip(*map(self._values, names), strict=True):
            if mark == Mark.FRAGMENT:
                yield Fragment(value, tuple(ids), record_path(old), header)

    def _values(self, name: str) -> Iterable[Any]:
        return self.table.values(name, self.start, self.end)


class RowTable:
    """Rows of chunks, made of columns when they are looked at: made before, all of them would have left the
    processor's caches by then."""

    def __init__(self, table: pa.Table, types: _RowTypes) -> None:
        self._columns = {name: _in_one(table[name]) for name in table.column_names}
        self._docs = self._columns["doc"]
        self._passes = self._columns["pass"].to_numpy()
        self._plain = self._columns["mark"].to_numpy() == Mark.RECORD
        self.ts = integers(self._columns["ts"])
        """The time point of each row."""
        self._names: list[str] = self._docs.dictionary.to_pylist()
        texts = self._columns["what"]
        self.texts: list[str] = texts.dictionary.to_pylist()
        self._codes = texts.indices
        known = [*map(types.__getitem__, self.texts), _NO_TYPE]
        codes: list[int] = self._codes.fill_null(len(self.texts)).to_numpy().tolist()
        self._left = iter(codes)
        self._rows = rows_of(
            self._columns,
            map([each.op for each in known].__getitem__, self._left),
            map([each.path for each in known].__getitem__, codes),
            self._doc_of_each(),
            self._metas(),
        )

    def __len__(self) -> int:
        return len(self.ts)

    @property
    def position(self) -> int:
        """How many rows were made."""
        return len(self.ts) - length_hint(self._left)

    def rows(self, start: int, end: int) -> Iterator[tuple[Any, ...]]:
        """The rows from ``start`` up to ``end``; those before are left out, and cannot be had any more."""
        return islice(self._rows, start - self.position, end - self.position)

    def values(self, name: str, start: int, end: int) -> Iterable[Any]:
        """A column as values of these rows, or as many times None."""
        if name not in self._columns:
            return repeat(None, end - start)
        found: list[Any] = self._columns[name].slice(start, end - start).to_pylist()
        return found

    def _doc_of_each(self) -> Iterable[str]:
        if len(self._names) == 1:
            return repeat(self._names[0])
        return map(self._names.__getitem__, self._docs.indices.to_pylist())

    def _metas(self) -> Iterable[dict[str, str] | None]:
        texts = self._columns.get("meta")
        if texts is None:
            return repeat(None)
        metas = [FASTEST.loads(text.encode()) for text in texts.dictionary.to_pylist()]
        return [None if code is None else metas[code] for code in texts.indices.to_pylist()]

    def records(self, left_out: Collection[str] = ()) -> Iterator[tuple[int, dict[str, int]]]:
        """How many records each pass has by operation and path, without those of the documents ``left_out``.

        Markers, composites and fragments are none.
        """
        fed = self._plain
        if left_out:
            known = np.array([doc not in left_out for doc in self._names], bool)
            fed = fed & known[self._docs.indices.to_numpy()]
        codes, passes = self._codes.fill_null(0).to_numpy(), self._passes.astype(np.int64)
        if not fed.all():
            codes, passes = codes[fed], passes[fed]
        size = max(len(self.texts), 1)
        numbers, counts = counted(passes * size + codes)
        of_pass: dict[int, dict[str, int]] = {}
        for number, count in zip(numbers.tolist(), counts.tolist(), strict=True):
            pass_index, code = divmod(number, size)
            of_pass.setdefault(pass_index, {})[self.texts[code]] = count
        yield from of_pass.items()

    def runs(self) -> Iterator[RowRun]:
        """The rows by pass and document."""
        docs = self._docs.indices.to_numpy()
        changes = (np.diff(self._passes) != 0) | (np.diff(docs) != 0)
        starts = np.append(0, np.flatnonzero(changes) + 1)
        plain = np.logical_and.reduceat(self._plain, starts).tolist()
        passes = self._passes[starts].tolist()
        ends = [*starts[1:].tolist(), len(docs)]
        for start, end, pass_index, is_plain in zip(starts.tolist(), ends, passes, plain, strict=True):
            yield RowRun(pass_index, self._names[docs[start]], is_plain, self, start, end)


def _in_one(column: pa.ChunkedArray) -> pa.Array:
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


class ChunkReader:
    """Reads chunks of rows; remembers what their texts mean."""

    def __init__(self) -> None:
        self._types = _RowTypes()

    def runs(self, contents: Sequence[bytes], *, sort: bool) -> Iterator[RowRun]:
        """The rows of chunks by pass and document; ``sort``: with rows of several chunks between each other."""
        for table in self.tables(contents, sort=sort):
            yield from table.runs()

    def tables(self, contents: Sequence[bytes], *, sort: bool) -> Iterator[RowTable]:
        """The rows of chunks; ``sort``: those of several chunks between each other, in one table."""
        tables = map(from_ipc, contents)
        if not sort:
            for table in tables:
                yield RowTable(table, self._types)
            return
        table = (
            pa.concat_tables(map(widened, tables), promote_options="default")
            .unify_dictionaries()
            .combine_chunks()
        )
        docs = table["doc"].chunk(0).indices.to_numpy()
        columns = (
            table["mark"].to_numpy(), turns(table), table["ts"].to_numpy(), docs, table["pass"].to_numpy()
        )  # fmt: skip
        yield RowTable(table.take(np.lexsort(columns)).combine_chunks(), self._types)
