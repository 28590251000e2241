"""What follows from the reports of all segments: for the documents as a whole, and for what was left open."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ...errors import XmlCepError
from ...log import BadRecord, Origin
from ...log.json_codec import FASTEST
from ...log.records import ClockRecord, Control
from ..findings.collector import Collector
from ..inputs import LogFile
from ..plan.partition_key import Plan
from ..quarantine import clock_in_transaction, raised_elsewhere, raised_twice
from ..rule_counts import type_of
from ..splits import Split
from .bucket_loads import BucketLoads
from .chunks import Chunk
from .document_merge import WholeDocument, merge_documents
from .ended_documents import CLOCK_IN_TRANSACTION, RAISED_ELSEWHERE, EndedDocuments
from .finding_chunks import Extent, FindingRanges
from .seams import Seams
from .summary_tables import SummaryTables
from .task_reports import HeaderSeen, Report, Topic, bad_from
from .whole_log import WholeLog


class SegmentMerge:
    """The reports of a log's segments put together.

    Of those documents whose records stand in order ``summaries`` has the many that need not be looked at one by one:
    they have one segment, at the ends of which nothing is open, and it does not matter to the plan where they end. The
    others are ``ended``; ``seams`` are their markers. ``to_sort`` are those whose records do not stand in order;
    ``bad`` is how many records cannot be used; ``left_out`` counts records that rules leave out, by type; ``loads``
    what was routed to each bucket;
    ``until`` as for `audit`.
    Raises `XmlCepError` with what a task met that makes the audit impossible.
    """

    def __init__(
        self,
        splits: Sequence[Split],
        reports: Iterable[Report],
        plan: Plan,
        buckets: int,
        until: str | None = None,
    ) -> None:
        self._plan = plan
        self._buckets = buckets
        self._until = until
        self._splits = splits
        self._parts = {part.place: part for split in splits for part in split.parts}
        self._lines: dict[int, int] = {}
        self._headers: dict[str, list[HeaderSeen]] = {}
        self._docs_of_files: dict[int, set[str]] = {}
        self.bad = 0
        self.left_out: Counter[str] = Counter()
        self._loads: list[dict[str, Any]] = []
        self.summaries = SummaryTables()
        self._read_reports(_divided(reports, self.summaries))
        if len(self._lines) != len(self._parts):
            raise XmlCepError(
                f"Spark lost what its tasks had to report: {len(self._lines)} of {len(self._parts)} parts of the log"
                " are accounted for; run the audit again"
            )
        self._lines_before = self._count_lines()
        if plan.closes_documents:
            self.summaries.set_all_apart()
        else:
            self.summaries.set_apart()
        self._timed = plan.reads_clock or plan.fires_in_keys
        self.ended = EndedDocuments()
        self.seams = Seams(plan, buckets)
        to_sort: set[str] = set()
        disordered: set[str] = set()
        for document in self._merged(self.summaries):
            if document.goes_back:
                disordered.add(document.doc)
            if document.needs_sorting:
                to_sort.add(document.doc)
            else:
                self._add(document)
        self.to_sort, self.disordered = frozenset(to_sort), frozenset(disordered)
        self.loads = BucketLoads(plan, buckets)
        for load in self._loads:
            self.loads.add(load, left_out=self.to_sort)

    def _read_reports(self, reports: Iterable[Report]) -> None:
        by_segment = {split.segment: split for split in self._splits}
        for report in reports:
            content = FASTEST.loads(report.content)
            if report.topic == Topic.TROUBLE:
                raise XmlCepError(content["message"])
            if report.topic == Topic.SPLIT:
                self.bad += content["bad"]
                self.left_out.update(content["left_out"])
                if not content["parts"]:
                    continue  # it could not be read: what it says of that comes, too
                for part, told in zip(by_segment[report.segment].parts, content["parts"], strict=True):
                    self._lines[part.place] = told["lines"]
                    self._docs_of_files.setdefault(part.file.place, set()).update(told["docs"])
            elif report.topic == Topic.HEADER:
                place, number = content["position"]
                seen = HeaderSeen(report.doc, content["number"], (place, number))
                self._headers.setdefault(report.doc, []).append(seen)
            elif report.topic == Topic.LOAD:
                self._loads.append(content)

    def _count_lines(self) -> dict[int, int]:
        """How many lines of its file stand before each part."""
        found: dict[int, int] = {}
        before = 0
        file = -1
        for place, part in sorted(self._parts.items()):
            if part.file.place != file:
                file, before = part.file.place, 0
            found[place] = before
            before += self._lines[place]
        return found

    def splits_to_sort(self) -> list[Split]:
        """The splits that have records of the documents to sort."""
        numbers = {segment >> 20 for segment in self.summaries.segments(self.to_sort)}
        return [split for split in self._splits if split.number in numbers]

    def _add(self, document: WholeDocument) -> None:
        self.ended.add(document)
        self.seams.add(document)

    def _merged(self, summaries: SummaryTables) -> Iterator[WholeDocument]:
        return merge_documents(summaries.documents(), self._buckets, self._until, timed=self._timed)

    def add_sorted(self, reports: Iterable[Report]) -> None:
        """Takes the reports of the documents of ``to_sort``, made again from their sorted records."""
        summaries = SummaryTables()
        others = _divided(reports, summaries)
        summaries.set_all_apart()
        self.bad += summaries.duplicates()
        for document in self._merged(summaries):
            self._add(document)
        for report in others:
            if report.topic == Topic.LOAD:
                self.loads.add(FASTEST.loads(report.content))

    def _headers_that_count(self) -> dict[str, int]:
        """The number of each document's header: its first in the file where the document begins, if it precedes."""
        found: dict[str, int] = {}
        for doc, seen in self._headers.items():
            begin = self.ended.position(doc)
            if begin is None:
                continue
            file = self._parts[begin[0]].file
            for header in sorted(seen, key=lambda header: header.position):
                if self._parts[header.position[0]].file == file and header.position < begin:
                    found[doc] = header.number
                    break
        return found

    def whole(self, ranges: FindingRanges) -> WholeLog:
        """What replays have to know of the log, with what clocks show if that matters."""
        return WholeLog(self.ended.ends(), self._headers_that_count(), ranges, self.to_sort)

    def extents(self) -> Iterator[Extent]:
        """From where to where each document reaches, by name."""
        return heapq.merge(self.ended.extents(), self.summaries.extents())

    @property
    def records(self) -> int:
        """How many records all documents have."""
        return self.summaries.records() + self.ended.records()

    def collect_bad(self, chunk: Chunk, collector: Collector, *, again: bool = False) -> None:
        """Hands a bad record on, with its number in its file; ``again``: it was found in the sorted records."""
        part = self._parts[chunk.target]
        bad, doc = bad_from(chunk, part, self._lines_before[part.place])
        if again or doc not in self.to_sort:
            collector.quarantine.add(part.file, bad, doc)

    def _misplaced(self) -> Iterator[tuple[LogFile, BadRecord, str]]:
        for each in self.ended.misplaced():
            part = self._parts[each.part]
            origin = Origin(part.file.name, each.number + self._lines_before[part.place])
            if each.why == CLOCK_IN_TRANSACTION:
                yield (
                    part.file,
                    clock_in_transaction(ClockRecord(each.doc, each.ts, each.text), origin),
                    each.doc,
                )
                continue
            complaint = raised_elsewhere if each.why == RAISED_ELSEWHERE else raised_twice
            control = Control.from_record(FASTEST.loads(each.text.encode()))
            yield part.file, complaint(control, origin), each.doc

    def collect(self, collector: Collector) -> None:
        """Hands on what is known of files and documents."""
        for file, bad, doc in self._misplaced():
            collector.quarantine.add(file, bad, doc)
        for index, docs in self._docs_of_files.items():
            collector.quarantine.note_documents(index, docs)
        for extent in self.extents():
            collector.document(*extent, disordered=extent.doc in self.disordered)
        collector.left_out.update({type_of(text): count for text, count in self.left_out.items()})


def _divided(reports: Iterable[Report], summaries: SummaryTables) -> list[Report]:
    """All but summaries, which go to ``summaries``, in order."""
    found: list[Report] = []
    for report in reports:
        if report.topic == Topic.SUMMARIES:
            summaries.add(report.segment, report.content)
        else:
            found.append(report)
    return sorted(found, key=lambda report: (report.segment, report.topic))
