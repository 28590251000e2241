"""The columns of change records in Spark: what a table of a user's may have, and what tasks make of it.

Maps cost Spark's way to Python several times what all other columns do, so ``meta`` goes there as JSON text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from ...errors import ArgumentError
from ...events import PrimitiveEvent
from ...log.columns.accepted import as_read
from ...log.json_codec import STANDARD
from ...log.parquet import arrow_schema
from ...log.records import Row
from ...timestamps import TimeError, microseconds

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_INTEGERS = re.compile(r"(array<)?(tinyint|smallint|int)>?")
REQUIRED = ("doc", "ts", "op", "path", "ids")
_TEXT = pa.string()
LOG = pa.schema([*arrow_schema(), *pa.schema({
    "aside": _TEXT, "file": _TEXT, "record": pa.int64(), "offset": pa.int64(), "place": _TEXT, "reason": _TEXT,
    "raw": _TEXT, "raw_base64": _TEXT,
})])  # fmt: skip
"""The columns of change records (docs/log.md), and what `read_log` says besides: a header or control record as JSON;
where a record is from (``place`` orders files); and of a bad one why, and its text."""
IN_TASKS = pa.schema([pa.field("meta", _TEXT) if field.name == "meta" else field for field in LOG])
"""The columns as tasks have them."""


_DDL = {
    _TEXT: "string", pa.int64(): "bigint", pa.int32(): "int", pa.float64(): "double", pa.bool_(): "boolean",
    pa.binary(): "binary", pa.timestamp("us", "UTC"): "timestamp",
}  # fmt: skip


def ddl(schema: pa.Schema) -> str:
    """The columns as Spark writes types.

    >>> ddl(pa.schema([("ids", pa.list_(pa.int64())), ("meta", pa.map_(pa.string(), pa.string()))]))
    '`ids` array<bigint>, `meta` map<string,string>'
    """
    return ", ".join(f"`{field.name}` {ddl_of(field.type)}" for field in schema)


def ddl_of(type_: pa.DataType) -> str:
    """A type as Spark writes it."""
    if pa.types.is_list(type_):
        return f"array<{ddl_of(type_.value_type)}>"
    if pa.types.is_map(type_):
        return f"map<{ddl_of(type_.key_type)},{ddl_of(type_.item_type)}>"
    if pa.types.is_struct(type_):
        return f"struct<{','.join(f'{field.name}:{ddl_of(field.type)}' for field in type_)}>"
    return _DDL[type_]


def chosen(changes: DataFrame) -> DataFrame:
    """The columns that are known, as tasks want them; raises `ArgumentError` if one is missing."""
    from pyspark.sql import functions as F

    types = dict(changes.dtypes)
    missing = [name for name in REQUIRED if name not in types]
    if missing:
        raise ArgumentError(
            f"the DataFrame has no column {' and '.join(missing)}; it has {', '.join(types) or 'none'}: expected the"
            " columns of change records, doc, ts, op, path, ids and, as far as known, value, old, pos, at, txn, meta,"
            " more, clock"
        )
    known = []
    for name in LOG.names:
        if name in types:
            column = F.col(name)
            if _INTEGERS.fullmatch(types[name]):
                column = column.cast("array<bigint>" if types[name].startswith("array") else "bigint")
            elif name == "meta" and types[name] != "string":
                column = F.to_json(column)
            known.append(column.alias(name))
    return changes.select(*known)


def in_order(changes: DataFrame, *keys: Any, beside: bool = False) -> DataFrame:
    """Changes with the same values of ``keys`` in one partition, its records in order: of one time point change records
    come first, as their files do, then clock records by time. With ``beside``, where the key is the document, an
    external event comes behind all clock records that the log has before it (L7). Of records with no file the order is
    that of their content: it must not depend on which task is tried again."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    together = changes.repartition(*keys)
    behind = ["place", "record"] if "place" in changes.columns else ["op", "path", "ids"]
    if "clock" not in changes.columns:
        return together.sortWithinPartitions("doc", "ts", *behind)
    time = F.when(F.col("clock"), F.unix_micros(F.try_to_timestamp("at")))
    if beside and "aside" in changes.columns:
        before = F.max(time).over(Window.partitionBy("doc", "ts").orderBy(*behind))
        time = F.when(F.col("aside").isNotNull(), before).otherwise(time)
        together = together.withColumn("time", time)
        return together.sortWithinPartitions("doc", "ts", "time", *behind).drop("time")
    return together.sortWithinPartitions("doc", "ts", time, *behind)


def sorted_in_order(records: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Records as `in_order` sorts them with ``beside``."""
    latest: dict[tuple[Any, ...], int] = {}
    keyed = []
    for each in sorted(records, key=_in_files):
        at_once, time = (each["doc"], each["ts"]), _clock_of(each)
        if time is not None:
            latest[at_once] = max(time, latest.get(at_once, time))
        elif each.get("aside") is not None:
            time = latest.get(at_once)
        keyed.append((_nulls_first(each["doc"], each["ts"], time), each))
    keyed.sort(key=itemgetter(0))
    return [each for _, each in keyed]


def _in_files(record: Mapping[str, Any]) -> tuple[Any, ...]:
    if "place" in record:
        return _nulls_first(record["place"], record["record"])
    ids = record["ids"] or ()
    return _nulls_first(record["op"], record["path"], [-1 if each is None else each for each in ids])


def _clock_of(record: Mapping[str, Any]) -> int | None:
    try:
        return microseconds(record["at"]) if record.get("clock") else None
    except (TimeError, TypeError):
        return None


def _nulls_first(*values: Any) -> tuple[Any, ...]:
    return tuple((each is not None, each) for each in values)


def records_of(batch: pa.RecordBatch) -> pa.RecordBatch:
    """The columns as a log has them: times as text, ``meta`` as a map."""
    batch = as_read(batch)
    if "meta" not in batch.schema.names:
        return batch
    place, meta = batch.schema.names.index("meta"), batch["meta"]
    if meta.null_count == len(meta):
        return batch.remove_column(place)
    encoded = meta.dictionary_encode()
    try:
        pairs = [list(STANDARD.loads(text.encode()).items()) for text in encoded.dictionary.to_pylist()]
        values = pa.array(pairs, pa.map_(pa.string(), pa.string()))
    except (TypeError, ValueError, AttributeError, pa.ArrowInvalid):
        return batch  # found by the one who looks at each record
    return batch.set_column(place, "meta", values.take(encoded.indices))


def columns_of(row: Row | PrimitiveEvent) -> dict[str, Any]:
    """A change record by the names of its columns."""
    return dict(zip(PrimitiveEvent._fields, row, strict=True)) | {
        "path": str(row[2]),
        "more": row[11] or None,
    }


def with_columns(schema: pa.Schema, batch: pa.RecordBatch) -> pa.RecordBatch:
    """The columns of ``schema`` that the batch has; others are null."""
    arrays = [
        batch[name].cast(type_) if name in batch.schema.names else pa.nulls(len(batch), type_)
        for name, type_ in zip(schema.names, schema.types, strict=True)
    ]
    return pa.record_batch(arrays, schema=schema)
