"""Logs of other shapes: many documents in many small files, a key with most of the log; the same is found."""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xmlcep.auditing.spark.bucket_tasks import BucketTasks
from xmlcep.auditing.spark.chunks import ChunkKind
from xmlcep.auditing.spark.finding_chunks import FindingRanges

from path_types import PathType
from tests.auditing.logs import documents, interleaved, with_clocks, write_log
from tests.auditing.simulation import simulate
from tests.auditing.test_partitioning import both_ways
from tests.log.helpers import some_events
from tests.strategies import rule_sets
from xmlcep.auditing import audit, splits
from xmlcep.auditing.choice import choose_engine
from xmlcep.auditing.findings.collector import Collector
from xmlcep.auditing.findings.spool import Spool
from xmlcep.auditing.inputs import LogFile, find_files
from xmlcep.auditing.quarantine import OnBadRecord
from xmlcep.auditing.result import Summary
from xmlcep.auditing.spark.job import SparkAudit
from xmlcep.engine import Detector
from xmlcep.events import PrimitiveEvent
from xmlcep.log.parquet import ParquetWriter
from xmlcep.rules import Rules, parse_rules

if TYPE_CHECKING:
    from pyspark import RDD
    from pyspark.sql import SparkSession
    from xmlcep.auditing.spark.parcels import Parcel

BAD = (b'{"doc": "doc1", "ts": "soon"}', b"no record", b'{"xmlcep": 1, "kind": "header", "doc": 7}')


@settings(max_examples=25)
@given(rule_sets(), st.data(), st.booleans(), st.sampled_from(OnBadRecord))
def test_many_documents_in_many_small_files(definitions, data, operators: bool, on_bad: OnBadRecord) -> None:
    if on_bad is OnBadRecord.FAIL:
        return
    rules = Rules.from_definitions(definitions)
    parts = data.draw(documents(max_documents=12, max_actions=5))
    together = data.draw(st.booleans())
    log = data.draw(interleaved(parts)) if together else [item for part in parts for item in part]
    items = [*data.draw(with_clocks(log))]
    for place, bad in data.draw(st.lists(st.tuples(st.integers(0, 30), st.sampled_from(BAD)), max_size=3)):
        items.insert(place, bad)
    size, most_files = data.draw(st.integers(1, 5)), data.draw(st.sampled_from((1, 4, 256)))
    if not items:
        return
    with tempfile.TemporaryDirectory() as folder, mock.patch.object(splits, "MOST_FILES", most_files):
        logs = [
            write_log(Path(folder) / f"log-{start:03}.jsonl", items[start : start + size])
            for start in range(0, len(items), size)
            # a file in which no line begins as a record does is no log
            if any(item != b"no record" for item in items[start : start + size])
        ]
        if not logs:
            return
        local, distributed = both_ways(
            logs, rules, split_bytes=data.draw(st.sampled_from((300, 10**6))),
            segment_records=data.draw(st.sampled_from((1, 7, 1000))), operators=operators, on_bad=on_bad,
            buckets=data.draw(st.sampled_from((1, 3, 50))),
        )  # fmt: skip
    assert distributed == local


def test_a_document_costs_no_detector_after_nothing_waits_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def order(doc: str, records: int) -> list[PrimitiveEvent]:
        types = [("/order", (1,)), ("/order/item", (1, 2)), ("/order/item/price", (1, 2, 3))]
        return [
            PrimitiveEvent(ts, "ins", PathType.parse(path), ids, doc=doc)
            for ts, (path, ids) in enumerate(types[:records], start=1)
        ]

    made: list[Detector] = []
    new = Detector.__init__

    def count(self: Detector, *arguments: object, **options: object) -> None:
        made.append(self)
        new(self, *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Detector, "__init__", count)
    rules = parse_rules("event Priced = ins(item) ; ins(item/price)")

    def found(name: str, waiting: int) -> int:
        made.clear()
        events = [event for n in range(200) for event in order(f"doc{n:03}", 3 if n >= waiting else 2)]
        with Spool() as spool:
            lines = simulate(
                [write_log(tmp_path / name, events)], rules, Collector(spool, Summary("test"), OnBadRecord.SKIP),
                split_bytes=10**6, segment_records=10**6, operators=False, batch_size=1000, buckets=1,
            )  # fmt: skip
        assert len(lines) == 200 - waiting
        return len(made)

    assert found("through.jsonl", 0) == 1
    assert 50 <= found("waiting.jsonl", 50) <= 51


