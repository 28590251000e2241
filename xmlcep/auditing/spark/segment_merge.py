"""What follows from the reports of all segments: for the documents as a whole, and for what was left open."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ...errors import XmlCepError
from ...log import BadRecord, Origin
from ...log.json_codec import FASTEST
from ..findings.collector import Collector
from ..inputs import LogFile, Split, clock_in_transaction
from .chunks import Chunk
from .document_merge import SeamMarker, merge_documents
from .replayer import DocumentEnd
from .segment_summary import SegmentSummary
from .task_reports import HeaderSeen, Report, Topic, bad_from, summaries_from


class SegmentMerge:
    """The reports of a log's segments put together.

    ``documents`` are the summaries of documents whose records stand in order; ``to_sort`` those of which they do
    not; ``bad`` is how many records cannot be used. Raises `XmlCepError` with what a task met that makes the
    audit impossible.
    """

    def __init__(self, splits: Sequence[Split], reports: Iterable[Report], buckets: int) -> None:
        self._buckets = buckets
        self._splits = {split.name: split for split in splits}
        self._lines: dict[int, int] = {}
        self._headers: dict[str, list[HeaderSeen]] = {}
        self.docs_of_files: dict[int, set[str]] = {}
        self.bad = 0
        in_order = sorted(reports, key=lambda report: (report.segment, report.kind))
        for report in in_order:
            if report.kind == Topic.SUMMARIES:
                continue
            content = FASTEST.loads(report.content)
            if report.kind == Topic.TROUBLE:
                raise XmlCepError(content["message"])
            if report.kind == Topic.SPLIT:
                self._lines[report.segment] = content["lines"]
                self.bad += content["bad"]
                index = self._splits[report.segment].file.place
                self.docs_of_files.setdefault(index, set()).update(content["docs"])
            elif report.kind == Topic.HEADER:
                split, number = content["position"]
                self._headers.setdefault(report.doc, []).append(
                    HeaderSeen(report.doc, content["number"], (split, number))
                )
        if len(self._lines) != len(self._splits):
            raise XmlCepError(
                f"Spark lost what its tasks had to report: {len(self._lines)} of {len(self._splits)} parts of the log"
                " are accounted for; run the audit again"
            )
        joined = merge_documents(_summaries(in_order), buckets)
        self.to_sort = frozenset(doc for doc, summary in joined.items() if summary.needs_sorting)
        self.disordered = frozenset(doc for doc, summary in joined.items() if summary.goes_back)
        self.documents = {doc: summary for doc, summary in joined.items() if doc not in self.to_sort}
        self._lines_before = self._count_lines(splits)

    def _count_lines(self, splits: Sequence[Split]) -> dict[int, int]:
        found: dict[int, int] = {}
        before = 0
        file = -1
        for split in splits:
            if split.file.place != file:
                file, before = split.file.place, 0
            found[split.name] = before
            before += self._lines.get(split.name, 0)
        return found

    def files_of(self, docs: Iterable[str]) -> set[int]:
        """The files that have records of these documents."""
        wanted = set(docs)
        return {index for index, held in self.docs_of_files.items() if held & wanted}

    def add_sorted(self, reports: Iterable[Report]) -> None:
        """Takes the reports of the documents of ``to_sort``, made again from their sorted records."""
        in_order = sorted(reports, key=lambda report: report.segment)
        self.bad += sum(summary.duplicates for summary in _summaries(in_order))
        self.documents.update(merge_documents(_summaries(in_order), self._buckets))

    def headers(self) -> dict[str, int]:
        """The number of each document's header: its first in the file where the document begins, if it precedes."""
        found: dict[str, int] = {}
        for doc, seen in self._headers.items():
            summary = self.documents.get(doc)
            if summary is None:
                continue
            begin = summary.position
            file = self._splits[begin[0]].file.place
            for header in sorted(seen, key=lambda header: header.position):
                if self._splits[header.position[0]].file.place == file and header.position < begin:
                    found[doc] = header.number
                    break
        return found

    def seams(self) -> Iterator[SeamMarker]:
        """The markers that only the segments together tell."""
        for summary in self.documents.values():
            yield from summary.seams

    def ends(self) -> dict[str, DocumentEnd]:
        """The last time point of each document."""
        return {doc: DocumentEnd(summary.segment, summary.last) for doc, summary in self.documents.items()}

    def collect_bad(self, chunk: Chunk, collector: Collector, *, again: bool = False) -> None:
        """Hands a bad record on, with its number in its file; ``again``: it was found in the sorted records."""
        split = self._splits[chunk.segment]
        bad, doc = bad_from(chunk, split.file.path, self._lines_before[split.name])
        if again or doc not in self.to_sort:
            collector.bad(split.file, bad, doc)

    def _misplaced_clocks(self) -> Iterator[tuple[LogFile, BadRecord, str]]:
        for doc, summary in self.documents.items():
            for clock in summary.misplaced_clocks:
                split = self._splits[clock.split]
                origin = Origin(split.file.path, clock.number + self._lines_before[split.name])
                yield split.file, clock_in_transaction(clock.record(doc), origin), doc

    def collect(self, collector: Collector) -> None:
        """Hands on what is known of files and documents."""
        for file, bad, doc in self._misplaced_clocks():
            collector.bad(file, bad, doc)
        for index, docs in self.docs_of_files.items():
            collector.holds(index, docs)
        for doc, summary in self.documents.items():
            assert summary.first is not None
            collector.document(
                doc, summary.first.ts, summary.last.ts, summary.records, disordered=doc in self.disordered
            )


def _summaries(reports: Iterable[Report]) -> Iterator[SegmentSummary]:
    """The summaries in reports, segment by segment."""
    for report in reports:
        if report.kind == Topic.SUMMARIES:
            yield from summaries_from(report)
