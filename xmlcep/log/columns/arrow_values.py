"""Arrow arrays as Python values, and the other way."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping
from itertools import repeat
from typing import TYPE_CHECKING, Any

from path_types import PathType

from ..records import Row
from .blocks import Meta

if TYPE_CHECKING:
    import pyarrow


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


def values_of(column: Any) -> Iterable[Any]:
    """A column as values; None is a column of nulls."""
    return repeat(None) if column is None or column.null_count == len(column) else column.to_pylist()


def metas_of(column: Any) -> Iterable[Meta | None]:
    """A column of maps of strings as metas, one for all that are alike; None is a column of nulls."""
    known: dict[tuple[tuple[str, str], ...], Meta] = {}
    found = (pairs if pairs is None else tuple(pairs) for pairs in values_of(column))
    return (None if pairs is None else known.setdefault(pairs, dict(pairs)) for pairs in found)


def id_tuples(ids: Any) -> Iterator[tuple[int, ...]]:
    """The lists of node ids in an Arrow array as tuples; one that is null is empty, and None is a column of nulls."""
    return (tuple(each or ()) for each in values_of(ids))


def rows_of(
    columns: Mapping[str, Any],
    ops: Iterable[str | None],
    paths: Iterable[PathType | None],
    docs: Iterable[str],
    metas: Iterable[Meta | None],
) -> Iterator[Row]:
    """The rows of Arrow columns, with what these do not say as it is. A column of nulls may be missing."""
    return zip(
        values_of(columns["ts"]), ops, paths, id_tuples(columns.get("ids")), values_of(columns.get("value")),
        values_of(columns.get("old")), values_of(columns.get("pos")), values_of(columns.get("at")), docs,
        values_of(columns.get("txn")), metas, map(bool, values_of(columns.get("more"))), strict=False,
    )  # fmt: skip