def test_a_large_packed_file_is_named() -> None:
    rules = parse_rules("event A = ins(item)")

    def said(*files: tuple[str, int]) -> list[str]:
        logs = [
            LogFile(place, f"{place}", kind, size, f"log{place}") for place, (kind, size) in enumerate(files)
        ]
        return choose_engine("spark", logs, rules).notes

    large, small = 20 << 20, 1 << 20
    [note] = said(("gzip", large), ("plain", large))
    assert note.startswith(
        "log0: packed, so one core reads and unpacks it, 89% of the log, however many there are"
    )
    assert said(("gzip", small)) == said(("plain", large)) == said(("parquet", large)) == []
    assert said(*[("zstd", large)] * 8) == []  # these are read side by side
    assert choose_engine("local", [LogFile(0, "0", "gzip", large, "log0")], rules).notes == []


@pytest.mark.parametrize(
    ("cores", "records", "taken", "why"),
    [
        (2, 10**5, "local", "too few to start Spark for"),
        (2, 10**7, "local", "for which Spark would not be faster"),  # with its start
        (2, 10**8, "spark", "on 2 cores"),
        (16, 10**6, "local", "too few to start Spark for"),
        (16, 10**8, "spark", "on 16 cores"),
        (64, 10**8, "spark", "on 64 cores"),
    ],
)
def test_the_engine_is_chosen_by_what_is_done_earlier(
    monkeypatch: pytest.MonkeyPatch, cores: int, records: int, taken: str, why: str
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: cores)
    log = LogFile(0, "0", "parquet", records * 10, "log0")
    choice = choose_engine("auto", [log], parse_rules("event A = ins(item)"))
    assert (choice.engine, len(choice.notes)) == (taken, 1)
    assert why in choice.notes[0]


