"""Rows of the Spark job as Arrow batches and back: chunks, and records to be sorted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa

from ...log.json_codec import FASTEST
from .chunks import Chunk
from .finding_order import OrderedFindings
from .mapper import SelectedRecord

_PACKING = "zstd"

CHUNK_DDL = "kind int, level int, target int, segment bigint, source int, number bigint, content binary"
_CHUNK_SCHEMA = pa.schema(
    [
        ("kind", pa.int32()), ("level", pa.int32()), ("target", pa.int32()), ("segment", pa.int64()),
        ("source", pa.int32()), ("number", pa.int64()), ("content", pa.binary()),
    ]
)  # fmt: skip
RECORD_DDL = "doc string, ts bigint, clock bigint, part bigint, number bigint, line binary"
_RECORD_SCHEMA = pa.schema(
    [
        ("doc", pa.string()), ("ts", pa.int64()), ("clock", pa.int64()), ("part", pa.int64()),
        ("number", pa.int64()), ("line", pa.binary()),
    ]
)  # fmt: skip
ORDERED_DDL = "target int, number int, name string, counts binary, content binary"
ORDERED_SCHEMA = pa.schema(
    [
        ("target", pa.int32()), ("number", pa.int32()), ("name", pa.string()), ("counts", pa.binary()),
        ("content", pa.binary()),
    ]
)  # fmt: skip


def ordered_batch(target: int, number: int, findings: OrderedFindings) -> pa.RecordBatch:
    """Findings of a range as a batch, packed."""
    text = pa.compress(findings.text, _PACKING, asbytes=True)
    counts = FASTEST.dumps({"counts": findings.counts, "size": len(findings.text)})
    return _batch_of([(target, number, findings.name, counts, text)], ORDERED_SCHEMA)


def ordered_of(batch: pa.RecordBatch) -> Iterator[OrderedFindings]:
    """The findings of such a batch."""
    for _, _, name, counts, content in _rows_of(batch):
        about = FASTEST.loads(counts)
        text = pa.decompress(content, about["size"], _PACKING, asbytes=True)
        yield OrderedFindings(name, about["counts"], text)


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
