"""What logs say about each document, for questions about it: read as an audit reads them, and kept in memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple, Protocol, TypeVar

from ..documents import Replica, ReplicaError, SnapshotError
from ..errors import XmlCepError
from ..events import PrimitiveEvent
from ..log import BadRecord, ClockCheck, Header, read_log
from ..log.quarantine import BadRecordPolicy
from ..log.records import ClockRecord
from ..recording.moment import Moment, When
from ..timestamps import as_microseconds, time_or_day, timestamp
from ..versions.blame import prefixes_of
from ..xml_parser import read_xml
from .inputs import LogPath, find_files

Raised = TypeVar("Raised", covariant=True)


class QuestionError(XmlCepError, ValueError):
    """A question that cannot be answered as it was asked."""


@dataclass(slots=True)
class Past:
    """The records of one document, in order; ``initial`` is its header, if it began with one."""

    doc: str
    header: Header | None = None
    items: list[PrimitiveEvent | ClockRecord] = field(default_factory=list)
    ordered: bool = True

    def take(self, item: PrimitiveEvent | ClockRecord) -> None:
        if self.items and item.ts < self.items[-1].ts:
            self.ordered = False
        self.items.append(item)

    def until(self, at: int | None) -> Iterator[PrimitiveEvent | ClockRecord | None]:
        """The records up to a time point, sorted; None where a transaction ends (D3)."""
        if not self.ordered:
            self.items.sort(key=lambda item: (item.ts, isinstance(item, ClockRecord)))
            self.ordered = True
        txn: int | None = None
        last = 0
        for item in self.items:
            own = item.txn if isinstance(item, PrimitiveEvent) else None
            if isinstance(item, PrimitiveEvent):
                if item.ts == last:
                    continue  # of two records of one time point the first counts
                last = item.ts
            if txn is not None and own != txn:
                yield None
            if at is not None and item.ts > at:
                return
            txn = own
            yield item
        yield None  # the end of the log is a flush

    def point(self, at: When) -> int | None:
        """The time point of a moment: of a time, that of the last record up to it; None is the end."""
        moment = Moment(at)
        if not moment.is_time:
            return moment.last
        for item in self.until(None):
            if item is not None and not moment.includes(item, f"document {self.doc!r}, time point {item.ts}"):
                break
        return moment.ts

    def ends_before(self, at: When) -> bool:
        """Whether a moment lies behind its last record."""
        moment = Moment(at)
        for item in self.items:
            moment.includes(item, f"document {self.doc!r}, time point {item.ts}")
        return moment.is_beyond

    def start(self) -> Replica:
        """The document before its first record; empty if that is not known."""
        if self.header is None or self.header.snapshot is None:
            return Replica()
        try:
            return Replica.from_snapshot(self.header.snapshot, self.header.ids)
        except SnapshotError as error:
            raise QuestionError(f"the header of the document {self.doc!r}: {error}") from error

    def prefixes(self) -> dict[str, str]:
        """The prefixes by which people name its nodes, those of its first snapshot; ``d`` is its default namespace."""
        if self.header is None or self.header.snapshot is None:
            return {}
        return prefixes_of(read_xml(self.header.snapshot.encode(), huge=True)[0])

    def knows(self, node: int, items: Iterable[PrimitiveEvent | ClockRecord | None]) -> bool:
        """Whether there was such a node, in the document before or in these records."""
        before = () if self.header is None else self.header.ids
        return node in before or any(isinstance(item, PrimitiveEvent) and node in item.ids for item in items)

    @property
    def doubled(self) -> int:
        """How many records have the time point of one before; the first counts."""
        points = [item.ts for item in self.items if isinstance(item, PrimitiveEvent)]
        return len(points) - len(set(points))

    def document(self, at: int | None) -> Replica:
        """The document at a time point, as far as its records show."""
        replica = self.start()
        for item in self.until(at):
            if isinstance(item, PrimitiveEvent):
                self.apply(replica, item)
        return replica

    def apply(self, replica: Replica, event: PrimitiveEvent) -> None:
        """Brings a document on; what does not fit is left out, for it only serves to show the document."""
        with suppress(ReplicaError):
            replica.apply(event)


class Player(Protocol[Raised]):
    """Whoever replays a log: a detector, or what notes more."""

    def feed(self, event: PrimitiveEvent) -> Raised:
        """The next event."""

    def flush(self) -> Raised:
        """The end of a transaction (D3)."""

    def advance(self, time: int) -> Raised:
        """Time has passed (W6)."""


def give(item: PrimitiveEvent | ClockRecord | None, player: Player[Raised]) -> Raised:
    """Gives an item of `Past.until` to whoever replays them; returns what that returns."""
    if item is None:
        return player.flush()
    if isinstance(item, ClockRecord):
        return player.advance(item.time)
    return player.feed(item)


class Pasts(NamedTuple):
    """What logs say about each document, by name, and the bad records that were left out."""

    documents: dict[str, Past]
    bad: list[BadRecord]

    @property
    def notes(self) -> tuple[str, ...]:
        """What there is to say of them beside any answer."""
        doubled = sum(past.doubled for past in self.documents.values())
        found = ((len(self.bad), "bad record"), (doubled, "record of a time point that was there before"))
        return tuple(
            f"{number:,} {what.replace('record', 'records', 1) if number > 1 else what} "
            f"{'was' if number == 1 else 'were'} left out."
            for number, what in found
            if number
        )

    def advanced(self, until: str | datetime | None) -> Pasts:
        """The same with time gone on until then behind the end of each document (W6)."""
        if until is not None:
            now = timestamp(time_or_day(until) if isinstance(until, str) else as_microseconds(until))
            for doc, past in self.documents.items():
                past.take(ClockRecord(doc, max((item.ts for item in past.items), default=0), now))
        return self

    def notes_at(self, at: When) -> tuple[str, ...]:
        """The same of an answer about a moment, which may lie behind the log's end."""
        beyond = at is not None and all(past.ends_before(at) for past in self.documents.values())
        return (*self.notes, *([f"The log ends before {at}: this is its end."] if beyond else []))


