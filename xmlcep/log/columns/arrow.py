"""Blocks of Parquet logs: everything that can be is done by Arrow.

One module because what is checked of columns is what makes rows of them, and columns for others, right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import accumulate, pairwise, repeat
from typing import TYPE_CHECKING, Any, NamedTuple

from ...errors import RecordError
from ..errors import BadRecord
from ..records import LARGEST, Row
from .arrow_values import metas_of, number, numbers, rows_of, values_of
from .blocks import (
    Block,
    Item,
    RecordType,
    RecordTypes,
    Run,
    Span,
    are_times,
    are_xml,
)

if TYPE_CHECKING:
    import pyarrow

WITH_FEW_VALUES = ("doc", "op", "path")
"""The columns that should be read dictionary-encoded."""

_FEW = 256  # records to a clock record, or more: fewer are taken row by row

_TEXTS = ("value", "old", "at")
_USED = ("ts", "ids", "value", "old", "at", "txn", "meta", "more")


class ArrowBlock(Block):
    """A record batch of a log, the first record of which has the number ``first``.

    ``doc`` is the document where no column names it.
    """

    def __init__(
        self,
        batch: pyarrow.RecordBatch,
        items: Callable[[], Iterator[Item]],
        complain: Callable[[int, str], BadRecord],
        doc: str | None = None,
        first: int = 1,
    ) -> None:
        super().__init__(items, complain, len(batch), first)
        self._batch = batch
        self._doc = doc

    def runs(self, types: RecordTypes) -> list[Run] | None:
        """See `Block.runs`."""
        if clock_places(self._batch) != []:
            return None
        columns = _columns_of(self._batch, self._doc, types)
        return None if columns is None else columns.runs()


def parts(batch: pyarrow.RecordBatch) -> Iterator[tuple[int, int]]:
    """Where to cut a batch, so that others can be taken as columns: clock records apart, unless they are many."""
    places = clock_places(batch) or []
    if len(places) * _FEW > len(batch):
        places = []
    yield from pairwise(sorted({0, len(batch), *places, *(place + 1 for place in places)}))


def clock_places(batch: pyarrow.RecordBatch) -> list[int] | None:
    """The indexes of clock records; None if what the column has is none that says so."""
    import pyarrow as pa
    import pyarrow.compute as pc

    clock = batch.column("clock") if "clock" in batch.schema.names else None
    if clock is None or clock.null_count == len(clock):
        return []
    if clock.type != pa.bool_():
        return None
    places: list[int] = pc.indices_nonzero(clock.fill_null(False)).to_pylist()
    return places


def _columns_of(batch: pyarrow.RecordBatch, doc: str | None, types: RecordTypes) -> _Columns | None:
    columns = {name: batch.column(name) for name in batch.schema.names}
    if not len(batch) or not _are_regular(columns):
        return None
    if types.check_times and "at" in columns and not are_times(columns["at"].unique().to_pylist()):
        return None
    if types.applied and not _can_be_applied(columns):
        return None
    ops, paths = _encoded(columns["op"]), _encoded(columns["path"])
    docs = _encoded(columns["doc"]) if "doc" in columns else doc
    if ops is None or paths is None or docs is None:
        return None
    try:
        found = _Columns(columns, types, _types_of(paths, ops, types), docs)
    except RecordError:
        return None
    return found if found.fit() else None


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


def _types_of(paths: _Encoded, ops: _Encoded, types: RecordTypes) -> pyarrow.Array:
    """The numbers of the records' types; raises `RecordError` for what none can have."""
    import pyarrow.compute as pc

    count = len(ops.values)
    pairs = pc.add(pc.multiply(paths.codes, number(count)), ops.codes).dictionary_encode()
    found = [
        types[ops.values[pair % count], paths.values[pair // count]].number
        for pair in pairs.dictionary.to_pylist()
    ]
    return numbers(found).take(pairs.indices)


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
    if "more" in columns and columns["more"].type not in (pa.bool_(), pa.null()):
        return False
    for name in ("txn", "pos"):
        given = columns.get(name)
        if given is not None and given.type == pa.uint64() and (pc.max(given).as_py() or 0) > LARGEST:
            return False
    meta = columns.get("meta")
    if meta is None or meta.null_count == len(meta):
        return True
    # A map of strings without nulls is what meta should be; anything else is for the row by row way.
    of_texts = pa.types.is_map(meta.type) and _is_text(meta.type.key_type) and _is_text(meta.type.item_type)
    return of_texts and not meta.keys.null_count and not meta.items.null_count


def _can_be_applied(columns: dict[str, Any]) -> bool:
    """Whether regular columns hold what can be applied to a document."""
    import pyarrow as pa

    pos = columns.get("pos")
    if pos is not None and not (pa.types.is_integer(pos.type) or pa.types.is_null(pos.type)):
        return False
    return all(are_xml(columns[name].unique().to_pylist()) for name in ("value", "old") if name in columns)


def _is_text(given: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string(given) or pa.types.is_large_string(given))


class _Columns:
    """The columns of a batch of records, of which ``codes`` are the numbers of their ``types``."""

    def __init__(
        self, columns: dict[str, Any], types: RecordTypes, codes: pyarrow.Array, docs: _Encoded | str
    ) -> None:
        import pyarrow as pa

        wanted = (*_USED, "pos") if types.applied else _USED
        used = {name: columns[name] for name in wanted if name in columns}
        self._columns = {name: each for name, each in used.items() if each.null_count < len(each)}
        self._types = types
        self._codes = codes
        self._docs = docs
        self._needed = numbers(each.needed for each in types.by_number).cast(pa.bool_()).take(codes)

    def fit(self) -> bool:
        """Whether the ids are as many as the paths have steps."""
        import pyarrow as pa
        import pyarrow.compute as pc

        lengths = numbers(each.length for each in self._types.by_number).cast(pa.int32()).take(self._codes)
        return bool(pc.all(pc.equal(lengths, pc.list_value_length(self._columns["ids"]))).as_py())

    def runs(self) -> list[Run] | None:
        """See `Block.runs`; None if a clock does not advance."""
        edits = self._goes_on()
        if isinstance(self._docs, str) or len(self._docs.values) == 1:
            spans = self._spans()
            if spans is None:
                return None
            doc = spans[0].doc
            kept = self._kept(self._needed)
            counts_of_all = [
                (self._types.by_number[code], count) for code, count in _counts(kept.codes).items()
            ]
            return [Run(spans[0], self._rows(kept, repeat(doc)), counts_of_all, edits)]
        order = self._order_by_document()
        spans = self._spans(order)
        if spans is None:
            return None
        chosen = self._needed if order is None else order.filter(self._needed.take(order))
        docs = _at(chosen, self._docs.codes)
        kept = self._kept(chosen)
        rows = list(self._rows(kept, map(self._docs.values.__getitem__, docs.to_pylist())))
        counts = self._counts_of(docs, kept.codes)
        codes = self._docs.codes if order is None else self._docs.codes.take(order)
        found, start = [], 0
        for code, span in zip(_counts(codes), spans, strict=True):
            of_types = counts.get(code, [])
            end = start + sum(count for _, count in of_types)
            found.append(Run(span, rows[start:end], of_types, edits))
            start = end
        return found

    def _goes_on(self) -> bool:
        """Whether the edit of any of the records continues in the next (U1)."""
        return "more" in self._columns and any(self._columns["more"].to_pylist())

    def _counts_of(self, docs: Any, codes: Any) -> dict[int, list[tuple[RecordType, int]]]:
        """By document: how many of these records, given by document and type, there are of each type."""
        import pyarrow.compute as pc

        table = self._types.by_number
        size = len(table)
        found: dict[int, list[tuple[RecordType, int]]] = {}
        for place, count in _counts(pc.add(pc.multiply(docs, number(size)), codes)).items():
            found.setdefault(place // size, []).append((table[place % size], count))
        return found

    def _order_by_document(self) -> Any:
        """The places of the records after a stable sort by document; None if they are so."""
        import pyarrow.compute as pc

        assert isinstance(self._docs, _Encoded)
        codes = self._docs.codes
        if pc.all(pc.less_equal(codes.slice(0, len(codes) - 1), codes.slice(1))).as_py():
            return None
        return pc.sort_indices(codes)

    def _spans(self, order: Any = None) -> list[Span] | None:
        """What there is of each document, given the order by document; None if a clock does not advance."""
        ts, txn = self._columns["ts"], self._columns.get("txn")
        if isinstance(self._docs, str) or len(self._docs.values) == 1:
            doc = self._docs if isinstance(self._docs, str) else self._docs.values[0]
            return _spans_of({doc: len(ts)}, ts, txn) if _ascends(ts) else None
        codes = self._docs.codes
        if order is not None:
            ts, codes, txn = ts.take(order), codes.take(order), None if txn is None else txn.take(order)
        if not _ascends(ts, codes):
            return None
        counts = _counts(codes)
        sizes = {self._docs.values[code]: count for code, count in counts.items()}
        return _spans_of(sizes, ts, txn) if len(sizes) == len(counts) else None

    def _kept(self, chosen: Any) -> _Kept:
        """The records chosen by a mask or by their places."""
        columns = {name: _at(chosen, column) for name, column in self._columns.items()}
        return _Kept(_at(chosen, self._codes), columns)

    def _rows(self, kept: _Kept, docs: Iterable[str]) -> Iterator[Row]:
        """Rows of the records that were chosen."""
        codes, columns, kinds = kept.codes.to_pylist(), kept.columns, self._types.by_number
        ops, paths = [each.op for each in kinds], [each.path for each in kinds]
        return rows_of(
            columns,
            map(ops.__getitem__, codes),
            map(paths.__getitem__, codes),
            docs,
            metas_of(columns.get("meta")),
        )


def _at(chosen: Any, column: Any) -> Any:
    """The values that a mask, or places, choose."""
    import pyarrow as pa

    return column.filter(chosen) if pa.types.is_boolean(chosen.type) else column.take(chosen)


class _Kept(NamedTuple):
    """Some of the records: the codes of their types, and their columns."""

    codes: Any
    columns: dict[str, Any]


def _spans_of(sizes: Mapping[str, int], ts: Any, txn: Any) -> list[Span]:
    """The spans of documents that are one after the other, so many records each."""
    ends = list(accumulate(sizes.values()))
    starts, lasts = numbers([0, *ends[:-1]]), numbers(end - 1 for end in ends)
    first_txn, last_txn = (values_of(None if txn is None else txn.take(places)) for places in (starts, lasts))
    return list(
        map(
            Span,
            sizes,
            values_of(ts.take(starts)),
            values_of(ts.take(lasts)),
            sizes.values(),
            first_txn,
            last_txn,
        )
    )


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
    values, counts = codes.value_counts().flatten()  # a list of it would be a dict for each
    return dict(zip(values.to_pylist(), counts.to_pylist(), strict=True))
