"""Blocks of Parquet logs: everything that can be is done by Arrow."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import repeat
from typing import TYPE_CHECKING, Any, NamedTuple

from ...errors import RecordError
from ..batches import Batch
from ..records import Row
from .blocks import Kind, Kinds, Sifted, Span, Stretch

if TYPE_CHECKING:
    import pyarrow

WITH_FEW_VALUES = ("doc", "op", "path")
"""The columns that should be read dictionary-encoded."""

_TEXTS = ("value", "old", "at")
_USED = ("ts", "ids", "value", "old", "at", "txn")


class ArrowBlock:
    """A record batch of a log; ``rows`` reads it row by row, ``doc`` is the document where no column names it."""

    def __init__(
        self, batch: pyarrow.RecordBatch, rows: Callable[[], Iterator[Batch]], doc: str | None = None
    ) -> None:
        self._batch = batch
        self._doc = doc
        self.items = rows

    def stretches(self, kinds: Kinds) -> list[Stretch] | None:
        """See `Block`."""
        records = self._records(kinds)
        return None if records is None else records.stretches()

    def sifted(self, kinds: Kinds) -> Sifted | None:
        """See `Block`."""
        import pyarrow as pa

        records = self._records(kinds)
        try:
            return None if records is None else records.sifted()
        except pa.ArrowInvalid:
            return None  # a transaction's number beyond 64 bits, in an unsigned column

    def _records(self, kinds: Kinds) -> _Records | None:
        columns = {name: self._batch.column(name) for name in self._batch.schema.names}
        if not len(self._batch):
            return None
        if not _are_regular(columns):
            return None
        ops, paths = _encoded(columns["op"]), _encoded(columns["path"])
        docs = _encoded(columns["doc"]) if "doc" in columns else self._doc
        if ops is None or paths is None or docs is None:
            return None
        try:
            table = [kinds[op, path] for path in paths.values for op in ops.values]
        except RecordError:
            return None
        records = _Records(columns, table, _combined(paths, ops), docs)
        return records if records.fit() else None


class _Encoded(NamedTuple):
    """A column as its distinct values and, per record, the index of its value (int64)."""

    values: list[str]
    codes: pyarrow.Array


def _encoded(column: Any) -> _Encoded | None:
    """None for a column that has nulls or is not text."""
    import pyarrow as pa

    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    values, codes = column.dictionary, column.indices
    if values.null_count or codes.null_count or not _is_text(values.type):
        return None
    return _Encoded(values.to_pylist(), codes.cast(pa.int64()))


def _combined(paths: _Encoded, ops: _Encoded) -> pyarrow.Array:
    import pyarrow.compute as pc

    if len(ops.values) == 1:
        return paths.codes
    return pc.add(pc.multiply(paths.codes, len(ops.values)), ops.codes)


def _are_regular(columns: dict[str, Any]) -> bool:
    """Whether the columns hold what rows may hold, each by itself; op, path and doc are looked at later."""
    import pyarrow as pa
    import pyarrow.compute as pc

    ts, ids = columns["ts"], columns["ids"]
    if ts.type != pa.int64() or ts.null_count or pc.min(ts).as_py() < 1:
        return False
    if not pa.types.is_list(ids.type) or ids.type.value_type != pa.int64() or ids.null_count:
        return False
    if ids.flatten().null_count:
        return False
    for name in _TEXTS:
        type_ = columns[name].type if name in columns else pa.null()
        if not (_is_text(type_) or pa.types.is_null(type_)):
            return False
    meta = columns.get("meta")
    if meta is None or meta.null_count == len(meta):
        return True
    # A map of strings without nulls is what meta should be; anything else is for the row by row way.
    of_texts = pa.types.is_map(meta.type) and _is_text(meta.type.key_type) and _is_text(meta.type.item_type)
    return of_texts and not meta.keys.null_count and not meta.items.null_count


def _is_text(given: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string(given) or pa.types.is_large_string(given))


class _Records:
    """The columns of a batch of records whose kinds are ``table[code]``."""

    def __init__(
        self, columns: dict[str, Any], table: Sequence[Kind], codes: pyarrow.Array, docs: _Encoded | str
    ) -> None:
        import pyarrow as pa

        self._columns = {name: columns[name] for name in _USED if name in columns}
        self._table = table
        self._codes = codes
        self._docs = docs
        self._wanted = pa.array([kind.wanted for kind in table], pa.bool_()).take(codes)

    def fit(self) -> bool:
        """Whether the ids are as many as the paths have steps."""
        import pyarrow as pa
        import pyarrow.compute as pc

        lengths = pa.array([kind.length for kind in self._table], pa.int32()).take(self._codes)
        return bool(pc.all(pc.equal(lengths, pc.list_value_length(self._columns["ids"]))).as_py())

    def stretches(self) -> list[Stretch] | None:
        """The records in stretches; None if a clock does not advance."""
        if isinstance(self._docs, str) or len(self._docs.values) == 1:
            spans = self._spans()
            if spans is None:
                return None
            kept = self._kept(self._wanted)
            of_kinds = [(self._table[code], count) for code, count in _counts(kept.codes).items()]
            return [Stretch(*spans[0], list(self._rows(kept, repeat(spans[0].doc))), of_kinds)]
        order = self._sorted_by_document()
        spans = self._spans(order)
        if spans is None:
            return None
        docs = self._docs.codes.take(order).filter(self._wanted.take(order))
        kept = self._kept(order.filter(self._wanted.take(order)))
        rows = list(self._rows(kept, map(self._docs.values.__getitem__, docs.to_pylist())))
        counts = self._counts_of(docs, kept.codes)
        found, start = [], 0
        for code, span in zip(_counts(self._docs.codes.take(order)), spans, strict=True):
            of_kinds = counts.get(code, [])
            end = start + sum(count for _, count in of_kinds)
            found.append(Stretch(*span, rows[start:end], of_kinds))
            start = end
        return found

    def _counts_of(self, docs: Any, codes: Any) -> dict[int, list[tuple[Kind, int]]]:
        """By document: how many of these records, given by document and kind, there are of each kind."""
        import pyarrow.compute as pc

        size = len(self._table)
        found: dict[int, list[tuple[Kind, int]]] = {}
        for place, count in _counts(pc.add(pc.multiply(docs, size), codes)).items():
            found.setdefault(place // size, []).append((self._table[place % size], count))
        return found

    def sifted(self) -> Sifted | None:
        """The records in columns; None if a clock does not advance."""
        import pyarrow as pa
        import pyarrow.compute as pc

        number = pa.int64()
        if isinstance(self._docs, str) or len(self._docs.values) == 1:
            spans = self._spans()
            docs = pa.repeat(pa.scalar(0, number), len(self._codes))
        else:
            order = self._sorted_by_document()
            spans = self._spans(order)
            # The spans stand in order of the codes, of which some may not occur.
            occurring = pa.array(list(_counts(self._docs.codes.take(order))), number)
            docs = pc.index_in(self._docs.codes, occurring).cast(number)
        if spans is None:
            return None
        kept = self._kept(self._wanted)
        length = len(kept.codes)
        numbers = pa.array([kind.number for kind in self._table], number)
        columns = {"doc": docs.filter(self._wanted), "kind": numbers.take(kept.codes)}
        for name in _USED:
            type_ = {"ts": number, "txn": number, "ids": pa.list_(number)}.get(name, pa.string())
            columns[name] = (
                kept.columns[name].cast(type_) if name in kept.columns else pa.nulls(length, type_)
            )
        return Sifted(spans, columns)

    def _sorted_by_document(self) -> Any:
        """The places of the records after a stable sort by document."""
        import pyarrow.compute as pc

        assert isinstance(self._docs, _Encoded)
        return pc.sort_indices(self._docs.codes)

    def _spans(self, order: Any = None) -> list[Span] | None:
        """What there is of each document, given the order by document; None if a clock does not advance."""
        ts = self._columns["ts"]
        if order is None:
            doc = self._docs if isinstance(self._docs, str) else self._docs.values[0]
            return [Span(doc, ts[0].as_py(), ts[-1].as_py(), len(ts))] if _ascends(ts) else None
        assert isinstance(self._docs, _Encoded)
        ts, codes = ts.take(order), self._docs.codes.take(order)
        if not _ascends(ts, codes):
            return None
        found, start = [], 0
        for code, count in _counts(codes).items():
            end = start + count
            found.append(Span(self._docs.values[code], ts[start].as_py(), ts[end - 1].as_py(), count))
            start = end
        return found if len({each.doc for each in found}) == len(found) else None

    def _kept(self, chosen: Any) -> _Kept:
        """The records chosen by a mask or by their places."""
        import pyarrow as pa

        if pa.types.is_boolean(chosen.type):
            columns = {name: column.filter(chosen) for name, column in self._columns.items()}
            return _Kept(self._codes.filter(chosen), columns)
        return _Kept(
            self._codes.take(chosen), {name: column.take(chosen) for name, column in self._columns.items()}
        )

    def _rows(self, kept: _Kept, docs: Iterable[str]) -> Iterator[Row]:
        kinds = list(map(self._table.__getitem__, kept.codes.to_pylist()))
        columns = kept.columns
        return zip(
            columns["ts"].to_pylist(), [kind.op for kind in kinds], [kind.path for kind in kinds],
            id_tuples(columns["ids"], [kind.length for kind in kinds]),
            _values(columns.get("value")), _values(columns.get("old")), repeat(None), _values(columns.get("at")),
            docs, _values(columns.get("txn")), repeat(None), repeat(False),
        )  # fmt: skip


class _Kept(NamedTuple):
    """Some of the records: the codes of their kinds, and their columns."""

    codes: Any
    columns: dict[str, Any]


def _ascends(ts: Any, docs: Any = None) -> bool:
    """Whether each time point is greater than the one before, if that is of the same document."""
    import pyarrow.compute as pc

    if len(ts) < 2:
        return True
    before = len(ts) - 1
    good = pc.less(ts.slice(0, before), ts.slice(1))
    if docs is not None:
        good = pc.or_(good, pc.not_equal(docs.slice(0, before), docs.slice(1)))
    return bool(pc.all(good).as_py())


def _counts(codes: Any) -> dict[int, int]:
    """How often each code occurs, in order of first occurrence."""
    return {each["values"]: each["counts"] for each in codes.value_counts().to_pylist()}


def _values(column: Any) -> Iterable[Any]:
    if column is None or column.null_count == len(column):
        return repeat(None)
    return column.to_pylist()  # type: ignore[no-any-return]


def id_tuples(ids: Any, lengths: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """The lists of node ids in an Arrow array, of these lengths, as tuples."""
    import pyarrow.compute as pc

    sizes = pc.list_value_length(ids)
    by_length: dict[int, Iterator[tuple[int, ...]]] = {}
    for length in set(lengths):
        # All lists of one length follow each other: cut into tuples by a loop in C.
        flat = iter(ids.filter(pc.equal(sizes, length)).flatten().to_pylist())
        by_length[length] = zip(*[flat] * length, strict=True)
    return map(next, map(by_length.__getitem__, lengths))
