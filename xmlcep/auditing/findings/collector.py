"""Gathering what both engines find: documents, findings, which records concern which rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Protocol

from path_types import PathType

from ...log import BadRecord
from ..inputs import LogFile
from ..quarantine import AuditQuarantine, OnBadRecord
from ..result import Summary
from .spool import Spool

MOST_HOMES = 8
"""Documents that are known to have a type of records: enough to say that it is in these only."""


class Gathering(Protocol):
    """What the replay of a document reports, whatever the engine."""

    replayed: Counter[tuple[str, PathType]]
    """How many records were replayed by operation and path, of those that can matter."""

    def add_bad(self, file: LogFile, bad: BadRecord, doc: str | None = None) -> None:
        """Takes a bad record; ``doc`` is its document if only the order tells that it is bad."""

    def document(self, doc: str, first: int, last: int, count: int, *, disordered: bool) -> None:
        """Notes a document that was replayed, or a part of it."""

    def seconds(self, doc: str, seconds: float) -> None:
        """Notes that the replay of a document, or of a part of it, took so long."""


class Collector:
    """What an audit knows so far. ``spool`` holds what may be more than fits into memory."""

    def __init__(self, spool: Spool, summary: Summary, policy: OnBadRecord) -> None:
        self.spool = spool
        self.summary = summary
        self.quarantine = AuditQuarantine(spool, summary, policy)
        self.held = 0
        """How many bytes of findings documents hold in memory, all together."""
        self.replayed: Counter[tuple[str, PathType]] = Counter()
        """How many records were replayed by operation and path, of those that can matter."""
        self.homes: dict[tuple[str, PathType], set[str]] = {}
        """In which documents there were such records; of many the first, one more than `MOST_HOMES`."""
        self.left_out: Counter[tuple[str, PathType]] = Counter()
        """How many records were read that rules leave out because they have no group for them (`LeftOut`)."""
        self.late: Counter[tuple[str, int]] = Counter()
        """How many records came too late, by document and the time point that an earlier run has gone on to."""

    def add_bad(self, file: LogFile, bad: BadRecord, doc: str | None = None) -> None:
        """Takes a bad record, see `AuditQuarantine.add`."""
        self.quarantine.add(file, bad, doc)

    def occurred(self, doc: str, types: Iterable[tuple[str, PathType]]) -> None:
        """Notes that a document had such records."""
        for each in types:
            homes = self.homes.setdefault(each, set())
            if len(homes) <= MOST_HOMES:
                homes.add(doc)

    def document(self, doc: str, first: int, last: int, count: int, *, disordered: bool) -> None:
        """Notes a document that was replayed, or a part of it."""
        self.summary.documents.replayed(doc, first, last, count, disordered=disordered)

    def found(self, doc: str, findings: Mapping[str, int]) -> None:
        """Notes how many findings a document has, or a part of it, by event type; they may be withheld later."""
        self.summary.documents.found(doc, findings)

    def seconds(self, doc: str, seconds: float) -> None:
        """Notes that the replay of a document, or of a part of it, took so long."""
        self.summary.documents.took(doc, seconds)

    def count_for_rules(self, records: Mapping[str, int | None]) -> None:
        """Notes how many records rules take (see `records_by_rule`), each rule once."""
        self.summary.records_per_rule.update(records)
