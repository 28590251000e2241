"""The audit as a Spark job: read and route, shuffle by key, replay each key, sort the findings.

One pass over the log, whatever the rules: what it says is kept on the workers' disks, so that what only the
log as a whole tells (where segments meet, the ends of documents) can be added before the replay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING

from ..log.json_codec import FASTEST
from ..rules import Rules
from .collecting import Collector
from .inputs import SPLIT_BYTES, LogFile, Split, make_splits
from .mapping import Keep, Report, Topic
from .plan import make_plan
from .reporting import Reports, reports_accumulator, reports_in
from .routing import Kind, Point
from .settling import Settlement
from .spark_errors import explained
from .tables import CHUNK_DDL, FINDING_DDL, RECORD_DDL, ROUTED_DDL, packed
from .tasks import NO_TREE, chunk_task, map_task, replay_task, route_sorted_task, select_task

if TYPE_CHECKING:
    from pyspark import Accumulator
    from pyspark.sql import DataFrame, SparkSession

Chunk = tuple[list[tuple[str, str, int]], list[bytes]]
"""Findings in their order, with how many there are per document and event type."""

_BYTES_PER_PARTITION = 64 * 2**20
_MOST_SMALL_PARTITIONS = 8
_EDGE_DDL = "segment bigint, doc string, flush_ts bigint, flush_at string"


class SparkAudit:
    """Replays the records of files under a Spark session and puts what it finds into ``collector``.

    ``partitions`` is the number of shuffle partitions (default: by the size of the log and the cores).
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
    ) -> None:
        self._spark = spark
        self._rules = str(rules) if rules.text is None else rules.text
        self._collector = collector
        self._plan = make_plan(rules)
        self._operators = operators
        self._keep = keep
        self._partitions = partitions
        self._split_bytes = split_bytes

    def run(self, files: Sequence[LogFile], withheld: Callable[[], set[str]]) -> Iterator[Chunk]:
        """The findings in their order; ``withheld`` is asked, when all records were read, whose to leave out."""
        splits = make_splits(files, self._split_bytes)
        partitions = self._partitions or self._default_partitions(files)
        with ExitStack() as stack, explained():
            settlement, findings = self._in_one_go(splits, partitions, stack) or self._in_two_steps(
                splits, partitions, stack
            )
            if settlement.bad:
                for report in self._bad_records(findings):
                    settlement.collect_bad(report, self._collector)
            settlement.collect(self._collector)
            yield from self._in_order(findings.where(f"tree != {NO_TREE}"), withheld(), partitions)

    def _in_one_go(
        self, splits: Sequence[Split], partitions: int, stack: ExitStack
    ) -> tuple[Settlement, DataFrame] | None:
        """Where nothing depends on what only the log as a whole tells: records go straight to the replay.

        None if it does, or if it turns out that there are documents to be sorted.
        """
        if any(each.has_flushes or each.has_conditions for each in self._plan.passes):
            return None
        reports = reports_accumulator(self._spark.sparkContext)
        rows = self._map(splits, reports).where(f"kind != {Kind.OPEN}")
        findings = self._kept(self._replayed(rows, {}, {}, partitions), stack)
        settlement = Settlement(splits, reports_in(reports))
        return None if settlement.to_sort else (settlement, findings)

    def _in_two_steps(
        self, splits: Sequence[Split], partitions: int, stack: ExitStack
    ) -> tuple[Settlement, DataFrame]:
        """Routes everything, settles what was open and out of order, then replays."""
        reports = reports_accumulator(self._spark.sparkContext)
        routed = self._kept(self._map(splits, reports), stack)
        settlement = Settlement(splits, reports_in(reports))
        if settlement.to_sort:
            reports = reports_accumulator(self._spark.sparkContext)
            again = self._kept(self._route_sorted(splits, settlement, reports), stack)
            settlement.add_sorted(reports_in(reports))
            routed = self._replaced(routed, again, settlement)
        rows = self._with_markers(routed, settlement)
        return settlement, self._kept(
            self._replayed(rows, settlement.ends(), settlement.headers(), partitions), stack
        )

    # ---- steps ------------------------------------------------------------------------------------------

    def _indexes(self, splits: Sequence[Split]) -> DataFrame:
        """The splits' indexes, neighbours together, in as many tasks as there is use for."""
        tasks = min(len(splits), max(4 * self._cores, len(splits) // 16))
        return self._spark.range(0, len(splits), 1, tasks)

    def _map(self, splits: Sequence[Split], reports: Accumulator[Reports]) -> DataFrame:
        return self._indexes(splits).mapInArrow(
            map_task(self._rules, splits, self._keep, reports), ROUTED_DDL
        )

    def _route_sorted(
        self, splits: Sequence[Split], settlement: Settlement, reports: Accumulator[Reports]
    ) -> DataFrame:
        """The documents whose records do not stand in order: read again, sorted, routed."""
        files = settlement.files_of(settlement.to_sort)
        concerned = [split for split in splits if split.file.place in files]
        selected = self._indexes(concerned).mapInArrow(
            select_task(self._rules, concerned, settlement.to_sort, self._keep), RECORD_DDL
        )
        ordered = selected.repartition(self._cores * 2, "doc").sortWithinPartitions(
            "doc", "ts", "split", "number"
        )
        return ordered.mapInArrow(route_sorted_task(self._rules, splits, reports), ROUTED_DDL)

    def _replaced(self, rows: DataFrame, again: DataFrame, settlement: Settlement) -> DataFrame:
        """Rows with those of sorted documents in place of their first version; fragments of headers stay."""
        docs = self._spark.createDataFrame([(doc,) for doc in sorted(settlement.to_sort)], "doc string")
        fragments = rows.where(f"kind = {Kind.FRAGMENT}")
        others = rows.where(f"kind != {Kind.FRAGMENT}").join(docs.hint("broadcast"), "doc", "left_anti")
        columns = again.columns
        return fragments.select(columns).union(others.select(columns)).union(again)

    def _with_markers(self, routed: DataFrame, settlement: Settlement) -> DataFrame:
        """Rows with the markers that only the segments together tell, in place of what was open."""
        rows = routed.where(f"kind != {Kind.OPEN}")
        boundaries = list(settlement.boundaries())
        if boundaries:
            rows = rows.union(self._spark.createDataFrame([packed(row) for row in boundaries], ROUTED_DDL))
        edges = [(segment, doc, point.ts, point.at) for segment, doc, point in settlement.flushes()]
        if edges:
            table = self._spark.createDataFrame(edges, _EDGE_DDL)
            still_open = routed.where(f"kind = {Kind.OPEN}")
            flushed = still_open.join(table.hint("broadcast"), ["segment", "doc"]).selectExpr(
                f"cast({Kind.FLUSH} as tinyint) as kind", "pass_index", "doc", "key", "flush_ts as ts",
                "flush_at as at", "segment", "rest",
            )  # fmt: skip
            rows = rows.union(flushed)
        return rows

    def _replayed(
        self, rows: DataFrame, ends: Mapping[str, Point], headers: Mapping[str, int], partitions: int
    ) -> DataFrame:
        # Sorting compares a prefix of the first column before anything else: the key tells most rows apart.
        shuffled = rows.repartition(partitions, "pass_index", "doc", "key").sortWithinPartitions(
            "key", "pass_index", "doc", "ts", "kind"
        )
        return shuffled.mapInArrow(
            replay_task(self._rules, ends, headers, operators=self._operators), FINDING_DDL
        )

    def _bad_records(self, findings: DataFrame) -> Iterator[Report]:
        rows = findings.where(f"tree = {NO_TREE}").select("number", "doc", "line")
        for row in rows.toLocalIterator():
            yield Report(Topic.BAD, row.number, row.doc, bytes(row.line))

    def _in_order(self, findings: DataFrame, withheld: set[str], partitions: int) -> Iterator[Chunk]:
        if withheld:
            docs = self._spark.createDataFrame([(doc,) for doc in sorted(withheld)], "doc string")
            findings = findings.join(docs.hint("broadcast"), "doc", "left_anti")
        # Sorting samples its input, which is why findings are kept: they would be found twice.
        order = ("doc", "ts", "tree", "operator", "ids", "number")
        ordered = findings.repartitionByRange(partitions, *order).sortWithinPartitions(*order)
        for row in (
            ordered.select("doc", "name", "line").mapInArrow(chunk_task(), CHUNK_DDL).toLocalIterator()
        ):
            counts = [(doc, name, count) for doc, name, count in FASTEST.loads(bytes(row.counts))]
            yield counts, bytes(row.lines).split(b"\n")

    # ---- details ----------------------------------------------------------------------------------------

    @property
    def _cores(self) -> int:
        return int(self._spark.sparkContext.defaultParallelism)

    def _default_partitions(self, files: Sequence[LogFile]) -> int:
        size = sum(file.size * (1 if file.kind == "plain" else 8) for file in files)
        return max(min(self._cores * 2, _MOST_SMALL_PARTITIONS), size // _BYTES_PER_PARTITION)

    def _kept(self, frame: DataFrame, stack: ExitStack) -> DataFrame:
        """Runs what makes the frame and keeps it on the workers' disks until the audit is over."""
        from pyspark import StorageLevel

        frame.persist(StorageLevel.DISK_ONLY)
        stack.callback(_forget, frame)
        frame.count()
        return frame


def _forget(frame: DataFrame) -> None:
    """Deletes what is kept of a frame; the session does it when it ends, where the JVM does not answer any more."""
    with suppress(Exception):
        frame.unpersist()
