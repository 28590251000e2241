"""Arrow arrays as Python values, where Arrow's own way would make more of them than there are."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping
from itertools import repeat
from typing import TYPE_CHECKING, Any, NamedTuple

from path_types import PathType

from ..records import Row
from .blocks import Meta

if TYPE_CHECKING:
    import pyarrow

_SEPARATORS = ("\x1f", "\x1e")  # XML holds neither; where a meta has one all the same, it is done by hand


def numbers(values: Iterable[int]) -> pyarrow.Array:
    """Numbers as an array of int64.

    ``pyarrow.array`` and ``pyarrow.scalar`` look whether they were given something of pandas, and import pandas for
    that where it is installed: a third of a second, and 50 MiB, for nothing.
    """
    import pyarrow as pa

    data = array("q", values)
    return pa.Array.from_buffers(pa.int64(), len(data), [None, pa.py_buffer(data)])


def number(value: int) -> pyarrow.Scalar:
    """A number as what functions of Arrow take beside an array; see `numbers`."""
    return numbers((value,))[0]


def integers(column: Any) -> array[int]:
    """A column of int64, or int32, without nulls, as numbers that are made when they are asked for.

    Made all at once they have left the processor's cache when their row is made: a sixth of an audit.
    """
    data = array("q" if column.type.bit_width == 64 else "i")
    if len(column):  # else there may be no buffer
        begin, end = column.offset, column.offset + len(column)
        data.frombytes(memoryview(column.buffers()[1])[begin * data.itemsize : end * data.itemsize])
    return data


def flags(column: Any) -> Iterable[bool]:
    """A column of booleans, in which null is false; None is a column of nulls."""
    if column is None or column.null_count == len(column):
        return repeat(False)
    return map(bool, column.to_pylist())


def values_of(column: Any) -> Iterable[Any]:
    """A column as values; None is a column of nulls."""
    import pyarrow as pa

    if column is None or column.null_count == len(column):
        return repeat(None)
    if column.type == pa.int64() and not column.null_count:
        return integers(column)
    return column.to_pylist()  # type: ignore[no-any-return]


class EncodedMetas(NamedTuple):
    """A column of metas as its distinct values and, per record, the index of its value (int32, null: none)."""

    values: list[Meta]
    codes: pyarrow.Array


def metas_of(column: Any) -> Iterable[Meta | None]:
    """A column of maps of strings as metas; None is a column of nulls."""
    if column is None or column.null_count == len(column):
        return repeat(None)
    metas = encoded_metas(column, len(column))
    return [None if code is None else metas.values[code] for code in metas.codes.to_pylist()]


def encoded_metas(column: Any, count: int) -> EncodedMetas:
    """So many metas in a column of maps of strings, or of nulls, or in none.

    The records of a transaction share theirs, so few values are to be made; Arrow tells them apart as texts.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if column is None or column.null_count == count:
        return EncodedMetas([], pa.nulls(count, pa.int32()))
    keys, items = column.keys.cast(pa.string()), column.items.cast(pa.string())
    pattern = "[" + "".join(_SEPARATORS) + "]"
    if any(pc.any(pc.match_substring_regex(texts, pattern)).as_py() for texts in (keys, items)):
        texts = pa.array(["" if each is None else repr(each) for each in column.to_pylist()], pa.string())
    else:
        pairs = pc.binary_join_element_wise(keys, items, _SEPARATORS[0])
        joined = pa.ListArray.from_arrays(column.offsets, pairs)
        texts = pc.binary_join(joined, _SEPARATORS[1])
    texts = pc.if_else(column.is_valid(), texts, pa.nulls(1, pa.string())[0])
    codes = texts.dictionary_encode().indices
    firsts = pc.index_in(numbers(range(pc.max(codes).as_py() + 1)).cast(codes.type), codes)
    return EncodedMetas(list(map(dict, column.take(firsts).to_pylist())), codes)


def id_tuples(ids: Any) -> Iterator[tuple[int, ...]]:
    """The lists of node ids in an Arrow array as tuples; one that is null is empty, and None is a column of nulls."""
    if ids is None:
        return repeat(())
    import pyarrow.compute as pc

    counts = ids.value_lengths()
    lengths = pc.fill_null(counts, number(0).cast(counts.type)).to_pylist()
    flat = iter(integers(ids.flatten()))
    # All lengths take from the same ids, and each tuple is made by a loop in C.
    by_length: dict[int, Iterator[tuple[int, ...]]] = {
        length: zip(*repeat(flat, length), strict=False) if length else repeat(()) for length in set(lengths)
    }
    if len(by_length) == 1:
        return by_length.popitem()[1]
    return map(next, map(by_length.__getitem__, lengths))


def rows_of(
    columns: Mapping[str, Any],
    ops: Iterable[str | None],
    paths: Iterable[PathType | None],
    docs: Iterable[str],
    metas: Iterable[Meta | None],
) -> Iterator[Row]:
    """The rows of Arrow columns, with what these do not say as it is; each is made when it is asked for, and at hand
    when it is looked at. A column of nulls may be missing."""
    return zip(
        integers(columns["ts"]), ops, paths, id_tuples(columns.get("ids")), values_of(columns.get("value")),
        values_of(columns.get("old")), values_of(columns.get("pos")), values_of(columns.get("at")), docs,
        values_of(columns.get("txn")), metas, flags(columns.get("more")), strict=False,
    )  # fmt: skip
