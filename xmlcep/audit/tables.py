"""Rows of the Spark job as Arrow batches and back. The cost per value is what a large audit is made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa

from .findings import Finding
from .mapping import Report
from .routing import Routed

ROUTED_SCHEMA = pa.schema(
    [
        ("kind", pa.int8()), ("pass_index", pa.int32()), ("doc", pa.string()), ("key", pa.int64()),
        ("ts", pa.int64()), ("at", pa.string()), ("segment", pa.int64()), ("op", pa.string()),
        ("path", pa.string()), ("ids", pa.list_(pa.int64())), ("value", pa.string()), ("old", pa.string()),
        ("pos", pa.int64()),
    ]
)  # fmt: skip
ROUTED_DDL = (
    "kind tinyint, pass_index int, doc string, key bigint, ts bigint, at string, segment bigint, op string, "
    "path string, ids array<bigint>, value string, old string, pos bigint"
)
FINDING_SCHEMA = pa.schema(
    [
        ("doc", pa.string()), ("ts", pa.int64()), ("tree", pa.int32()), ("operator", pa.int32()),
        ("ids", pa.list_(pa.int64())), ("number", pa.int64()), ("name", pa.string()), ("line", pa.binary()),
    ]
)  # fmt: skip
FINDING_DDL = "doc string, ts bigint, tree int, operator int, ids array<bigint>, number bigint, name string, line binary"
RECORD_SCHEMA = pa.schema(
    [
        ("doc", pa.string()),
        ("ts", pa.int64()),
        ("split", pa.int64()),
        ("number", pa.int64()),
        ("line", pa.binary()),
    ]
)
RECORD_DDL = "doc string, ts bigint, split bigint, number bigint, line binary"
CHUNK_SCHEMA = pa.schema([("counts", pa.binary()), ("lines", pa.binary())])
CHUNK_DDL = "counts binary, lines binary"


def batch_of(rows: Iterable[tuple[Any, ...]], schema: pa.Schema) -> pa.RecordBatch:
    """Rows as a batch."""
    columns = zip(*rows, strict=True)
    return pa.record_batch([pa.array(c, f.type) for c, f in zip(columns, schema, strict=True)], schema=schema)


def routed_batch(rows: list[Routed | Report]) -> pa.RecordBatch:
    """Routed rows and reports as a batch; a report's content stands in ``value``."""
    return batch_of([row if type(row) is Routed else _report_row(row) for row in rows], ROUTED_SCHEMA)


def _report_row(report: Any) -> tuple[Any, ...]:
    return (
        report.kind, -1, report.doc, 0, 0, None, report.segment, None, None, None, report.content.decode(), None, None
    )  # fmt: skip


def rows_of(batch: pa.RecordBatch) -> Iterator[tuple[Any, ...]]:
    """The rows of a batch as tuples of Python values."""
    return zip(*[_values(column) for column in batch.columns], strict=True)


def _values(column: pa.Array) -> list[Any]:
    if isinstance(column, pa.ListArray):
        # Several times as fast as to_pylist, which makes a scalar per list.
        flat = column.values.to_pylist()
        offsets = column.offsets.to_pylist()
        return [tuple(flat[a:b]) for a, b in zip(offsets, offsets[1:], strict=False)]
    return column.to_pylist()  # type: ignore[no-any-return]


def finding_batch(findings: list[tuple[Finding, int]]) -> pa.RecordBatch:
    """Findings, each with its number in raise order, as a batch."""
    rows = [(f.doc, f.ts, f.tree, f.operator, f.ids, number, f.name, f.line) for f, number in findings]
    return batch_of(rows, FINDING_SCHEMA)
