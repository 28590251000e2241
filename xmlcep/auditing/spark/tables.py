"""What travels between the steps of the Spark job, packed: rows of frames as Arrow batches, findings in their order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import pyarrow as pa

from .chunks import Chunk
from .finding_order import OrderedFindings
from .mapper import SelectedRecord
from .parcels import Content, ContentFiles, read

_PACKING = "zstd"

CHUNK_DDL = "kind int, level int, target int, segment bigint, source int, number bigint, content binary"
CHUNK_SCHEMA = pa.schema(
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


class PackedFindings(NamedTuple):
    """`OrderedFindings` on their way to the driver; ``size`` is that of their text before it was packed."""

    name: str | None
    counts: dict[str, dict[str, int]]
    text: Content
    size: int

    @classmethod
    def of(cls, findings: OrderedFindings, files: ContentFiles) -> PackedFindings:
        """The findings, packed."""
        text = files.put(pa.compress(findings.text, _PACKING, asbytes=True))
        return cls(findings.name, findings.counts, text, len(findings.text))

    def unpacked(self) -> OrderedFindings:
        """The findings as they were."""
        text = pa.decompress(read(self.text), self.size, _PACKING, asbytes=True)
        return OrderedFindings(self.name, self.counts, text)


def chunk_batch(chunks: Iterable[Chunk]) -> pa.RecordBatch:
    """Chunks as a batch."""
    return _batch_of(chunks, CHUNK_SCHEMA)


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
