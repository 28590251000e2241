"""The audit as a Spark job: read and route, shuffle by bucket, replay each bucket, put the findings in order.

One pass over the log, whatever the rules: what it says is kept on the workers' disks, so that what only the
log as a whole tells (where segments meet, the ends of documents) is known before the replay.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ...log.json_codec import FASTEST
from ...rules import PlainRules, Rules
from ..failures import Failure, Failures
from ..findings.collector import Collector
from ..inputs import LogFile
from ..plan.partition_key import make_plan
from ..progress import LastTasks, Progress, watched
from ..rule_counts import records_by_rule, type_of
from ..splits import SPLIT_BYTES, Split, make_splits
from .bucket_tasks import BucketTasks
from .chunk_rdds import exchange, keep, parcels_in
from .chunks import Chunk, ChunkKind
from .failures import explained
from .finding_chunks import FindingRanges
from .finding_order import FindingsPlace, OrderedFindings
from .firings import FiringFailure, FiringPlaces
from .mapper import Keep
from .parcels import ContentFiles, Parcel, common_files
from .report_accumulator import Reports, TaskReports, reports_accumulator
from .segment_merge import SegmentMerge
from .tables import CHUNK_DDL, RECORD_DDL, SentFindings
from .task_reports import FoundSizes, Topic
from .tasks import map_task, order_task, place_task, replay_task, route_sorted_task, select_task
from .whole_log import WholeLog

if TYPE_CHECKING:
    from pyspark import RDD, Accumulator
    from pyspark.core.broadcast import Broadcast
    from pyspark.sql import SparkSession

T = TypeVar("T")

_BYTES_PER_PARTITION = 64 * 2**20
_MOST_SMALL_PARTITIONS = 64
_TASKS_PER_CORE = 2
_BUCKETS_PER_CORE = 16  # more than tasks, so that one with a large key can have a task for itself
_RECORDS_PER_RANGE = 500_000
_RECORDS_AT_ONCE = 4096  # in an Arrow batch
_BATCH_SETTING = "spark.sql.execution.arrow.maxRecordsPerBatch"


class SparkAudit:
    """Replays the records of files under a Spark session and puts what it finds into ``collector``.

    ``partitions`` is the number of buckets and shuffle partitions (default: by the size of the log and the cores).
    ``until``: as far as time goes on at the end of each document (W6).
    With ``by_event`` findings come by event type; with ``by_file`` it is noted of each file which documents it has.
    ``place`` is the empty file that is to hold the findings and nothing else: tasks that see it write them there, if
    they know where, and they come without their text.
    """

    def __init__(
        self,
        spark: SparkSession,
        rules: Rules,
        collector: Collector,
        *,
        operators: bool,
        keep: Keep | None = None,
        partitions: int | None = None,
        until: str | None = None,
        split_bytes: int = SPLIT_BYTES,
        progress: Progress | None = None,
        by_event: bool = False,
        by_file: bool = False,
        place: Path | None = None,
    ) -> None:
        self._spark = spark
        self._rules = PlainRules.of(rules)
        self._collector = collector
        self._plan = make_plan(rules)
        self._operators = operators
        self._keep = keep
        self._partitions = partitions
        self._until = until
        self._split_bytes = split_bytes
        self._progress = progress
        self._by_event = by_event
        self._by_file = by_file
        self._place = place
        self._sizes = FoundSizes()
        self._levels = 1 + max(each.level for each in self._plan.passes)
        self._read = spark.sparkContext.accumulator(0)  # records
        self._routed_files = self._files = ContentFiles(None)
        self._step = 0
        self._steps = self._levels + 2 + self._plan.fires_in_keys

    def run(self, files: Sequence[LogFile], withheld: Callable[[], set[str]]) -> Iterator[OrderedFindings]:
        """The findings in their order; ``withheld`` is asked, when all records were read, whose to leave out."""
        splits = make_splits(files, self._split_bytes)
        buckets = self._partitions or self._default_partitions(files)
        with ExitStack() as stack, explained():
            self._files = stack.enter_context(common_files(shared=self._has_one_machine))
            # What was routed is gone before findings are written: what is not on the disk by then never gets there, and
            # its memory is used again.
            with common_files(shared=self._has_one_machine) as self._routed_files:
                routed, merge = self._routed(splits, buckets, stack)
                merge.collect(self._collector)
                records = merge.records
                ranges = FindingRanges.of(merge.extents(), self._records_per_range(records))
                whole = merge.whole(ranges)
                replayed, reports = self._replayed(routed, merge, buckets, whole, records, stack)
                self._collect_reports(reports, FiringPlaces(whole), routed)
            with self._watched("writing", stages=2):
                ordered = self._ordered(replayed, ranges, withheld())
                for findings in self._in_turn(ordered, stack):
                    yield findings.opened()

    # ---- steps ------------------------------------------------------------------------------------------

    def _routed(
        self, splits: Sequence[Split], buckets: int, stack: ExitStack
    ) -> tuple[RDD[Parcel], SegmentMerge]:
        """The chunks of the log, and what its segments have to report."""
        reports, told = self._reports(stack)
        task = map_task(
            self._rules, buckets, splits, self._keep, told, self._read, self._routed_files, by_file=self._by_file
        )  # fmt: skip
        with self._watched("reading"):
            context, tasks = self._spark.sparkContext, self._map_tasks(splits)
            routed = self._kept(context.parallelize(range(len(splits)), tasks).mapPartitions(task), stack)
        merge = SegmentMerge(splits, reports.read(), self._plan, buckets, self._until)
        again = None
        if merge.to_sort:
            reports, told = self._reports(stack)
            self._steps += 1
            with self._watched("sorting", stages=2):
                again = self._kept(self._route_sorted(splits, merge, buckets, told), stack)
            merge.add_sorted(reports.read())
        if merge.bad:
            for number, chunks in enumerate((routed, again)):
                for chunk in () if chunks is None else self._fetched(chunks, ChunkKind.BAD_RECORD):
                    merge.collect_bad(chunk, self._collector, again=number > 0)
        return routed if again is None else routed.union(again), merge

    def _route_sorted(
        self, splits: Sequence[Split], merge: SegmentMerge, buckets: int, reports: Accumulator[Reports]
    ) -> RDD[Parcel]:
        """The documents whose records do not stand in order: read again, sorted, routed."""
        concerned = merge.splits_to_sort()
        selected = self._spark.range(0, len(concerned), 1, self._map_tasks(concerned)).mapInArrow(
            select_task(self._rules, concerned, merge.to_sort, self._keep), RECORD_DDL
        )
        columns = ("doc", "ts", "clock", "part", "number")  # change records, which have no clock, come first
        ordered = selected.repartition(self._cores * 2, "doc").sortWithinPartitions(*columns)
        with self._batches_of(_RECORDS_AT_ONCE):
            task = route_sorted_task(self._rules, buckets, splits, reports)
            return parcels_in(ordered.mapInArrow(task, CHUNK_DDL), self._routed_files)

    def _replayed(
        self, routed: RDD[Parcel], merge: SegmentMerge, buckets: int, log: WholeLog, records: int,
        stack: ExitStack,
    ) -> tuple[RDD[Parcel], list[TaskReports]]:  # fmt: skip
        """What the levels of the plan answer, one after the other, and what the replays of buckets report in each."""
        context = self._spark.sparkContext
        late = [Parcel.of(chunk, self._files) for chunk in merge.seams.chunks()]
        whole = context.broadcast(log)
        stack.callback(_forget, whole)
        answers: list[RDD[Parcel]] = []
        done: list[TaskReports] = []
        for level in range(self._levels):
            its = [parcel for parcel in late if parcel.chunk.level == level]
            inputs = context.union([routed, *answers, *([context.parallelize(its, 1)] if its else [])])
            division = merge.loads.tasks(level, self._cores)
            shuffled = exchange(inputs, division.tasks, _rows_of(level, division))
            reports, told = self._reports(stack)
            task = replay_task(self._rules, buckets, whole, told, self._files, operators=self._operators)
            keys = merge.loads.largest_keys(level, division, records)
            with self._watched("replaying", stages=2, last=keys):
                answers.append(self._kept(shuffled.mapPartitions(task), stack))
            done.append(reports)
            for report in reports.read(Topic.LOAD):
                merge.loads.add(FASTEST.loads(report.content))
            self._add_sizes(reports)
        if self._plan.fires_in_keys:
            reports, told = self._reports(stack)
            placed = self._placed(context.union([routed, *answers]), whole, told)
            with self._watched("replaying", stages=2):
                answers.append(self._kept(placed, stack))
            self._add_sizes(reports)
        return context.union(answers), done

    def _add_sizes(self, reports: TaskReports) -> None:
        for report in reports.read(Topic.FOUND):
            self._sizes.add(report)

    def _placed(
        self, chunks: RDD[Parcel], whole: Broadcast[WholeLog], reports: Accumulator[Reports]
    ) -> RDD[Parcel]:
        """The findings of timers with their time points."""
        tasks = _TASKS_PER_CORE * self._cores
        timed = (ChunkKind.FIRINGS, ChunkKind.CLOCKS)
        shuffled = exchange(
            chunks, tasks, lambda chunk: chunk.segment % tasks if chunk.kind in timed else None
        )
        return shuffled.mapPartitions(place_task(whole, reports, self._files))

    def _collect_reports(
        self, reports: Iterable[TaskReports], places: FiringPlaces, routed: RDD[Parcel]
    ) -> None:
        """What the replays say of themselves: seconds by document, records by pass, operation and path, failures."""
        records: list[Counter[str]] = [Counter() for _ in self._plan.passes]
        failures = Failures(self._plan.rules)
        contents = (each.content for of_level in reports for each in of_level.read(Topic.REPLAY))
        for report in map(FASTEST.loads, contents):
            for doc, seconds in report["seconds"].items():
                self._collector.seconds(doc, seconds)
            for doc, failure in report["failures"].items():
                failures.add(doc, Failure(*failure))
            for found in (FiringFailure(*each) for each in report["firing_failures"]):
                clocks = self._fetched(routed, ChunkKind.CLOCKS, segment=found.segment)
                failures.add(found.doc, places.failure(found, clocks))
            for index, counts in report["records"].items():
                records[int(index)].update(counts)
        failures.check()
        for each in self._plan.passes:
            by_type = {type_of(text): count for text, count in records[each.index].items()}
            self._collector.count_for_rules(records_by_rule(self._plan.rules, by_type, each.names))

    def _ordered(self, replayed: RDD[Parcel], ranges: FindingRanges, withheld: set[str]) -> RDD[SentFindings]:
        """The findings of each range in order, ranges in their order."""
        chunks = exchange(
            replayed, len(ranges), lambda chunk: chunk.target if chunk.kind == ChunkKind.FINDINGS else None
        )
        place = None
        if self._place is not None and self._has_one_machine and not withheld:
            place = FindingsPlace(str(self._place), self._sizes.starts(len(ranges)))
        task = order_task(self._rules, withheld, self._files, place, by_event=self._by_event)
        return chunks.mapPartitions(task)

    # ---- details ----------------------------------------------------------------------------------------

    def _reports(self, stack: ExitStack) -> tuple[TaskReports, Accumulator[Reports]]:
        """What tasks are going to report, and the accumulator that they report to."""
        reports = TaskReports()
        stack.callback(reports.close)
        return reports, reports_accumulator(self._spark.sparkContext, reports)

    def _map_tasks(self, splits: Sequence[Split]) -> int:
        """So many tasks as there is use for to read splits, neighbours together."""
        return min(len(splits), max(4 * self._cores, len(splits) // 16))

    def _watched(
        self, stage: str, stages: int = 1, last: LastTasks | None = None
    ) -> AbstractContextManager[None]:
        """Tells of the next step while it is done; most of the work is that of so many stages of Spark, the ``last`` of
        which has these tasks."""
        self._step += 1
        return watched(
            self._spark, self._progress, stage=stage, step=self._step, steps=self._steps,
            records=lambda: self._read.value, stages=stages, last=last,
        )  # fmt: skip

    @property
    def _has_one_machine(self) -> bool:
        """Whether tasks run where this does; other masters than these start them elsewhere, or may."""
        return re.fullmatch(r"local(\[.*\])?", str(self._spark.sparkContext.master)) is not None

    @property
    def _cores(self) -> int:
        return int(self._spark.sparkContext.defaultParallelism)

    def _default_partitions(self, files: Sequence[LogFile]) -> int:
        size = sum(file.size * (1 if file.kind == "plain" else 8) for file in files)
        return max(min(self._cores * _BUCKETS_PER_CORE, _MOST_SMALL_PARTITIONS), size // _BYTES_PER_PARTITION)

    def _records_per_range(self, records: int) -> int:
        """So many of these that all cores have something to put in order, and no range is large."""
        return max(1, min(_RECORDS_PER_RANGE, -(-records // (2 * self._cores))))

    def _kept(self, rdd: RDD[T], stack: ExitStack) -> RDD[T]:
        """Makes what is in it and keeps it on the workers' disks until the audit is over."""
        stack.callback(_forget, rdd)
        return keep(rdd)

    def _in_turn(self, rdd: RDD[T], stack: ExitStack) -> Iterator[T]:
        """Makes what is in it and fetches it, in its order; a partition at a time, if it is more than places."""
        if self._has_one_machine:
            return iter(rdd.collect())
        return self._kept(rdd, stack).toLocalIterator(prefetchPartitions=True)

    def _fetched(self, parcels: RDD[Parcel], kind: ChunkKind, segment: int | None = None) -> Iterator[Chunk]:
        """The chunks of a kind (and segment), in their order; the next are fetched while these are used."""

        def is_wanted(parcel: Parcel) -> bool:
            return parcel.chunk.kind == kind and segment in (None, parcel.chunk.segment)

        wanted = parcels.filter(is_wanted).coalesce(self._cores)
        return map(Parcel.opened, wanted.toLocalIterator(prefetchPartitions=True))

    @contextmanager
    def _batches_of(self, rows: int) -> Iterator[None]:
        """Has Spark hand rows to the workers in batches of so many, in the session of whoever it is."""
        settings = self._spark.conf
        before = settings.get(_BATCH_SETTING)
        settings.set(_BATCH_SETTING, str(rows))
        try:
            yield
        finally:
            with suppress(Exception):  # of a session that is gone
                settings.set(_BATCH_SETTING, str(before))


def _rows_of(level: int, division: BucketTasks) -> Callable[[Chunk], int | None]:
    """Which task a chunk goes to; only those of rows of this level have one."""

    def task_of(chunk: Chunk) -> int | None:
        its = chunk.kind == ChunkKind.ROWS and chunk.level == level
        return division.task_of(chunk.target) if its else None

    return task_of


def _forget(kept: Any) -> None:
    """Deletes what is kept of a frame, or was broadcast; the session does it when it ends, where the JVM does not
    answer any more."""
    with suppress(Exception):
        kept.unpersist()
