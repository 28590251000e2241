"""Rows of the Spark job as Arrow batches and back: chunks, and records to be sorted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa

from .chunks import Chunk
from .mapper import SelectedRecord

CHUNK_DDL = "level int, bucket int, segment bigint, number bigint, content binary"
_CHUNK_SCHEMA = pa.schema(
    [
        ("level", pa.int32()), ("bucket", pa.int32()), ("segment", pa.int64()), ("number", pa.int64()),
        ("content", pa.binary()),
    ]
)  # fmt: skip
RECORD_DDL = "doc string, ts bigint, clock bigint, split bigint, number bigint, line binary"
_RECORD_SCHEMA = pa.schema(
    [
        ("doc", pa.string()), ("ts", pa.int64()), ("clock", pa.int64()), ("split", pa.int64()), ("number", pa.int64()),
        ("line", pa.binary()),
    ]
)  # fmt: skip


def chunk_batch(chunks: Iterable[Chunk]) -> pa.RecordBatch:
    """Chunks as a batch."""
    return _batch_of(chunks, _CHUNK_SCHEMA)


def record_batch(records: Iterable[SelectedRecord]) -> pa.RecordBatch:
    """Records to be sorted as a batch."""
    return _batch_of(records, _RECORD_SCHEMA)


def chunks_of(batch: pa.RecordBatch) -> Iterator[Chunk]:
    """The chunks of a batch."""
    return map(Chunk._make, _rows_of(batch))


def records_of(batch: pa.RecordBatch) -> Iterator[SelectedRecord]:
    """The records of a batch."""
    return map(SelectedRecord._make, _rows_of(batch))


def _batch_of(rows: Iterable[tuple[Any, ...]], schema: pa.Schema) -> pa.RecordBatch:
    columns = list(zip(*rows, strict=True)) or [()] * len(schema)
    return pa.record_batch([pa.array(c, f.type) for c, f in zip(columns, schema, strict=True)], schema=schema)


def _rows_of(batch: pa.RecordBatch) -> Iterator[tuple[Any, ...]]:
    return zip(*[column.to_pylist() for column in batch.columns], strict=True)
