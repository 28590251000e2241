"""What the tasks of an audit with Spark do, one after the other in this process: for laws, which have many examples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from xmlcep.auditing.findings.collector import Collector
from xmlcep.auditing.inputs import LogFile, find_files
from xmlcep.auditing.plan import Plan, make_plan
from xmlcep.auditing.spark.across import KEYS as KEYS_OF_VALUES
from xmlcep.auditing.spark.across import ORDER as VALUE_ORDER
from xmlcep.auditing.spark.across import values_replayed
from xmlcep.auditing.spark.answers import END, FINDING, FOUND, ORDER, PART
from xmlcep.auditing.spark.columns import sorted_in_order
from xmlcep.auditing.spark.division import KEYS, ROUTED, keys_replayed, routed
from xmlcep.auditing.spark.division import ORDER as KEY_ORDER
from xmlcep.auditing.spark.job import collect
from xmlcep.auditing.spark.log_reading import files_read, lines_read
from xmlcep.auditing.spark.replay import replayed
from xmlcep.auditing.spark.told import Told
from xmlcep.log.json_codec import FASTEST
from xmlcep.rules import PlainRules, Rules

Row = dict[str, Any]


def simulate(
    logs: Sequence[Path],
    rules: Rules,
    collector: Collector,
    *,
    split_bytes: int,
    operators: bool = False,
    batch: int = 5,
    partitions: int = 3,
    ignore_whitespace: bool = False,
    until: str | None = None,
    large: int | None = None,
) -> list[bytes]:
    """The findings' lines: files are read in blocks of so many bytes, and replayed in batches of so many records.

    Documents of more than ``large`` records are divided.
    """
    files = find_files(logs).files
    changes = [row for file in files for row in rows_of(file, files, split_bytes)]
    told = Told(tuple(PlainRules.of(rules)), operators, until, ignore_whitespace, together=True)
    counts = Counter(row["doc"] for row in changes if row["doc"] is not None)
    plan, divided = make_plan(rules), set[str]()
    if large is not None and plan.divided:
        divided = {doc for doc, count in counts.items() if count > large}
    some = [row for row in changes if row["doc"] in divided]
    answered = _whole([row for row in changes if row["doc"] not in divided], told, batch, partitions)
    if some:
        whole = () if plan.whole is None else tuple(tree.name for tree in plan.whole.trees)
        answered += _whole(some, told._replace(trees=whole, together=False), batch, partitions)
        answered += _divided(some, plan, told, batch, partitions)
    collect(_beside_findings(answered), rules, collector, files)
    if rules.graph.across:
        parts = [row for row in answered if row["kind"] in (PART, END)]
        over = _over_documents(parts, told, batch, partitions)
        for row in over:
            if row["kind"] == FOUND:
                line = FASTEST.loads(row["content"])
                collector.found(line["doc"], line["found"])
        answered += over
    found = sorted((row for row in answered if row["kind"] == FINDING), key=in_findings)
    return [line for row in found for line in row["content"].splitlines()]


def _whole(changes: list[Row], told: Told, batch: int, partitions: int) -> list[Row]:
    """What tasks answer that replay whole documents."""
    found: list[Row] = []
    for its in _partitions(changes, ("doc",), partitions):
        found += _rows(replayed(_batches(sorted_in_order(its), batch), tuple(told)))
    return found


def _divided(changes: list[Row], plan: Plan, told: Told, batch: int, partitions: int) -> list[Row]:
    """What tasks answer that replay keys."""
    plain = [row for row in changes if row["aside"] is None and row["reason"] is None and not row["clock"]]
    rows: list[Row] = []
    for its in _partitions(plain, ("doc", "ts"), partitions):
        rows += _rows(routed(_batches(sorted_in_order(its), batch), tuple(told)))
    for level in range(1 + max(each.level for each in plan.divided)):
        given, rows = rows, []
        for its in _partitions(given, KEYS, partitions):
            order = sorted(its, key=lambda row: _nulls_first(row, KEY_ORDER))
            rows += _rows(keys_replayed(_batches(order, batch, ROUTED), tuple(told), level))
    return [row for row in rows if row["kind"] is not None]


def _over_documents(answered: list[Row], told: Told, batch: int, tasks: int) -> list[Row]:
    """Answers with what tasks find that replay the values of events over documents."""
    rows = [
        row | {"task": task, "value": row["name"] if row["kind"] == PART else None}
        for row in answered
        for task in (range(tasks) if row["kind"] == END else [hash(row["name"]) % tasks])
    ]
    found: list[Row] = []
    for its in _partitions(rows, ("task",), 2):
        order = sorted(its, key=lambda row: _nulls_first(row, VALUE_ORDER))
        found += _rows(values_replayed(_batches(order, batch, KEYS_OF_VALUES), tuple(told)))
    return found


def _partitions(rows: list[Row], keys: Sequence[str], partitions: int) -> Iterator[list[Row]]:
    for partition in range(partitions):
        yield [row for row in rows if hash(tuple(row[key] for key in keys)) % partitions == partition]


def _beside_findings(answered: Sequence[Row]) -> Iterator[tuple[str, bytes]]:
    others = [row for row in answered if row["kind"] not in (FINDING, PART, END)]
    for row in sorted(
        others, key=lambda row: (row["kind"], row["file"] or "", (row["place"] or {"n": 0})["n"])
    ):
        yield f"{row['kind']} {row['file'] or ''}", row["content"]


def rows_of(file: LogFile, files: Sequence[LogFile], split_bytes: int) -> list[Row]:
    """The records of a file as rows of a table."""
    names = {each.path: (each.place, each.name) for each in files}
    content = Path(file.path).read_bytes()
    if file.kind != "plain":
        return _rows(files_read([pa.record_batch({"file": [file.path], "content": [content]})], names))
    return _rows(lines_read(_batches(list(_lines(file, content, split_bytes)), 5), names))


def _lines(file: LogFile, content: bytes, split_bytes: int) -> Iterator[Row]:
    """The lines as Spark hands them out: without their ends, by the block of so many bytes that they begin in."""
    lines = content.split(b"\n")
    if not lines[-1]:
        lines.pop()
    try:
        header = FASTEST.loads(lines[0].removeprefix(b"\xef\xbb\xbf"))
        doc = header["doc"] if "xmlcep" in header and "control" not in header else None
    except (ValueError, TypeError, KeyError):
        doc = None
    offset = block = lines_before = bytes_before = 0
    for number, line in enumerate(lines):
        if offset // split_bytes != block:
            block, lines_before, bytes_before = offset // split_bytes, number, offset
        yield {
            "line": line, "file": file.path, "block": block, "size": len(content), "lines": lines_before,
            "bytes": bytes_before, "doc": doc,
        }  # fmt: skip
        offset += len(line) + 1


def _batches(rows: list[Row], size: int, schema: pa.Schema | None = None) -> Iterator[pa.RecordBatch]:
    if rows:
        table = pa.Table.from_pylist(rows, schema)
        for batch in table.combine_chunks().to_batches():
            for start in range(0, len(batch), size):
                yield batch.slice(start, size)


def _rows(batches: Iterator[pa.RecordBatch]) -> list[Row]:
    rows = [row for batch in batches for row in batch.to_pylist()]
    for row in rows:
        if isinstance(row.get("meta"), list):
            row["meta"] = FASTEST.dumps(dict(row["meta"])).decode()
    return rows


def in_findings(row: Row) -> tuple[Any, ...]:
    """The total order of findings."""
    return _nulls_first(row, ORDER)


def _nulls_first(row: Row, names: Sequence[str]) -> tuple[Any, ...]:
    """The values to sort a row by."""
    values = []
    for name in names:
        value: Any = row
        for part in name.split("."):
            value = None if value is None else value[part]
        values.append((value is not None, value))
    return tuple(values)