def test_a_small_parquet_log_says_how_many_records_it_has(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    with ParquetWriter(tmp_path / "log.parquet") as writer:
        writer.write_all(some_events(3, 160))
    files = find_files(tmp_path / "log.parquet").files
    rules = parse_rules("event A = ins(item)")
    note = "engine local: about 160 records, too few to start Spark for"
    assert choose_engine("auto", files, rules).notes == [note]


# ---- a bucket with a large key --------------------------------------------------------------------------------

sizes = st.dictionaries(
    st.integers(0, 299), st.one_of(st.integers(1, 100), st.integers(10**5, 10**8)), max_size=60
)


@given(sizes, st.integers(300, 400), st.integers(1, 40))
def test_every_bucket_has_a_task_and_a_large_one_has_it_alone(
    found: Mapping[int, int], buckets: int, cores: int
) -> None:
    division = BucketTasks.of(found, buckets, cores)
    assert 1 <= division.tasks <= buckets
    tasks = [division.task_of(bucket) for bucket in range(buckets)]
    assert all(0 <= task < division.tasks for task in tasks)
    assert [division.task_of(bucket) for bucket in division.large] == list(range(len(division.large)))
    assert all(tasks.count(division.task_of(bucket)) == 1 for bucket in division.large)
    in_order = [found[bucket] for bucket in division.large]
    assert in_order == sorted(in_order, reverse=True)
    assert set(tasks) == set(range(division.tasks))
    total = sum(found.values())
    of_tasks = [
        sum(found.get(bucket, 0) for bucket in range(buckets) if tasks[bucket] == n) for n in set(tasks)
    ]
    share = total / max(4 * cores, total // 2**27)
    if share * buckets > total:  # there are fewer tasks than buckets
        assert all(bucket in division.large for bucket, size in found.items() if size > 1.5 * share)
        # None of the others has much more than what is worth a task when half of what is left is still to come.
        left = total
        for number, size in enumerate(of_tasks):
            if number >= len(division.large):
                assert size <= min(share, max(left / (2 * cores), 2**23)) + 1.5 * share
            left -= size


def in_turn(division: BucketTasks, buckets: int) -> list[int]:
    """How many buckets each task has."""
    counts = Counter(map(division.task_of, range(buckets)))
    return [counts[task] for task in range(division.tasks)]


def test_a_task_has_as_many_buckets_as_are_worth_it() -> None:
    assert BucketTasks.of({}, 200, 2) == BucketTasks((200,))
    assert BucketTasks.of({0: 1 << 33}, 200, 2) == BucketTasks((199,), (0,))
    assert BucketTasks.of(dict.fromkeys(range(200), 1 << 27), 200, 2) == BucketTasks(tuple(range(1, 201)))
    assert BucketTasks.of({3: 10, 4: 900, 5: 10}, 4, 2) == BucketTasks((1, 2, 3, 4))


def test_tasks_get_smaller_to_the_end_but_not_too_small() -> None:
    assert in_turn(BucketTasks.of(dict.fromkeys(range(32), 13 << 20), 32, 2), 32) == [
        4, 4, 4, 4, 4, 3, 3, 2, 1, 1, 1, 1,
    ]  # fmt: skip
    assert in_turn(BucketTasks.of(dict.fromkeys(range(32), 3 << 20), 32, 2), 32) == [
        4,
        4,
        4,
        4,
        4,
        3,
        3,
        3,
        3,
    ]
    assert in_turn(BucketTasks.of(dict.fromkeys(range(32), 1 << 20), 32, 2), 32) == [4] * 8
    alone = BucketTasks.of(dict.fromkeys(range(32), 1 << 20) | {9: 40 << 20}, 32, 2)
    assert alone.large == (9,) and in_turn(alone, 32)[0] == 1 and sum(in_turn(alone, 32)) == 32


def test_a_key_with_most_of_the_log(spark: SparkSession, tmp_path: Path) -> None:
    events = [PrimitiveEvent(1, "ins", PathType.parse("/order"), (1,), doc="d")]
    for number in range(600):
        item = 2 if number % 3 else number + 10
        names = [("/order/item", (1, item))] * (number in (1, 2) or not number % 3)
        for path, ids in [*names, ("/order/item/price", (1, item, 10_000 + number))]:
            event = PrimitiveEvent(len(events) + 1, "ins", PathType.parse(path), ids, doc="d")
            events.append(event)
    log = write_log(tmp_path / "log.jsonl", events)
    rules = parse_rules("event Two(item) = x[2,2] ins(item/price)\nevent All(order) = Two(item)")
    local = audit(log, rules, engine="local", out=tmp_path / "local")
    spread = audit(log, rules, engine="spark", spark=spark, partitions=40, out=tmp_path / "spark")
    assert spread.out.read_bytes() == local.out.read_bytes()
    assert local.summary.findings > 300


def test_findings_of_small_buckets_come_together(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each chunk has a price of its own, and there may be many buckets in a task and many ranges."""
    counts: list[tuple[int, int]] = []

    def ordered(self: SparkAudit, replayed: RDD[Parcel], ranges: FindingRanges, withheld: set[str]) -> object:
        kinds = replayed.map(lambda parcel: int(parcel.chunk.kind)).collect()
        counts.append((kinds.count(ChunkKind.FINDINGS), len(ranges)))
        return usual(self, replayed, ranges, withheld)

    usual = SparkAudit._ordered
    monkeypatch.setattr(SparkAudit, "_ordered", ordered)
    path = PathType.parse("/order/item")
    events = [PrimitiveEvent(ts, "ins", path, (1, 2 + ts % 100), doc="d") for ts in range(1, 1001)]
    log = write_log(tmp_path / "log.jsonl", events)
    rules = parse_rules("event Twice(item) = x[2,2] ins(item)")
    result = audit(log, rules, engine="spark", spark=spark, partitions=40, out=tmp_path / "out")
    assert result.summary.findings == 500
    ((chunks, ranges),) = counts
    tasks = 4 * spark.sparkContext.defaultParallelism
    assert ranges > 1 and chunks <= tasks * ranges < 40 * ranges
