"""Reading chunks of routed rows: tables of rows as values, and the runs of a pass and a document in them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from path_types import PathType

from ...events import record_path
from ...log.columns.arrow_values import id_tuples
from ...log.json_codec import FASTEST
from ..rule_counts import type_of
from .chunks import Mark, turns
from .ipc import from_ipc


class RowType(NamedTuple):
    """Operation and path of a record."""

    op: str | None
    path: PathType | None
    length: int


_NO_TYPE = RowType(None, None, 0)  # of a marker


class _RowTypes(dict[str, RowType]):
    """By their texts."""

    def __missing__(self, text: str) -> RowType:
        op, path = type_of(text)
        found = self[text] = RowType(op, path, len(path))
        return found


class Fragment(NamedTuple):
    """A part of a document before its first record: XML text, the ids of its nodes, the path type of its root, the
    number of its header."""

    xml: str
    ids: tuple[int, ...]
    path: PathType
    header: int


class RowRun(NamedTuple):
    """Rows of one pass and document that follow each other in a table; ``plain`` if all of them are records."""

    pass_index: int
    doc: str
    plain: bool
    table: RowTable
    start: int
    end: int

    @property
    def last(self) -> int:
        """The time point of its last row."""
        return int(self.table.events[self.end - 1][0])

    def rows(self) -> Sequence[tuple[Any, ...]]:
        """Plain tuples with the layout of `PrimitiveEvent`."""
        return self.table.events[self.start : self.end]

    def marked_rows(self) -> Iterator[tuple[int, tuple[Any, ...], bytes | None, int | None]]:
        """Mark, a tuple with the layout of `PrimitiveEvent`, a composite, the edit's number; without fragments."""
        table, own = self.table, slice(self.start, self.end)
        rows = zip(table.marks[own], self.rows(), table.composites[own], table.edits[own], strict=True)
        return (row for row in rows if row[0] != Mark.FRAGMENT)

    def readings(self) -> Iterator[tuple[int | None, int]]:
        """The time and the transaction of each of the `marked_rows`, as far as their segment tells."""
        table, own = self.table, slice(self.start, self.end)
        rows = zip(table.marks[own], table.times[own], table.transactions[own], strict=True)
        return ((time, transaction or 0) for mark, time, transaction in rows if mark != Mark.FRAGMENT)

    def fragments(self) -> Iterator[Fragment]:
        """The fragments among the rows; they come before all others of the document."""
        table, start, end = self.table, self.start, self.end
        for mark, event, header in zip(
            table.marks[start:end], self.rows(), table.headers[start:end], strict=True
        ):
            if mark == Mark.FRAGMENT:
                yield Fragment(event[4], event[3], record_path(event[5]), header)


class RowTable:
    """Rows of chunks as values: made once for all, for a run may be short."""

    def __init__(self, table: pa.Table, types: _RowTypes) -> None:
        self._docs = table["doc"].combine_chunks()
        self._passes = table["pass"].to_numpy()
        marks = table["mark"].to_numpy()
        self._plain = marks == Mark.RECORD
        self.marks: list[int] = marks.tolist()
        texts = table["what"].combine_chunks()
        self.texts: list[str] = texts.dictionary.to_pylist()
        self._codes = texts.indices
        codes: list[int] = self._codes.to_pylist()
        known = [*map(types.__getitem__, self.texts)]
        all_known = not texts.null_count
        found: list[RowType] = (
            list(map(known.__getitem__, codes)) if all_known
            else [_NO_TYPE if code is None else known[code] for code in codes]
        )  # fmt: skip
        ids: Any
        if all_known and self._plain.all():
            ids = id_tuples(table["ids"].combine_chunks(), [each.length for each in found])
        else:
            ids = [() if each is None else tuple(each) for each in _list(table, "ids")]
        names = list(map(self._docs.dictionary.to_pylist().__getitem__, self._docs.indices.to_pylist()))
        self.events = list(
            zip(
                table["ts"].to_pylist(), [each.op for each in found], [each.path for each in found], ids,
                _list(table, "value"), _list(table, "old"), _list(table, "pos"), _list(table, "at"), names,
                _list(table, "txn"), self._metas(table), self._more(table), strict=True,
            )
        )  # fmt: skip
        self.composites: list[bytes | None] = list(_list(table, "composite"))
        self.headers: list[int] = list(_list(table, "header"))
        self.edits: list[int | None] = list(_list(table, "edit"))
        self.times: list[int | None] = list(_list(table, "time"))
        self.transactions: list[int | None] = list(_list(table, "transaction"))

    @staticmethod
    def _metas(table: pa.Table) -> Iterable[dict[str, str] | None]:
        if "meta" not in table.column_names:
            return repeat(None, len(table))
        texts = table["meta"].combine_chunks()
        metas = [FASTEST.loads(text.encode()) for text in texts.dictionary.to_pylist()]
        return [None if code is None else metas[code] for code in texts.indices.to_pylist()]

    @staticmethod
    def _more(table: pa.Table) -> Iterable[bool]:
        if "more" not in table.column_names:
            return repeat(False, len(table))
        return map(bool, table["more"].to_pylist())

    def records(self, left_out: Collection[str] = ()) -> Iterator[tuple[int, dict[str, int]]]:
        """How many records each pass has by operation and path, without those of the documents ``left_out``.

        Markers, composites and fragments are none.
        """
        counted = self._plain
        if left_out:
            known = np.array([doc not in left_out for doc in self._docs.dictionary.to_pylist()], bool)
            counted = counted & known[self._docs.indices.to_numpy()]
        codes = self._codes.fill_null(0).to_numpy()[counted]
        size = max(len(self.texts), 1)
        numbers, counts = np.unique(self._passes[counted] * size + codes, return_counts=True)
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
            yield RowRun(pass_index, self.events[start][8], is_plain, self, start, end)


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
        table = pa.concat_tables(tables, promote_options="default").unify_dictionaries().combine_chunks()
        docs = table["doc"].chunk(0).indices.to_numpy()
        columns = (
            table["mark"].to_numpy(), turns(table), table["ts"].to_numpy(), docs, table["pass"].to_numpy()
        )  # fmt: skip
        yield RowTable(table.take(np.lexsort(columns)).combine_chunks(), self._types)


def _list(table: pa.Table, name: str) -> Iterable[Any]:
    """A column as values, or as many times None."""
    values: Iterable[Any] = (
        table[name].to_pylist() if name in table.column_names else repeat(None, len(table))
    )
    return values
