"""The types that columns of a Parquet log may have beside our own, and such columns as we read them.

Other programs write the same values in other ways: times as timestamps, text as views, lists of one fixed size.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow

_UNITS = ("s", "ms")


def is_text(given: pyarrow.DataType) -> bool:
    """Whether values are text."""
    from pyarrow import types

    if types.is_dictionary(given):
        given = given.value_type
    return bool(types.is_string(given) or types.is_large_string(given) or _is_view(given))


def is_time(given: pyarrow.DataType) -> bool:
    """Whether values are times as text, or timestamps with a zone: one without says a time of nowhere."""
    from pyarrow import types

    return is_text(given) or bool(types.is_timestamp(given) and given.tz is not None)


def is_list_of_integers(given: pyarrow.DataType) -> bool:
    """Whether values are lists of whole numbers."""
    from pyarrow import types

    is_list = types.is_list(given) or types.is_large_list(given) or types.is_fixed_size_list(given)
    return bool(is_list and types.is_integer(given.value_type))


def as_read(batch: pyarrow.RecordBatch) -> pyarrow.RecordBatch:
    """The batch with the columns of such types as text in RFC 3339, text and lists."""
    from pyarrow import types

    for index, given in enumerate(batch.schema.types):
        if types.is_timestamp(given) or types.is_fixed_size_list(given) or _is_view(given):
            column = _as_read(batch.column(index), given)
            batch = batch.set_column(index, batch.schema.names[index], column)
    return batch


def _as_read(column: Any, given: pyarrow.DataType) -> Any:
    """A column of times, lists of one size or views as another type."""
    import pyarrow as pa
    from pyarrow import compute, types

    if types.is_timestamp(given):
        unit = given.unit if given.unit in _UNITS else "us"  # as fine as times are compared (W1)
        return compute.strftime(
            column.cast(pa.timestamp(unit, "UTC"), safe=False), format="%Y-%m-%dT%H:%M:%SZ"
        )
    if types.is_fixed_size_list(given):
        return column.cast(pa.list_(given.value_type))
    return column.cast(pa.large_string())


def _is_view(given: pyarrow.DataType) -> bool:
    from pyarrow import types

    is_view = getattr(types, "is_string_view", None)  # not in the oldest pyarrow that will do
    return is_view is not None and bool(is_view(given))
