"""What Spark's Python workers run: generators from Arrow batches to Arrow batches.

They are made from plain values; rules travel as text and are parsed where they are needed.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

import pyarrow as pa

from ..log.json_codec import FASTEST
from ..rules import parse_rules
from .findings import Finding
from .inputs import Split
from .mapping import Keep, Mapper, Report, Topic
from .plan import make_plan
from .replay import KeyReplayer
from .reporting import Reports, as_entry
from .routing import Kind, Point, Routed
from .tables import (
    CHUNK_SCHEMA,
    FINDING_SCHEMA,
    RECORD_SCHEMA,
    batch_of,
    finding_batch,
    routed_batch,
    rows_of,
    unpacked,
)

if TYPE_CHECKING:
    from pyspark import Accumulator

Batches: TypeAlias = Iterator[pa.RecordBatch]
Task: TypeAlias = Callable[[Batches], Batches]

NO_TREE = -1
_BATCH_ROWS = 10_000
_CHUNK_BYTES = 4 * 2**20


def _without_collector(task: Task) -> Task:
    """Runs a task with the cyclic garbage collector off: nothing here makes cycles, and it costs much."""

    def run(batches: Batches) -> Batches:
        gc.disable()
        try:
            yield from task(batches)
        finally:
            gc.enable()

    return run


def map_task(rules: str, splits: Sequence[Split], keep: Keep | None, reports: Accumulator[Reports]) -> Task:
    """From indexes of splits to their routed rows; what else there is to say goes to ``reports``."""

    def task(batches: Batches) -> Batches:
        mapper = Mapper(parse_rules(rules), keep=keep)
        for batch in batches:
            for index in batch.column(0).to_pylist():
                for rows in mapper.read(splits[index]):
                    yield from _routed(rows, reports)

    return _without_collector(task)


def _routed(rows: Sequence[Routed | Report], reports: Accumulator[Reports]) -> Batches:
    """Rows as a batch. Bad records stay among them, for there may be many; other reports go their own way."""
    kept = []
    for row in rows:
        if type(row) is Routed or row.kind == Topic.BAD:
            kept.append(row)
        else:
            reports.add(as_entry(row))  # type: ignore[arg-type]
    if kept:
        yield routed_batch(kept)


def select_task(rules: str, splits: Sequence[Split], docs: frozenset[str], keep: Keep | None) -> Task:
    """From indexes of splits to the records of some documents."""

    def task(batches: Batches) -> Batches:
        mapper = Mapper(parse_rules(rules), keep=keep)
        for batch in batches:
            for index in batch.column(0).to_pylist():
                for records in mapper.select(splits[index], docs):
                    if records:
                        yield batch_of(records, RECORD_SCHEMA)

    return _without_collector(task)


def route_sorted_task(rules: str, splits: Sequence[Split], reports: Accumulator[Reports]) -> Task:
    """From records sorted by document, ts, split and number to their routed rows."""

    def task(batches: Batches) -> Batches:
        mapper = Mapper(parse_rules(rules))
        records = (row[2:] for batch in batches for row in rows_of(batch))
        for rows in mapper.route_sorted(records, {split.name: split for split in splits}):
            yield from _routed(rows, reports)

    return _without_collector(task)


def replay_task(
    rules: str, ends: Mapping[str, Point], headers: Mapping[str, int], *, operators: bool
) -> Task:
    """From routed rows sorted by key and time to findings; bad records pass through, as findings of `NO_TREE`."""

    def task(batches: Batches) -> Batches:
        replayer = KeyReplayer(make_plan(parse_rules(rules)), ends, operators=operators)
        out: list[tuple[Finding, int]] = []
        number = 0
        for batch in batches:
            for values in rows_of(batch):
                if values[0] == Topic.BAD:
                    out.append((Finding(values[2], 0, NO_TREE, 0, (), "", values[-1]), values[6]))
                    continue
                row = unpacked(values)
                if row.kind == Kind.FRAGMENT and headers.get(row.doc) != row.segment:
                    continue
                for finding in replayer.take(row):
                    out.append((finding, number))
                    number += 1
                if len(out) >= _BATCH_ROWS:
                    yield finding_batch(out)
                    out = []
        for finding in replayer.finish():
            out.append((finding, number))
            number += 1
        yield finding_batch(out) if out else pa.RecordBatch.from_pylist([], schema=FINDING_SCHEMA)

    return _without_collector(task)


def chunk_task() -> Task:
    """From findings in their final order (document, name, line) to large chunks with counts."""

    def task(batches: Batches) -> Batches:
        lines: list[bytes] = []
        size = 0
        counts: dict[tuple[str, str], int] = {}
        for batch in batches:
            for doc, name, line in rows_of(batch):
                lines.append(line)
                size += len(line)
                counts[doc, name] = counts.get((doc, name), 0) + 1
                if size >= _CHUNK_BYTES:
                    yield _chunk(counts, lines)
                    lines, size, counts = [], 0, {}
        if lines:
            yield _chunk(counts, lines)

    return _without_collector(task)


def _chunk(counts: Mapping[tuple[str, str], int], lines: Iterable[bytes]) -> pa.RecordBatch:
    counted = FASTEST.dumps([[doc, name, count] for (doc, name), count in counts.items()])
    return batch_of([(counted, b"\n".join(lines))], CHUNK_SCHEMA)
