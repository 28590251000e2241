"""How much each bucket is given, and by which keys: the same as looking at every record says."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

pytest.importorskip("pyarrow")

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from xmlcep.auditing.spark.bucket_loads import BucketLoads, RoutedLoad, TaskKeys
from xmlcep.auditing.spark.bucket_tasks import BucketTasks
from xmlcep.auditing.spark.chunk_reading import ChunkReader
from xmlcep.auditing.spark.chunks import Chunk, ChunkKind, Mark
from xmlcep.auditing.spark.mapper import Mapper
from xmlcep.auditing.spark.segment_merge import SegmentMerge
from xmlcep.auditing.spark.task_reports import Report

from tests.auditing.logs import documents, interleaved, write_log
from tests.strategies import rule_sets
from xmlcep.auditing.inputs import find_files
from xmlcep.auditing.plan.key_counts import KeyCount, KeyCounter
from xmlcep.auditing.plan.partition_key import Plan, make_plan
from xmlcep.auditing.plan.record_counts import count_records
from xmlcep.auditing.splits import make_splits
from xmlcep.rules import Rules, parse_rules

ITEMS = "event Priced = ins(item) ; ins(item/price)"
VALUES = "event Same(/order) {flat} = ins(item/price/text()) as $p ; ins(item/text()) as $p"


def routed(
    plan: Plan, logs: Sequence[Path], buckets: int, batch_size: int
) -> tuple[SegmentMerge, list[Chunk]]:
    """What is known of a log when it was read, a file a task, and the chunks."""
    found = find_files(logs).files
    splits = make_splits(found, max(file.size for file in found))
    items = [item for split in splits for item in Mapper(plan, buckets, batch_size=batch_size).read(split)]
    merge = SegmentMerge(splits, [each for each in items if isinstance(each, Report)], plan, buckets)
    return merge, [each for each in items if isinstance(each, Chunk)]


@settings(max_examples=30)
@given(rule_sets(), st.data(), st.integers(1, 5), st.integers(1, 4))
def test_keys_are_counted_as_they_are_explained(definitions, data, buckets: int, batch_size: int) -> None:
    plan = make_plan(Rules.from_definitions(definitions))
    items = data.draw(interleaved(data.draw(documents(max_documents=4, max_actions=8))))
    if not items:
        return
    cut = data.draw(st.integers(0, len(items) - 1))
    with tempfile.TemporaryDirectory() as folder:
        parts = [part for part in (items[:cut], items[cut:]) if part]
        logs = [write_log(Path(folder) / f"log{number}.jsonl", part) for number, part in enumerate(parts)]
        merge, chunks = routed(plan, logs, buckets, batch_size)
        explained = count_records(find_files(logs).files, plan)
    if merge.to_sort:
        return
    division = BucketTasks(tuple(range(1, buckets + 1)))
    found = [merge.loads.largest_keys(level, division, 9).largest for level in range(4)]
    for each, counts in zip(plan.passes, explained.passes, strict=True):
        alone = [one for one in plan.passes if one.level == each.level] == [each]
        if alone and counts.largest:
            largest = max(found[each.level].values(), key=lambda key: key.records)
            assert largest.records == counts.largest[0].records
        for bucket, key in found[each.level].items():
            rows = [one for one in chunks if one.kind == ChunkKind.ROWS and one.target == bucket]
            own = [
                mark
                for chunk in rows
                for table in ChunkReader().tables([chunk.content], sort=False)
                for run in table.runs()
                if run.doc == key.doc
                for mark in table.values("mark", run.start, run.end)
            ]
            assert own.count(Mark.RECORD) >= key.records  # there they are


def test_values_are_keys_by_their_texts() -> None:
    plan = make_plan(parse_rules(VALUES))
    assert plan.passes[0].by_value
    loads = BucketLoads(plan, 4)
    loads.add(
        {"sizes": {}, "keys": {"0": [["d", "7 EUR", 3], ["d", "8 EUR", 5], ["left out", "7 EUR", 99]]}},
        {"left out"},
    )
    keys = loads.largest_keys(0, BucketTasks((4,)), 10)
    assert keys.left(1, [0]) == "1 of 1 task left, at 'd' value '8 EUR' (5 of 10 records)"


@given(
    st.lists(st.tuples(st.integers(0, 1), st.integers(0, 2), st.integers(0, 5)), max_size=60),
    st.integers(1, 4000),
)
def test_a_key_with_a_thousandth_is_counted(rows: list[tuple[int, int, int]], others: int) -> None:
    plan = make_plan(parse_rules(f"{ITEMS}\nevent Other = ins(order) ; ins(order/date)"))
    assert len(plan.passes) == 2
    load = RoutedLoad(plan)
    rows = rows + [(0, 3, 100 + key) for key in range(others)]
    passes, docs, keys = (np.array(column, np.int64) for column in zip(*rows, strict=True))
    load.add_keys(passes, docs, keys, lambda place: (str(docs[place]), int(keys[place])))
    counts = Counter(rows)
    taken = load.take()["keys"]
    for index in (0, 1):
        own = {(doc, node): count for doc, node, count in taken.get(str(index), ())}
        assert all(counts[index, int(doc), node] == count for (doc, node), count in own.items())
        large = {
            (str(doc), key): n for (p, doc, key), n in counts.items() if p == index and n * 1024 >= len(rows)
        }
        assert own.items() <= large.items() and len(own) == min(16, len(large))
        assert sorted(own.values()) == sorted(large.values())[-16:]
    assert load.take() == {"sizes": {}, "keys": {}}


def test_what_is_said_of_tasks_that_are_left() -> None:
    keys = TaskKeys(
        32, {3: KeyCount("po.xml", 12, 310_000), 4: KeyCount("po.xml", None, 5)}, " of 1,000,000 records"
    )
    assert keys.left(2, [4, 3, 9]) == "2 of 32 tasks left, at 'po.xml' node 12 (310,000 of 1,000,000 records)"
    assert keys.left(1, [4]) == "1 of 32 tasks left, at 'po.xml' (5 of 1,000,000 records)"
    assert keys.left(1, [9]) == keys.left(1, []) == "1 of 32 tasks left"


def test_of_very_many_keys_the_largest_stay() -> None:
    counter = KeyCounter(2)
    for number in range(1, 7):
        counter.keys["d", number] += number
        counter.forget_small()
    assert counter.records == 21 and counter.number == "more than 2"
    assert counter.largest(2) == (KeyCount("d", 6, 6), KeyCount("d", 5, 5))
