"""What travels between the steps of the Spark job: rows of frames as Arrow batches, findings in their order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import pyarrow as pa

from ...log.json_codec import FASTEST
from .chunks import Chunk
from .finding_order import OrderedFindings
from .mapper import SelectedRecord
from .parcels import Content, ContentFiles, read

CHUNK_DDL = (
    "kind int, level int, target int, segment bigint, source int, number bigint, content binary, lines bigint"
)
CHUNK_SCHEMA = pa.schema(
    [
        ("kind", pa.int32()), ("level", pa.int32()), ("target", pa.int32()), ("segment", pa.int64()),
        ("source", pa.int32()), ("number", pa.int64()), ("content", pa.binary()),
        ("lines", pa.int64()),
    ]
)  # fmt: skip
RECORD_DDL = "doc string, ts bigint, clock bigint, part bigint, number bigint, line binary"
_RECORD_SCHEMA = pa.schema(
    [
        ("doc", pa.string()), ("ts", pa.int64()), ("clock", pa.int64()), ("part", pa.int64()),
        ("number", pa.int64()), ("line", pa.binary()),
    ]
)  # fmt: skip


class SentFindings(NamedTuple):
    """`OrderedFindings` on their way to the driver; the counts are a JSON object, of which much may be."""

    name: str | None
    counts: Content
    text: Content

    @classmethod
    def of(cls, findings: OrderedFindings, files: ContentFiles) -> SentFindings:
        """The findings as they are sent."""
        return cls(findings.name, files.put(FASTEST.dumps(findings.counts)), files.put(findings.text))

    def opened(self) -> OrderedFindings:
        """The findings as they were."""
        return OrderedFindings(self.name, FASTEST.loads(read(self.counts)), read(self.text))


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
