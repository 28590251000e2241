"""The columns of change records in Spark: what a table of a user's may have, and what tasks make of it.

Maps cost Spark's way to Python several times what all other columns do, so ``meta`` goes there as JSON text.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from ...errors import ArgumentError
from ...log.columns.accepted import as_read
from ...log.json_codec import STANDARD

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_INTEGERS = re.compile(r"(array<)?(tinyint|smallint|int)>?")
REQUIRED = ("doc", "ts", "op", "path", "ids")
RECORD = {
    "doc": "string", "ts": "bigint", "op": "string", "path": "string", "ids": "array<bigint>", "value": "string",
    "old": "string", "pos": "bigint", "at": "string", "txn": "bigint", "meta": "map<string,string>",
    "more": "boolean", "clock": "boolean",
}  # fmt: skip
"""The columns of change records (docs/log.md)."""
SOURCE = {
    "aside": "string", "file": "string", "record": "bigint", "offset": "bigint", "place": "string",
    "reason": "string", "raw": "string", "raw_base64": "string",
}  # fmt: skip
"""What `read_log` says besides: a header or control record as JSON; where a record is from (``place`` orders files);
and of a bad one why, and its text."""
LOG_DDL = ", ".join(f"{name} {type_}" for name, type_ in (RECORD | SOURCE).items())


def sorted_changes(changes: DataFrame, partitions: int | None = None) -> DataFrame:
    """Each document in one partition, its records in order: of one time point change records come first, as their files
    do, then clock records by time. Of records with no file the order is that of their content: it must not depend on
    which task is tried again.

    Raises `ArgumentError` if a column is missing.
    """
    from pyspark.sql import functions as F

    chosen = _chosen(changes)
    spread = ["doc"] if partitions is None else [partitions, "doc"]
    order: list[Any] = ["doc", "ts"]
    if "clock" in chosen.columns:
        order.append(F.when(F.col("clock"), F.try_to_timestamp("at")))
    order += ["place", "record"] if "place" in chosen.columns else ["op", "path", "ids"]
    return chosen.repartition(*spread).sortWithinPartitions(*order)


def _chosen(changes: DataFrame) -> DataFrame:
    """The columns that are known."""
    from pyspark.sql import functions as F

    missing = [name for name in REQUIRED if name not in changes.columns]
    if missing:
        raise ArgumentError(
            f"the DataFrame has no column {' and '.join(missing)}; it has {', '.join(changes.columns) or 'none'}:"
            " expected the columns of change records, doc, ts, op, path, ids and, as far as known, value, old, pos, at,"
            " txn, meta, more, clock"
        )
    types = dict(changes.dtypes)
    known = []
    for name in (*RECORD, *SOURCE):
        if name in types:
            column = F.col(name)
            if _INTEGERS.fullmatch(types[name]):
                column = column.cast("array<bigint>" if types[name].startswith("array") else "bigint")
            elif name == "meta" and types[name] != "string":
                column = F.to_json(column)
            known.append(column.alias(name))
    return changes.select(*known)


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
