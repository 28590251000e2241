"""The Spark job's steps done by plain Python, so that thousands of examples can be tried."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from xmlcep.auditing.spark.chunks import Chunk, ChunkKind
from xmlcep.auditing.spark.detector_pool import DetectorPool
from xmlcep.auditing.spark.finding_chunks import FindingChunkWriter, FindingRanges
from xmlcep.auditing.spark.finding_order import MOST_BYTES, FindingOrder, by_range
from xmlcep.auditing.spark.firings import FiringPlaces
from xmlcep.auditing.spark.mapper import Keep, Mapper, SelectedRecord
from xmlcep.auditing.spark.replayer import BucketReplayer
from xmlcep.auditing.spark.segment_merge import SegmentMerge
from xmlcep.auditing.spark.task_reports import Report
from xmlcep.auditing.spark.tasks import replay_segments

from xmlcep.auditing.failures import Failures
from xmlcep.auditing.findings.collector import Collector
from xmlcep.auditing.findings.order import Ranking
from xmlcep.auditing.inputs import find_files
from xmlcep.auditing.plan.partition_key import make_plan
from xmlcep.auditing.splits import make_splits
from xmlcep.rules import Rules


def simulate(
    logs: Sequence[Path],
    rules: Rules,
    collector: Collector,
    *,
    split_bytes: int,
    segment_records: int,
    operators: bool,
    buckets: int = 3,
    most_bytes: int = MOST_BYTES,
    records_per_range: int = 7,
    batch_size: int | None = 3,
    keep: Keep | None = None,
    until: str | None = None,
) -> list[bytes]:
    """The findings' lines, as the distributed audit computes them; ``split_bytes`` is also a number of records."""
    splits = make_splits(find_files(logs).files, split_bytes, split_bytes)
    plan = make_plan(rules)

    def mapper() -> Mapper:
        return Mapper(
            plan, buckets, keep=keep, segment_records=segment_records, batch_size=batch_size,
            by_file=collector.quarantine.by_file,
        )  # fmt: skip

    reader = mapper()
    routed, reports = _divided(item for split in splits for item in reader.read(split))
    merge = SegmentMerge(splits, reports, plan, buckets, until)
    for chunk in routed:
        if chunk.kind == ChunkKind.BAD_RECORD:
            merge.collect_bad(chunk, collector)
    if merge.to_sort:
        selected = [
            record
            for split in merge.splits_to_sort()
            for records in mapper().select(split, merge.to_sort)
            for record in records
        ]
        selected.sort(key=_in_spark)
        parts = {part.place: part for split in splits for part in split.parts}
        again, reports = _divided(mapper().route_sorted(selected, parts))
        merge.add_sorted(reports)
        routed += again
        for chunk in again:
            if chunk.kind == ChunkKind.BAD_RECORD:
                merge.collect_bad(chunk, collector, again=True)
    merge.collect(collector)
    ranges = FindingRanges.of(merge.extents(), records_per_range)
    chunks = routed + list(merge.seams.chunks())
    failures = Failures(rules)
    detectors = DetectorPool(plan, operators=operators)
    whole = merge.whole(ranges)
    for level in range(1 + max(each.level for each in plan.passes)):
        findings = FindingChunkWriter(Ranking(rules), level, ranges)
        for bucket in range(buckets):
            replayer = BucketReplayer(plan, bucket, buckets, whole, detectors, findings)
            wanted = (ChunkKind.ROWS, level, bucket)
            own = [chunk for chunk in chunks if (chunk.kind, chunk.level, chunk.target) == wanted]
            chunks += replay_segments(replayer, sorted(own, key=lambda chunk: (chunk.segment, chunk.number)))
            for doc, failure in replayer.failures.by_document.items():
                failures.add(doc, failure)
            for found_late in replayer.firing_failures:
                clocks = [
                    chunk
                    for chunk in chunks
                    if chunk.kind == ChunkKind.CLOCKS and chunk.segment == found_late.segment
                ]
                failures.add(found_late.doc, FiringPlaces(whole).failure(found_late, clocks))
        chunks += findings.take()
    failures.check()
    timed = [chunk for chunk in chunks if chunk.kind in (ChunkKind.FIRINGS, ChunkKind.CLOCKS)]
    timed.sort(key=lambda chunk: (chunk.segment, chunk.number, chunk.source))
    chunks += FiringPlaces(whole).findings(timed)
    found = [chunk for chunk in chunks if chunk.kind == ChunkKind.FINDINGS]
    found.sort(key=lambda chunk: (chunk.target, chunk.source, chunk.number))
    assert all(chunk.target < len(ranges) for chunk in found)
    order = FindingOrder(Ranking(rules), most_bytes=most_bytes)
    lines: list[bytes] = []
    for _, of_range in by_range(found):
        for findings in order.order(of_range):
            lines += bytes(findings.text).splitlines()
            for doc, counts in findings.counts.items():
                collector.found(doc, counts)
    return lines


def _divided(items: Iterable[Chunk | Report]) -> tuple[list[Chunk], list[Report]]:
    both = list(items)
    return [each for each in both if isinstance(each, Chunk)], [
        each for each in both if isinstance(each, Report)
    ]


def _in_spark(record: SelectedRecord) -> tuple[object, ...]:
    """As Spark sorts: null before all."""
    return *record[:2], record.clock is not None, record.clock or 0, *record[3:]
