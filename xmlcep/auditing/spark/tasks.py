"""What Spark's Python workers run: generators from what a partition holds to what is made of it.

They are made from plain values; rules travel as text, with their reference documents, and are parsed where they are
needed.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, groupby
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import pyarrow as pa

from ...log.json_codec import FASTEST
from ...rules import PlainRules
from ..findings.order import Ranking
from ..plan.partition_key import Plan, make_plan
from ..splits import Split
from .chunk_sorting import in_order
from .chunks import Chunk
from .detector_pool import DetectorPool
from .finding_chunks import FindingChunkWriter
from .finding_order import FindingOrder, FindingsPlace, by_range
from .firings import FiringPlaces
from .mapper import Keep, Mapper
from .parcels import ContentFiles, Parcel
from .replayer import BucketReplayer
from .report_accumulator import Reports, as_entry
from .tables import SentFindings, chunk_batch, record_batch, records_of
from .task_reports import FoundSizes, Report, Topic
from .whole_log import WholeLog

if TYPE_CHECKING:
    from pyspark import Accumulator
    from pyspark.core.broadcast import Broadcast

Batches: TypeAlias = Iterator[pa.RecordBatch]
Parcels: TypeAlias = Iterator[Parcel]
Given = TypeVar("Given")
Made = TypeVar("Made")
Task: TypeAlias = Callable[[Iterable[Given]], Iterator[Made]]


def without_collector(task: Task[Given, Made], broadcast: Broadcast[Any] | None = None) -> Task[Given, Made]:
    """Runs a task with the cyclic garbage collector off: nothing here makes cycles, and it costs much.

    What was ``broadcast`` to it is read before: where it is read first PySpark turns the collector on.
    """

    def run(given: Iterable[Given]) -> Iterator[Made]:
        if broadcast is not None:
            _ = broadcast.value
        gc.disable()
        # PySpark collects after each task, through modules, plan and what was broadcast: they live as long as the
        # worker, and going through them takes longer than a small task.
        gc.freeze()
        try:
            yield from task(given)
        finally:
            gc.enable()

    return run


def _as_replayed(chunk: Chunk) -> tuple[int, ...]:
    return chunk.target, chunk.segment, chunk.number


def _as_placed(chunk: Chunk) -> tuple[int, ...]:
    return chunk.segment, chunk.number, chunk.source


def _as_found(chunk: Chunk) -> tuple[int, ...]:
    return chunk.target, chunk.source, chunk.number


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
    read: Accumulator[int], files: ContentFiles, *, by_file: bool = False,
) -> Task[int, Parcel]:  # fmt: skip
    """From indexes of splits to their chunks; the rest goes to ``reports``; ``read`` counts records.

    ``by_file``: reports say of each file which documents are in it.
    """

    def task(indexes: Iterable[int]) -> Parcels:
        mapper = Mapper(_plan(rules), buckets, keep=keep, by_file=by_file)
        for index in indexes:
            for chunk in _chunks(mapper.read(splits[index]), reports):
                yield Parcel.of(chunk, files)
            read.add(mapper.lines)

    return without_collector(task)


def _chunks(items: Iterable[Chunk | Report], reports: Accumulator[Reports]) -> Iterator[Chunk]:
    for item in items:
        if isinstance(item, Chunk):
            yield item
        else:
            reports.add(as_entry(item))


def select_task(
    rules: PlainRules, splits: Sequence[Split], docs: frozenset[str], keep: Keep | None
) -> Task[pa.RecordBatch, pa.RecordBatch]:
    """From indexes of splits to the records of some documents, both in batches."""

    def task(batches: Iterable[pa.RecordBatch]) -> Batches:
        mapper = Mapper(_plan(rules), 1, keep=keep)
        for batch in batches:
            for index in batch.column(0).to_pylist():
                for records in mapper.select(splits[index], docs):
                    if records:
                        yield record_batch(records)

    return without_collector(task)


def route_sorted_task(
    rules: PlainRules, buckets: int, splits: Sequence[Split], reports: Accumulator[Reports]
) -> Task[pa.RecordBatch, pa.RecordBatch]:
    """From records sorted by document, ts, time of a clock record, part of the log and number to their chunks, both in
    batches."""

    def task(batches: Iterable[pa.RecordBatch]) -> Batches:
        mapper = Mapper(_plan(rules), buckets)
        parts = {part.place: part for split in splits for part in split.parts}
        records = (record for batch in batches for record in records_of(batch))
        for chunk in _chunks(mapper.route_sorted(records, parts), reports):
            yield chunk_batch([chunk])

    return without_collector(task)


def replay_task(
    rules: PlainRules, buckets: int, whole: Broadcast[WholeLog], reports: Accumulator[Reports],
    files: ContentFiles, *, operators: bool,
) -> Task[Parcel, Parcel]:  # fmt: skip
    """From chunks of rows, in any order, to chunks of findings and of composites for later levels; what
    was done goes to ``reports``.

    What is known of the ``whole`` log is broadcast: it grows with the documents, and a worker runs many tasks.
    """

    def task(parcels: Iterable[Parcel]) -> Parcels:
        plan, detectors = _plan(rules), _detectors(rules, operators=operators)
        ordered = in_order(parcels, _as_replayed)
        first = next(ordered, None)
        if first is None:
            return
        findings = FindingChunkWriter(Ranking(plan.rules), first.target, whole.value.ranges)

        def answers() -> Iterator[Chunk]:
            for bucket, its_chunks in groupby(chain([first], ordered), key=lambda chunk: chunk.target):
                replayer = BucketReplayer(plan, bucket, buckets, whole.value, detectors, findings)
                yield from replay_segments(replayer, its_chunks)
                reports.add(as_entry(replay_report(replayer, bucket)))
                reports.add(as_entry(Report(Topic.LOAD, bucket, "", FASTEST.dumps(replayer.load.take()))))
            yield from findings.take()

        found = FoundSizes()
        for answer in found.counted(answers()):
            yield Parcel.of(answer, files)
        reports.add(as_entry(found.report(first.target)))

    return without_collector(task, whole)


def place_task(
    whole: Broadcast[WholeLog], reports: Accumulator[Reports], files: ContentFiles
) -> Task[Parcel, Parcel]:
    """From chunks of firings and clocks, in any order, to chunks of findings."""

    def task(parcels: Iterable[Parcel]) -> Parcels:
        ordered = in_order(parcels, _as_placed)
        for segment, its_chunks in groupby(ordered, key=lambda chunk: chunk.segment):
            found = FoundSizes()
            for placed in found.counted(FiringPlaces(whole.value).findings(its_chunks)):
                yield Parcel.of(placed, files)
            reports.add(as_entry(found.report(segment)))

    return without_collector(task, whole)


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


def order_task(
    rules: PlainRules, withheld: Collection[str], files: ContentFiles, place: FindingsPlace | None, *,
    by_event: bool,
) -> Task[Parcel, SentFindings]:  # fmt: skip
    """From chunks of findings, in any order, to the findings in theirs; without those that it has written, if they have
    a ``place``."""

    def task(parcels: Iterable[Parcel]) -> Iterator[SentFindings]:
        order = FindingOrder(Ranking(_plan(rules).rules), withheld=withheld, by_event=by_event)
        for number, its_chunks in by_range(in_order(parcels, _as_found)):
            ordered = order.order(its_chunks)
            for findings in ordered if place is None else place.written(number, ordered):
                yield SentFindings.of(findings, files)

    return without_collector(task)


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
