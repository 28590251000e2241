"""Gathering what both engines find: bad records, documents, findings; and the policy for bad records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from path_types import PathType

from ...log import BadRecord
from ...log.quarantine import quarantine_line
from ..bad_records import BadRecordError, OnBadRecord, document_of
from ..inputs import LogFile
from ..result import DocumentSummary, Summary
from .spool import Spool


class Collector:
    """What an audit knows so far. ``spool`` holds what may be more than fits into memory."""

    def __init__(self, spool: Spool, summary: Summary, on_bad: OnBadRecord) -> None:
        self.spool = spool
        self.summary = summary
        self._on_bad = on_bad
        self._blamed_docs: set[str] = set()
        self._blamed_files: set[int] = set()
        self._docs_of_files: dict[int, set[str]] = {}
        self.found: dict[str, dict[str, int]] = {}
        """How many findings documents have, by event type, whether or not they are withheld."""
        self.taken: Counter[tuple[str, PathType]] = Counter()
        """How many records were replayed by operation and path, of those that can matter."""

    def bad(self, file: LogFile, bad: BadRecord, doc: str | None = None) -> None:
        """Takes a bad record; ``doc`` is its document if it only repeats a time point (see `drop_bad_repeats`).

        Raises `BadRecordError` if the audit is to stop at one.
        """
        if self._on_bad is OnBadRecord.FAIL:
            raise BadRecordError(str(bad))
        self.spool.add_bad(file.place, bad.origin.record, doc, quarantine_line(bad))
        if doc is not None:
            return  # counted when all is known
        named = document_of(bad)
        if named is None:
            self._blamed_files.add(file.place)
        else:
            self._blamed_docs.add(named)
            self.summary.document(named).quarantined += 1

    def drop_bad_repeats(self, doc: str) -> None:
        """Forgets the records of a document that repeat a time point: it is going to be sorted."""
        self.spool.drop_bad(doc)

    def contains(self, file: LogFile, docs: set[str]) -> None:
        """Notes which documents a file has, if that will be asked for."""
        if self._on_bad is OnBadRecord.DOCUMENT:
            self.holds(file.place, docs)

    def holds(self, file_index: int, docs: set[str]) -> None:
        """Notes which documents a file has."""
        self._docs_of_files.setdefault(file_index, set()).update(docs)

    def document(self, doc: str, first: int, last: int, count: int, *, disordered: bool) -> None:
        """Notes a document that was replayed."""
        entry: DocumentSummary = self.summary.document(doc)
        entry.records, entry.first, entry.last, entry.disordered = count, first, last, disordered

    def seconds(self, doc: str, seconds: float) -> None:
        """Notes that the replay of a document, or of a part of it, took so long."""
        self.summary.document(doc).seconds += seconds

    def takes(self, records: Mapping[str, int | None]) -> None:
        """Notes how many records rules take (see `records_by_rule`), each rule once."""
        self.summary.records_per_rule.update(records)

    def finish(self) -> set[str]:
        """Settles the counts; returns the documents whose findings are withheld."""
        for doc, count in self.spool.count_bad():
            if doc is not None:
                self._blamed_docs.add(doc)
                self.summary.document(doc).quarantined += count
            self.summary.quarantined += count
        if self._on_bad is not OnBadRecord.DOCUMENT:
            return set()
        withheld = set(self._blamed_docs)
        for index in self._blamed_files:
            withheld |= self._docs_of_files.get(index, set())
        for doc in withheld:
            self.summary.document(doc).withheld = True
        return withheld
