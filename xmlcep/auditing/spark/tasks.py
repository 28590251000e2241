"""What Spark's Python workers run: generators from Arrow batches to Arrow batches.

They are made from plain values; rules travel as text, with their reference documents, and are parsed where they are
needed.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from typing import TYPE_CHECKING, TypeAlias

import pyarrow as pa

from ...log.json_codec import FASTEST
from ...rules import PlainRules
from ..findings.order import Ranking
from ..plan.partition_key import Plan, make_plan
from ..splits import Split
from .chunks import Chunk
from .detector_pool import DetectorPool
from .finding_order import FindingOrder, by_range
from .firings import FiringPlaces
from .mapper import Keep, Mapper
from .replayer import BucketReplayer
from .report_accumulator import Reports, as_entry
from .tables import chunk_batch, chunks_of, ordered_batch, record_batch, records_of
from .task_reports import Report, Topic
from .whole_log import WholeLog

if TYPE_CHECKING:
    from pyspark import Accumulator
    from pyspark.core.broadcast import Broadcast

Batches: TypeAlias = Iterator[pa.RecordBatch]
Task: TypeAlias = Callable[[Batches], Batches]


def _without_collector(task: Task) -> Task:
    """Runs a task with the cyclic garbage collector off: nothing here makes cycles, and it costs much."""

    def run(batches: Batches) -> Batches:
        gc.disable()
        # PySpark collects after each task, through modules, plan and what was broadcast: they live as long as the
        # worker, and going through them takes longer than a small task.
        gc.freeze()
        try:
            yield from task(batches)
        finally:
            gc.enable()

    return run


@lru_cache(maxsize=4)
def _plan(rules: PlainRules) -> Plan:
    """The plan for rules; a worker process runs many tasks of a job."""
    return make_plan(rules.parse())


@lru_cache(maxsize=4)
def _detectors(rules: PlainRules, *, operators: bool) -> DetectorPool:
    """Detectors for rules, for all tasks of a worker."""
    return DetectorPool(_plan(rules), operators=operators)


def map_task(
    rules: PlainRules, buckets: int, splits: Sequence[Split], keep: Keep | None, reports: Accumulator[Reports],
    read: Accumulator[int], *, by_file: bool = False,
) -> Task:  # fmt: skip
    """From indexes of splits to their chunks; the rest goes to ``reports``; ``read`` counts records.

    ``by_file``: reports say of each file which documents are in it.
    """

    def task(batches: Batches) -> Batches:
        mapper = Mapper(_plan(rules), buckets, keep=keep, by_file=by_file)
        for batch in batches:
            for index in batch.column(0).to_pylist():
                yield from _chunks(mapper.read(splits[index]), reports)
                read.add(mapper.lines)

    return _without_collector(task)


def _chunks(items: Iterable[Chunk | Report], reports: Accumulator[Reports]) -> Batches:
    for item in items:
        if isinstance(item, Chunk):
            yield chunk_batch([item])
        else:
            reports.add(as_entry(item))


def select_task(rules: PlainRules, splits: Sequence[Split], docs: frozenset[str], keep: Keep | None) -> Task:
    """From indexes of splits to the records of some documents."""

    def task(batches: Batches) -> Batches:
        mapper = Mapper(_plan(rules), 1, keep=keep)
        for batch in batches:
            for index in batch.column(0).to_pylist():
                for records in mapper.select(splits[index], docs):
                    if records:
                        yield record_batch(records)

    return _without_collector(task)


def route_sorted_task(
    rules: PlainRules, buckets: int, splits: Sequence[Split], reports: Accumulator[Reports]
) -> Task:
    """From records sorted by document, ts, time of a clock record, part of the log and number to their chunks."""

    def task(batches: Batches) -> Batches:
        mapper = Mapper(_plan(rules), buckets)
        parts = {part.place: part for split in splits for part in split.parts}
        records = (record for batch in batches for record in records_of(batch))
        yield from _chunks(mapper.route_sorted(records, parts), reports)

    return _without_collector(task)


def replay_task(
    rules: PlainRules, buckets: int, whole: Broadcast[WholeLog], reports: Accumulator[Reports], *,
    operators: bool,
) -> Task:  # fmt: skip
    """From chunks sorted by bucket, segment and number to chunks of findings and of composites for later levels; what
    was done goes to ``reports``.

    What is known of the ``whole`` log is broadcast: it grows with the documents, and a worker runs many tasks.
    """

    def task(batches: Batches) -> Batches:
        plan, detectors = _plan(rules), _detectors(rules, operators=operators)
        chunks = (chunk for batch in batches for chunk in chunks_of(batch))
        for bucket, its_chunks in groupby(chunks, key=lambda chunk: chunk.target):
            replayer = BucketReplayer(plan, bucket, buckets, whole.value, detectors)
            for answer in replay_segments(replayer, its_chunks):
                yield chunk_batch([answer])
            reports.add(as_entry(replay_report(replayer, bucket)))
            reports.add(as_entry(Report(Topic.LOAD, bucket, "", FASTEST.dumps(replayer.load.take()))))

    return _without_collector(task)


def place_task(whole: Broadcast[WholeLog]) -> Task:
    """From chunks of firings and clocks, sorted by segment and number, to chunks of findings."""

    def task(batches: Batches) -> Batches:
        places = FiringPlaces(whole.value)
        for found in places.findings(chunk for batch in batches for chunk in chunks_of(batch)):
            yield chunk_batch([found])

    return _without_collector(task)


def replay_report(replayer: BucketReplayer, bucket: int) -> Report:
    """What a replay did, as a JSON object.

    ``seconds``: how long each document took; ``records``: how many each pass was fed, by operation and path;
    ``failures``: why documents cannot be replayed to their end, ``firing_failures`` the same of timers.
    """
    records = {str(index): counts for index, counts in replayer.records.items()}
    failures = {doc: list(failure) for doc, failure in replayer.failures.by_document.items()}
    content = FASTEST.dumps(
        {
            "seconds": replayer.seconds, "records": records, "failures": failures,
            "firing_failures": [list(each) for each in replayer.firing_failures],
        }
    )  # fmt: skip
    return Report(Topic.REPLAY, bucket, "", content)


def order_task(rules: PlainRules, withheld: Collection[str], *, by_event: bool) -> Task:
    """From chunks of findings sorted by range, segment, source and number to the findings in their order."""

    def task(batches: Batches) -> Batches:
        order = FindingOrder(Ranking(_plan(rules).rules), withheld=withheld, by_event=by_event)
        chunks = (chunk for batch in batches for chunk in chunks_of(batch))
        for target, its_chunks in by_range(chunks):
            for number, findings in enumerate(order.order(its_chunks)):
                yield ordered_batch(target, number, findings)

    return _without_collector(task)


def replay_segments(replayer: BucketReplayer, chunks: Iterable[Chunk]) -> Iterator[Chunk]:
    """Replays the chunks of a bucket to the end, given in the order of segment and number.

    Those of a segment are taken one after the other, or all at once if some have their places between others.
    """
    for segment, together in groupby(chunks, key=lambda chunk: chunk.segment):
        interleaved: list[bytes] = []
        others: list[bytes] = []
        for chunk in together:
            if chunk.is_interleaved:
                interleaved.append(chunk.content)
            elif interleaved:
                others.append(chunk.content)
            else:
                yield from replayer.replay(segment, [chunk.content])
        if interleaved:
            # What has the same place stands behind the others: external events from the next segment do (L7).
            yield from replayer.replay(segment, [*others, *interleaved], sort=True)
    yield from replayer.finish()
