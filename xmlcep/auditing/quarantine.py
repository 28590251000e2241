"""Where bad records go in an audit: what is said of them, what they mean for their document, the file they are in.

Readers find them (`xmlcep.log.quarantine` has what they do by themselves, and the format of a line); both engines put
them into one `AuditQuarantine`, which is written when the findings are.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from enum import Enum
from itertools import chain, count
from pathlib import Path

from ..errors import XmlCepError
from ..log import BadRecord, Origin
from ..log.json_codec import FASTEST, STANDARD
from ..log.quarantine import quarantine_line
from ..log.records import ClockRecord, Control, Row, change_record
from .findings.atomic_files import AtomicFile
from .findings.spool import Spool
from .inputs import LogFile
from .result import Summary


class OnBadRecord(Enum):
    """What to do with a record that cannot be used."""

    SKIP = "skip"
    """Put it aside and go on without it."""
    DOCUMENT = "document"
    """Put it aside and leave out all findings of its document; if that cannot be known, of all in its file."""
    FAIL = "fail"
    """Stop."""


class BadRecordError(XmlCepError, ValueError):
    """A bad record in an audit that was told to stop at one."""


class AuditQuarantine:
    """The bad records of an audit, and whom they are blamed on."""

    def __init__(self, spool: Spool, summary: Summary, policy: OnBadRecord) -> None:
        self._spool = spool
        self._summary = summary
        self._policy = policy
        self._blamed_docs: set[str] = set()
        self._blamed_files: set[int] = set()
        self._unfinished: set[str] = set()
        self._docs_of_files: dict[int, set[str]] = {}

    @property
    def by_file(self) -> bool:
        """Whether it matters which files bad records and documents are in, and which bad record is the first."""
        return self._policy is not OnBadRecord.SKIP

    @property
    def blamed_files(self) -> frozenset[int]:
        """The places of files whose documents are all blamed, if it matters which these are."""
        return frozenset(self._blamed_files if self._policy is OnBadRecord.DOCUMENT else ())

    def add(self, file: LogFile, bad: BadRecord, doc: str | None = None) -> None:
        """Takes a bad record; ``doc`` is its document if only the order tells that it is bad (see `forget`).

        Raises `BadRecordError` if the audit is to stop at one.
        """
        if self._policy is OnBadRecord.FAIL:
            raise BadRecordError(str(bad))
        self._spool.add_bad(file.place, bad.origin.record, doc, quarantine_line(bad))
        if doc is not None:
            return  # counted when all is known
        named = document_of(bad)
        if named is None:
            self._blamed_files.add(file.place)
        else:
            self._blamed_docs.add(named)
            self._summary.documents.quarantined(named)

    def forget(self, doc: str) -> None:
        """Forgets the records of a document that are bad by their order: it is going to be sorted."""
        self._spool.drop_bad(doc)

    def note_documents(self, file_place: int, docs: set[str]) -> None:
        """Notes which documents a file has, if that will be asked for."""
        if self._policy is OnBadRecord.DOCUMENT:
            self._docs_of_files.setdefault(file_place, set()).update(docs)

    def withhold(self, doc: str) -> None:
        """A bad record has kept a document from being replayed to its end: its findings are left out, whatever the
        policy."""
        self._unfinished.add(doc)

    def settle(self) -> set[str]:
        """Counts; returns the documents whose findings are withheld."""
        for doc, number in self._spool.count_bad():
            if doc is not None:
                self._blamed_docs.add(doc)
                self._summary.documents.quarantined(doc, number)
            self._summary.quarantined += number
        withheld = set(self._unfinished)
        if self._policy is OnBadRecord.DOCUMENT:
            withheld |= self._blamed_docs
            for place in self._blamed_files:
                withheld |= self._docs_of_files.get(place, set())
        for doc in withheld:
            self._summary.documents.withheld(doc)
        return withheld

    def write(self, target: Path) -> Path | None:
        """Writes what there is, if anything, in file order; returns where."""
        if not self._summary.quarantined:
            return None
        with AtomicFile(target) as file:
            for _, _, line in self._spool.bad():
                file.stream.write(line)
        return target


def default_target(out: Path | None) -> Path:
    """Where bad records go if nobody says: beside the findings, or into this folder if those are in no file.

    There, where no name was given, nothing is replaced: it is the first free of ``quarantine.jsonl``,
    ``quarantine-2.jsonl`` …
    """
    if out is not None and (out.is_file() or out.is_dir() or not out.exists()):
        named = out if out.name not in ("", "..") else Path(os.path.abspath(out))  # a folder: . or above
        return named.parent / f"{named.name}.quarantine.jsonl"
    names = (f"quarantine-{number}.jsonl" for number in count(2))
    return next(Path(name) for name in chain(["quarantine.jsonl"], names) if not os.path.lexists(name))


def document_of(bad: BadRecord) -> str | None:
    """The document that a bad record says it belongs to; None if that cannot be known."""
    try:
        record = STANDARD.loads(bad.raw)
    except ValueError:
        return None
    doc = record.get("doc") if isinstance(record, Mapping) else None
    return doc if isinstance(doc, str) else None


# ---- what is bad only in its place -----------------------------------------------------------------------------


def raw_record(row: Row) -> bytes:
    """A record that was read well enough, written again as it would be in a JSON Lines log."""
    record = change_record(row)
    return FASTEST.dumps(record | {"ids": list(row[3]), "meta": None if row[10] is None else dict(row[10])})


def duplicate(row: Row, origin: Origin) -> BadRecord:
    """The complaint about a record whose time point another record of its document has already."""
    reason = f"ts {row[0]} occurs twice in document {row[8]!r}: expected one record per time point"
    return BadRecord(origin, None, reason, raw_record(row))


def raised_elsewhere(control: Control, origin: Origin) -> BadRecord:
    """The complaint about an external event that is not behind the record it belongs to."""
    content = control.content
    reason = (
        f"{content.get('name')} was raised at ts {content.get('ts')} of document {content.get('doc')!r}: expected it "
        "after the record of that ts (L7)"
    )
    return BadRecord(origin, None, reason, FASTEST.dumps(control.to_record()))


def raised_twice(control: Control, origin: Origin) -> BadRecord:
    """The complaint about an external event that was delivered twice."""
    content = control.content
    reason = (
        f"{content.get('name')} was raised at ts {content.get('ts')} of document {content.get('doc')!r} by the same "
        "record before: equal events are numbered from the second on (nth)"
    )
    return BadRecord(origin, None, reason, FASTEST.dumps(control.to_record()))


def clock_in_transaction(clock: ClockRecord, origin: Origin) -> BadRecord:
    """The complaint about a clock record after which the transaction of the record before it goes on."""
    reason = (
        f"a clock record in a transaction of document {clock.doc!r}: expected it after the last record (W6)"
    )
    return BadRecord(origin, None, reason, FASTEST.dumps(clock.to_record()))


def too_late(row: Row, origin: Origin, reached: int) -> BadRecord:
    """The complaint about a record that comes when an earlier run has gone beyond its time point, to ``reached``."""
    reason = f"ts {row[0]} of document {row[8]!r} comes too late: an earlier run had already read up to ts {reached}"
    return BadRecord(origin, None, reason, raw_record(row))


def clock_too_late(clock: ClockRecord, origin: Origin, reached: int) -> BadRecord:
    """The same of a clock record."""
    reason = (
        f"a clock record of document {clock.doc!r} comes too late: an earlier run had already read up "
        f"to ts {reached}"
    )
    return BadRecord(origin, None, reason, FASTEST.dumps(clock.to_record()))
