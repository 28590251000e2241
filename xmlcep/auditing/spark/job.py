"""The audit as a Spark job: read and route, shuffle by bucket, replay each bucket, put the findings in order.

One pass over the log, whatever the rules: what it says is kept on the workers' disks, so that what only the
log as a whole tells (where segments meet, the ends of documents) is known before the replay.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from functools import reduce
from typing import TYPE_CHECKING, Any

from ...log.json_codec import FASTEST
from ...rules import PlainRules, Rules
from ..findings.collector import Collector
from ..findings.order import Ranking
from ..inputs import SPLIT_BYTES, LogFile, Split, make_splits
from ..plan.partition_key import make_plan
from ..progress import Progress, watched
from ..rule_counts import kind_of, records_by_rule
from .chunks import Chunk
from .document_merge import seam_chunks
from .failures import explained
from .finding_chunks import FOUND, Part, in_order
from .mapper import Keep
from .report_accumulator import Reports, reports_accumulator, reports_in
from .segment_merge import SegmentMerge
from .tables import CHUNK_DDL, RECORD_DDL
from .task_reports import BAD
from .tasks import TOLD, map_task, replay_task, route_sorted_task, select_task

if TYPE_CHECKING:
    from pyspark import Accumulator
    from pyspark.sql import DataFrame, SparkSession

Findings = tuple[list[tuple[str, str, int]], bytes]
"""Findings in their order, as lines, with how many there are per document and event type."""

_BYTES_PER_PARTITION = 64 * 2**20
_MOST_SMALL_PARTITIONS = 8
# Rows per Arrow batch: of chunks, which are large, and of records.
_CHUNKS_AT_ONCE = 32
_RECORDS_AT_ONCE = 4096
_BATCH_SETTING = "spark.sql.execution.arrow.maxRecordsPerBatch"


class SparkAudit:
    """Replays the records of files under a Spark session and puts what it finds into ``collector``.

    ``partitions`` is the number of buckets and shuffle partitions (default: by the size of the log and the cores).
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
        split_bytes: int = SPLIT_BYTES,
        progress: Progress | None = None,
    ) -> None:
        self._spark = spark
        self._rules = PlainRules.of(rules)
        self._collector = collector
        self._plan = make_plan(rules)
        self._ranking = Ranking(rules)
        self._operators = operators
        self._keep = keep
        self._partitions = partitions
        self._split_bytes = split_bytes
        self._progress = progress
        self._levels = 1 + max(each.level for each in self._plan.passes)
        self._read = spark.sparkContext.accumulator(0)  # records
        self._step = 0
        self._steps = self._levels + 2

    def run(self, files: Sequence[LogFile], withheld: Callable[[], set[str]]) -> Iterator[Findings]:
        """The findings in their order; ``withheld`` is asked, when all records were read, whose to leave out."""
        splits = make_splits(files, self._split_bytes)
        buckets = self._partitions or self._default_partitions(files)
        with ExitStack() as stack, explained():
            stack.enter_context(self._batches_of(_CHUNKS_AT_ONCE))
            routed, merge = self._routed(splits, buckets, stack)
            merge.collect(self._collector)
            replayed = self._replayed(routed, merge, buckets, stack)
            self._collect_told(replayed)
            parts = self._parts(replayed.where(f"level = {FOUND}"), withheld(), buckets)
            with self._watched("writing", stages=buckets):
                yield from self._in_order(parts, single=len(merge.documents) < 2)

    # ---- steps ------------------------------------------------------------------------------------------

    def _routed(
        self, splits: Sequence[Split], buckets: int, stack: ExitStack
    ) -> tuple[list[DataFrame], SegmentMerge]:
        """The chunks of the log, and what its segments have to report."""
        reports = reports_accumulator(self._spark.sparkContext)
        task = map_task(self._rules, buckets, splits, self._keep, reports, self._read)
        with self._watched("reading"):
            first = self._kept(self._indexes(splits).mapInArrow(task, CHUNK_DDL), stack)
        merge = SegmentMerge(splits, reports_in(reports), buckets)
        frames = [first]
        if merge.to_sort:
            reports = reports_accumulator(self._spark.sparkContext)
            self._steps += 1
            with self._watched("sorting", stages=2):
                frames.append(self._kept(self._route_sorted(splits, merge, buckets, reports), stack))
            merge.add_sorted(reports_in(reports))
        if merge.bad:
            for number, frame in enumerate(frames):
                for chunk in _chunks(frame.where(f"level = {BAD}")):
                    merge.collect_bad(chunk, self._collector, again=number > 0)
        return frames, merge

    def _route_sorted(
        self, splits: Sequence[Split], merge: SegmentMerge, buckets: int, reports: Accumulator[Reports]
    ) -> DataFrame:
        """The documents whose records do not stand in order: read again, sorted, routed."""
        files = merge.files_of(merge.to_sort)
        concerned = [split for split in splits if split.file.place in files]
        selected = self._indexes(concerned).mapInArrow(
            select_task(self._rules, concerned, merge.to_sort, self._keep), RECORD_DDL
        )
        ordered = selected.repartition(self._cores * 2, "doc").sortWithinPartitions(
            "doc",
            "ts",
            "clock",
            "split",
            "number",  # what has no clock comes first
        )
        with self._batches_of(_RECORDS_AT_ONCE):
            return ordered.mapInArrow(route_sorted_task(self._rules, buckets, splits, reports), CHUNK_DDL)

    def _replayed(
        self, routed: Sequence[DataFrame], merge: SegmentMerge, buckets: int, stack: ExitStack
    ) -> DataFrame:
        """What the levels of the plan answer, one after the other."""
        seams = list(seam_chunks(merge.seams(), self._plan, buckets))
        task = replay_task(
            self._rules, buckets, merge.ends(), merge.headers(), merge.to_sort,
            operators=self._operators,
        )  # fmt: skip
        answers: list[DataFrame] = []
        for level in range(self._levels):
            inputs = [frame.where(f"level = {level}") for frame in (*routed, *answers)]
            late = [tuple(edge) for edge in seams if edge.level == level]
            if late:
                inputs.append(self._spark.createDataFrame(late, CHUNK_DDL))
            shuffled = _union(inputs).repartitionById(buckets, "bucket")
            ordered = shuffled.sortWithinPartitions("segment", "number")
            with self._watched("replaying", stages=2):
                answers.append(self._kept(ordered.mapInArrow(task, CHUNK_DDL), stack))
        return _union(answers)

    def _collect_told(self, replayed: DataFrame) -> None:
        """What the replays say of themselves: seconds by document, records by pass, operation and path."""
        taken: list[Counter[str]] = [Counter() for _ in self._plan.passes]
        for chunk in _chunks(replayed.where(f"level = {TOLD}")):
            told = FASTEST.loads(chunk.content)
            for doc, seconds in told["seconds"].items():
                self._collector.seconds(doc, seconds)
            for index, counts in told["records"].items():
                taken[int(index)].update(counts)
        for each in self._plan.passes:
            by_kind = {kind_of(text): count for text, count in taken[each.index].items()}
            self._collector.takes(records_by_rule(self._plan.rules, by_kind, each.names))

    def _parts(self, found: DataFrame, withheld: set[str], partitions: int) -> Iterator[Part]:
        """Findings by segment and document, each part in order."""
        ordered = found.repartitionByRange(partitions, "segment").sortWithinPartitions(
            "segment", "bucket", "number"
        )
        for part in in_order(_chunks(ordered), self._ranking, self._collector.spool):
            if part.doc not in withheld:
                yield part

    def _in_order(self, parts: Iterable[Part], *, single: bool) -> Iterator[Findings]:
        """Findings by document; where there is a ``single`` one they are already."""
        spool = self._collector.spool
        for number, part in enumerate(parts):
            counts = [(part.doc, name, count) for name, count in part.counts.items()]
            if single:
                yield counts, part.text
            else:
                spool.add_findings(part.doc, number, part.text)
                yield counts, b""
        for _, text in spool.findings():
            yield [], text

    # ---- details ----------------------------------------------------------------------------------------

    def _indexes(self, splits: Sequence[Split]) -> DataFrame:
        """The splits' indexes, neighbours together, in as many tasks as there is use for."""
        tasks = min(len(splits), max(4 * self._cores, len(splits) // 16))
        return self._spark.range(0, len(splits), 1, tasks)

    def _watched(self, stage: str, stages: int = 1) -> AbstractContextManager[None]:
        """Tells of the next step while it is done; most of the work is that of so many stages of Spark."""
        self._step += 1
        return watched(
            self._spark, self._progress, stage=stage, step=self._step, steps=self._steps,
            records=lambda: self._read.value, stages=stages,
        )  # fmt: skip

    @property
    def _cores(self) -> int:
        return int(self._spark.sparkContext.defaultParallelism)

    def _default_partitions(self, files: Sequence[LogFile]) -> int:
        size = sum(file.size * (1 if file.kind == "plain" else 8) for file in files)
        cores = self._cores
        enough = max(min(cores * 2, _MOST_SMALL_PARTITIONS), size // _BYTES_PER_PARTITION)
        return -(-enough // cores) * cores  # or some cores would have nothing to do in the last round

    def _kept(self, frame: DataFrame, stack: ExitStack) -> DataFrame:
        """Runs what makes the frame and keeps it on the workers' disks until the audit is over."""
        from pyspark import StorageLevel

        frame.persist(StorageLevel.DISK_ONLY)
        stack.callback(_forget, frame)
        frame.count()
        return frame

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


def _union(frames: Sequence[DataFrame]) -> DataFrame:
    return reduce(lambda one, other: one.union(other), frames)


def _chunks(frame: DataFrame) -> Iterator[Chunk]:
    """The chunks of a frame, in its order; the next are fetched while these are used."""
    for row in frame.toLocalIterator(prefetchPartitions=True):
        yield Chunk(row.level, row.bucket, row.segment, row.number, bytes(row.content))


def _forget(frame: Any) -> None:
    """Deletes what is kept of a frame; the session does it when it ends, where the JVM does not answer any more."""
    with suppress(Exception):
        frame.unpersist()
