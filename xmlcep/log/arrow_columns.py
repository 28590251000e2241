"""Blocks of Parquet logs: everything that can be is done by Arrow."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import repeat
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import RecordError
from .batches import Batch
from .columns import Kind, Kinds, Stretch
from .records import Row

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
        columns = {name: self._batch.column(name) for name in self._batch.schema.names}
        if not len(self._batch):
            return []
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
        return _Sifted(columns, table, _combined(paths, ops), docs).stretches()


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


class _Sifted:
    """The wanted rows of a batch of records whose kinds are ``table[code]``."""

    def __init__(
        self, columns: dict[str, Any], table: Sequence[Kind], codes: pyarrow.Array, docs: _Encoded | str
    ) -> None:
        self._columns = {name: columns[name] for name in _USED if name in columns}
        self._table = table
        self._codes = codes
        self._docs = docs

    def stretches(self) -> list[Stretch] | None:
        """The records in stretches; None if the ids do not fit the paths or a clock does not advance."""
        import pyarrow as pa
        import pyarrow.compute as pc

        lengths = pa.array([kind.length for kind in self._table], pa.int32()).take(self._codes)
        if not pc.all(pc.equal(lengths, pc.list_value_length(self._columns["ids"]))).as_py():
            return None
        wanted = pa.array([kind.wanted for kind in self._table], pa.bool_()).take(self._codes)
        if isinstance(self._docs, str):
            return self._of_one(wanted, self._docs)
        if len(self._docs.values) == 1:
            return self._of_one(wanted, self._docs.values[0])
        return self._of_many(wanted, self._docs)

    def _of_one(self, wanted: Any, doc: str) -> list[Stretch] | None:
        ts = self._columns["ts"]
        if not _ascends(ts):
            return None
        rows = list(self._rows(wanted, repeat(doc)))
        return [Stretch(doc, ts[0].as_py(), ts[-1].as_py(), len(ts), rows)]

    def _of_many(self, wanted: Any, docs: _Encoded) -> list[Stretch] | None:
        """The same after a stable sort by document."""
        import pyarrow.compute as pc

        order = pc.sort_indices(docs.codes)
        self._columns = {name: column.take(order) for name, column in self._columns.items()}
        self._codes, wanted, codes = self._codes.take(order), wanted.take(order), docs.codes.take(order)
        kept = codes.filter(wanted)
        rows = list(self._rows(wanted, map(docs.values.__getitem__, kept.to_pylist())))
        kept_counts = _counts(kept)
        if not _ascends(self._columns["ts"], codes):
            return None
        times = self._columns["ts"].to_pylist()
        found = []
        start = first_row = 0
        for code, count in _counts(codes).items():
            end, end_row = start + count, first_row + kept_counts.get(code, 0)
            found.append(
                Stretch(docs.values[code], times[start], times[end - 1], count, rows[first_row:end_row])
            )
            start, first_row = end, end_row
        return found if len({each.doc for each in found}) == len(found) else None

    def _rows(self, wanted: Any, docs: Iterable[str]) -> Iterator[Row]:
        kinds = list(map(self._table.__getitem__, self._codes.filter(wanted).to_pylist()))
        columns = {name: column.filter(wanted) for name, column in self._columns.items()}
        return zip(
            columns["ts"].to_pylist(), [kind.op for kind in kinds], [kind.path for kind in kinds],
            _tuples(columns["ids"], [kind.length for kind in kinds]),
            _values(columns.get("value")), _values(columns.get("old")), repeat(None), _values(columns.get("at")),
            docs, _values(columns.get("txn")), repeat(None),
        )  # fmt: skip


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


def _tuples(ids: Any, lengths: list[int]) -> Iterator[tuple[int, ...]]:
    """The lists of node ids, of these lengths, as tuples."""
    import pyarrow.compute as pc

    sizes = pc.list_value_length(ids)
    by_length: dict[int, Iterator[tuple[int, ...]]] = {}
    for length in set(lengths):
        # All lists of one length follow each other: cut into tuples by a loop in C.
        flat = iter(ids.filter(pc.equal(sizes, length)).flatten().to_pylist())
        by_length[length] = zip(*[flat] * length, strict=True)
    return map(next, map(by_length.__getitem__, lengths))