def _read(logs: LogPath | Iterable[LogPath], doc: str | None, on_bad: BadRecordPolicy | None) -> Pasts:
    documents: dict[str, Past] = {}
    bad: list[BadRecord] = []

    def leave_out(record: BadRecord) -> None:
        if on_bad is not None:
            on_bad(record)
        bad.append(record)

    files = [file.path for file in find_files(logs).files]
    for item in read_log(files, on_bad=leave_out, clock=ClockCheck.ANY):
        if doc is not None and item.doc != doc:
            continue
        past = documents.get(item.doc)
        if past is None:
            past = documents[item.doc] = Past(item.doc)
        if isinstance(item, Header):
            if past.header is None and not past.items:
                past.header = item
        else:
            past.take(item)
    if doc is not None and doc not in documents:
        raise QuestionError(f"nothing is recorded of the document {doc!r}")
    return Pasts({name: past for name, past in documents.items() if past.items or past.header}, bad)


def read_pasts(logs: LogPath | Iterable[LogPath]) -> dict[str, Past]:
    """What logs say about each document, by name; bad records are left out."""
    return _read(logs, None, None).documents


def read_some(
    logs: LogPath | Iterable[LogPath], doc: str | None, on_bad: BadRecordPolicy | None = None
) -> Pasts:
    """As `read_pasts`, of one document or all; ``on_bad`` is called with each bad record.

    Raises `QuestionError` if nothing at all could be read.
    """
    log = _read(logs, doc, on_bad)
    if log.bad and not log.documents:
        first = log.bad[0]
        raise QuestionError(
            f"no record of the log can be read, {len(log.bad):,} are bad; the first: {first.origin}: {first.reason}"
        )
    return log
