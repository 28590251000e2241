"""Rows of the Spark job as Arrow batches and back. The cost per value is what a large audit is made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

import pyarrow as pa

from ..log.json_codec import FASTEST
from .findings import Finding
from .mapping import Report
from .routing import Routed

# Spark pays for every column of every row, several times over: what it neither sorts nor joins by stands
# together in one, `rest`, as JSON.
_new_tuple = tuple.__new__

ROUTED_SCHEMA = pa.schema(
    [
        ("kind", pa.int8()),
        ("pass_index", pa.int32()),
        ("doc", pa.string()),
        ("key", pa.int64()),
        ("ts", pa.int64()),
        ("at", pa.string()),
        ("segment", pa.int64()),
        ("rest", pa.binary()),
    ]
)
ROUTED_DDL = (
    "kind tinyint, pass_index int, doc string, key bigint, ts bigint, at string, segment bigint, rest binary"
)
_COLUMNS = len(ROUTED_SCHEMA.names) - 1
FINDING_SCHEMA = pa.schema(
    [
        ("doc", pa.string()), ("ts", pa.int64()), ("tree", pa.int32()), ("operator", pa.int32()),
        ("ids", pa.list_(pa.int64())), ("number", pa.int64()), ("name", pa.string()), ("line", pa.binary()),
    ]
)  # fmt: skip
FINDING_DDL = (
    "doc string, ts bigint, tree int, operator int, ids array<bigint>,"
    " number bigint, name string, line binary"
)
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


def routed_batch(rows: Iterable[Routed | Report]) -> pa.RecordBatch:
    """Routed rows and reports as a batch."""
    return batch_of([packed(row) if type(row) is Routed else _report_row(row) for row in rows], ROUTED_SCHEMA)


def packed(row: Routed) -> tuple[Any, ...]:
    """A routed row as Spark sees it."""
    rest = row[_COLUMNS:]
    return (*row[:_COLUMNS], None if rest[2] is None else FASTEST.dumps(rest))


def unpacked(values: tuple[Any, ...]) -> Routed:
    """The routed row that `packed` made a tuple of."""
    rest = values[_COLUMNS]
    if rest is None:
        return Routed(*values[:_COLUMNS])
    op, path, ids, value, old, pos = FASTEST.loads(rest)
    return _new_tuple(Routed, (*values[:_COLUMNS], op, path, tuple(ids), value, old, pos))


def _report_row(report: Any) -> tuple[Any, ...]:
    return report.kind, -1, report.doc, 0, 0, None, report.segment, report.content


def rows_of(batch: pa.RecordBatch) -> Iterator[tuple[Any, ...]]:
    """The rows of a batch as tuples of Python values."""
    return zip(*[_values(column) for column in batch.columns], strict=True)


def _values(column: pa.Array) -> list[Any]:
    if isinstance(column, pa.ListArray):
        # Several times as fast as to_pylist, which makes a scalar per list.
        flat = column.values.to_pylist()
        offsets = column.offsets.to_pylist()
        return [tuple(flat[a:b]) for a, b in pairwise(offsets)]
    return column.to_pylist()  # type: ignore[no-any-return]


def finding_batch(findings: list[tuple[Finding, int]]) -> pa.RecordBatch:
    """Findings, each with its number in raise order, as a batch."""
    rows = [(f.doc, f.ts, f.tree, f.operator, f.ids, number, f.name, f.line) for f, number in findings]
    return batch_of(rows, FINDING_SCHEMA)
