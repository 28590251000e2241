"""What follows from the reports of all segments: for the documents as a whole, and for what was left open."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import attrgetter
from typing import Any

from ...errors import XmlCepError
from ...log import BadRecord, Origin
from ...log.json_codec import FASTEST
from ...log.records import Control
from ..findings.collector import Collector
from ..inputs import LogFile
from ..plan.partition_key import Plan
from ..quarantine import clock_in_transaction, raised_elsewhere, raised_twice
from ..rule_counts import type_of
from ..splits import FilePart, Split
from .bucket_loads import BucketLoads
from .chunks import Chunk
from .document_merge import (
    SeamMarker,
    WholeDocument,
    clock_markers,
    last_segments,
    merge_documents,
    raised_markers,
)
from .ended_documents import EndedDocuments
from .finding_chunks import Extent, FindingRanges
from .plain_documents import PlainDocuments
from .segment_summary import SegmentSummary
from .task_reports import HeaderSeen, Report, Topic, bad_from, docs_from, summaries_from
from .whole_log import WholeLog


class SegmentMerge:
    """The reports of a log's segments put together.

    Of those documents whose records stand in order ``plain`` are the many that need not be looked at one by one: they
    have one segment, at the ends of which nothing is open, and it does not matter to the plan where they end. Of
    ``ended`` no more is left to know than where they begin and end, and of their clocks; of ``documents`` there is.
    ``to_sort`` are those whose records do not stand in order; ``bad`` is how many records cannot be used; ``repeating``
    are the types of changes at names that stand inside themselves; ``loads`` what was routed to each bucket;
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
        self.repeating: set[str] = set()
        self._loads: list[dict[str, Any]] = []
        self.plain = PlainDocuments()
        self._reports = _divided(reports, self.plain)
        self._read_reports()
        if len(self._lines) != len(self._parts):
            raise XmlCepError(
                f"Spark lost what its tasks had to report: {len(self._lines)} of {len(self._parts)} parts of the log"
                " are accounted for; run the audit again"
            )
        if plan.closes_documents:
            self.plain.set_all_apart()
        else:
            self.plain.set_apart(_docs(self._reports))
        self._timed = plan.reads_clock or plan.fires_in_keys
        self.documents: dict[str, WholeDocument] = {}
        self.ended = EndedDocuments()
        to_sort: set[str] = set()
        disordered: set[str] = set()
        for document in self._merged(self._summaries):
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
        self._lines_before = self._count_lines()

    def _read_reports(self) -> None:
        by_segment = {split.segment: split for split in self._splits}
        for report in self._reports:
            if report.topic == Topic.SUMMARIES:
                continue
            content = FASTEST.loads(report.content)
            if report.topic == Topic.TROUBLE:
                raise XmlCepError(content["message"])
            if report.topic == Topic.SPLIT:
                self.bad += content["bad"]
                self.repeating.update(content["repeating"])
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
        numbers = {summary.segment >> 20 for summary in self._summaries() if summary.doc in self.to_sort}
        return [split for split in self._splits if split.number in numbers]

    def _add(self, document: WholeDocument) -> None:
        if document.is_settled:
            self.ended.add(document)
        else:
            self.documents[document.doc] = document

    def _merged(self, summaries: Callable[[], Iterable[SegmentSummary]]) -> Iterator[WholeDocument]:
        """The documents of summaries, which are read twice: so that no more is held than of those that go on."""
        last = last_segments(summaries())
        return merge_documents(summaries(), last, self._buckets, self._until, timed=self._timed)

    def _summaries(self) -> Iterator[SegmentSummary]:
        """The summaries of all but the plain documents, segment by segment."""
        return _by_segment(_summaries(self._reports), self.plain.summaries())

    def add_sorted(self, reports: Iterable[Report]) -> None:
        """Takes the reports of the documents of ``to_sort``, made again from their sorted records."""
        plain = PlainDocuments()
        in_order = _divided(reports, plain)
        plain.set_all_apart()
        self.bad += sum(summary.duplicates for summary in _summaries(in_order))
        for document in self._merged(lambda: _by_segment(_summaries(in_order), plain.summaries())):
            self._add(document)
        for report in in_order:
            if report.topic == Topic.LOAD:
                self.loads.add(FASTEST.loads(report.content))

    def _headers_that_count(self) -> dict[str, int]:
        """The number of each document's header: its first in the file where the document begins, if it precedes."""
        found: dict[str, int] = {}
        for doc, seen in self._headers.items():
            document = self.documents.get(doc)
            begin = self.ended.position(doc) if document is None else document.position
            if begin is None:
                continue
            file = self._parts[begin[0]].file
            for header in sorted(seen, key=lambda header: header.position):
                if self._parts[header.position[0]].file == file and header.position < begin:
                    found[doc] = header.number
                    break
        return found

    def seams(self) -> Iterator[SeamMarker]:
        """The markers that only the segments together tell."""
        for document in self.documents.values():
            yield from document.seams
            yield from clock_markers(document, self._plan, self._buckets)
            yield from raised_markers(document, self._plan, self._buckets)

    def whole(self, ranges: FindingRanges) -> WholeLog:
        """What replays have to know of the log, with what clocks show if that matters."""
        ends = self.ended.ends(self.documents.values())
        edits = {doc: document.edits for doc, document in self.documents.items() if document.edits}
        return WholeLog(ends, self._headers_that_count(), ranges, self.to_sort, edits)

    def extents(self) -> Iterator[Extent]:
        """From where to where each document reaches, by name."""
        return heapq.merge(sorted(self._extents()), self.ended.extents(), self.plain.extents())

    def _extents(self) -> Iterator[Extent]:
        """Those of the documents of which more is known."""
        for doc, document in self.documents.items():
            yield Extent(doc, document.first.ts, document.last.ts, document.records)

    @property
    def records(self) -> int:
        """How many records all documents have."""
        return self.plain.records() + self.ended.records() + sum(each.records for each in self._extents())

    def collect_bad(self, chunk: Chunk, collector: Collector, *, again: bool = False) -> None:
        """Hands a bad record on, with its number in its file; ``again``: it was found in the sorted records."""
        part = self._parts[chunk.target]
        bad, doc = bad_from(chunk, part, self._lines_before[part.place])
        if again or doc not in self.to_sort:
            collector.quarantine.add(part.file, bad, doc)

    def _misplaced_clocks(self) -> Iterator[tuple[LogFile, BadRecord, str]]:
        for doc, document in self.documents.items():
            for clock in document.misplaced_clocks:
                part: FilePart = self._parts[clock.part]
                origin = Origin(part.file.name, clock.number + self._lines_before[part.place])
                yield part.file, clock_in_transaction(clock.record(doc), origin), doc

    def _misplaced_raised(self) -> Iterator[tuple[LogFile, BadRecord, str]]:
        for doc, document in self.documents.items():
            misplaced = [(each, raised_elsewhere) for each in document.misplaced_raised]
            repeated = [(each, raised_twice) for each in document.repeated_raised]
            for raised, complaint in misplaced + repeated:
                part: FilePart = self._parts[raised.part]
                origin = Origin(part.file.name, raised.number + self._lines_before[part.place])
                control = Control.from_record(FASTEST.loads(raised.text.encode()))
                yield part.file, complaint(control, origin), doc

    def collect(self, collector: Collector) -> None:
        """Hands on what is known of files and documents."""
        for file, bad, doc in (*self._misplaced_clocks(), *self._misplaced_raised()):
            collector.quarantine.add(file, bad, doc)
        for index, docs in self._docs_of_files.items():
            collector.quarantine.note_documents(index, docs)
        for extent in self.extents():
            collector.document(*extent, disordered=extent.doc in self.disordered)
        collector.repeating.update(map(type_of, self.repeating))


def _summaries(reports: Iterable[Report]) -> Iterator[SegmentSummary]:
    """The summaries in reports but for plain ones, segment by segment."""
    for report in reports:
        if report.topic == Topic.SUMMARIES:
            yield from summaries_from(report)


def _docs(reports: Iterable[Report]) -> set[str]:
    """The documents of which there are such."""
    return {doc for report in reports if report.topic == Topic.SUMMARIES for doc in docs_from(report)}


def _divided(reports: Iterable[Report], plain: PlainDocuments) -> list[Report]:
    """All but plain summaries, which go to ``plain``, in order."""
    found: list[Report] = []
    for report in reports:
        if report.topic == Topic.PLAIN_SUMMARIES:
            plain.add(report.segment, report.content)
        else:
            found.append(report)
    return sorted(found, key=lambda report: (report.segment, report.topic))


def _by_segment(*summaries: Iterable[SegmentSummary]) -> Iterator[SegmentSummary]:
    """Summaries that come segment by segment, together."""
    return heapq.merge(*summaries, key=attrgetter("segment"))
