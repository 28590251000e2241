"""The document of any time point, from its change log."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from lxml import etree

from ..documents import Replica, ReplicaError, Strictness
from ..documents.snapshots import SnapshotError
from ..events import PrimitiveEvent
from ..log.errors import BadRecord, LogError, Origin
from ..log.quarantine import BadRecordPolicy, refuse
from ..log.reading import first_header, read_log
from ..log.records import Header
from ..log.segments import Source, files_of
from .annotation import mark_findings
from .moment import Moment, When


class Rebuilt(NamedTuple):
    """A document from its log: its root element, its name, the time point and the time (None: there is none) of the
    last record in it, and whether what was asked for lies behind the end of the log."""

    root: etree._Element
    doc: str
    ts: int
    time: str | None
    beyond_end: bool


def rebuild(
    log: Source, at: When = None, *, doc: str | None = None, on_bad: BadRecordPolicy = refuse
) -> etree._Element:
    """The root element of the document as it was at ``at``: a time point, a time such as 2026-01-31T12:00:00Z, or None
    for the end of the log.

    A time includes every record up to it (W1). Comments and processing instructions are not restored. ``doc`` names the
    document, if the log has several. A single file stands for all files of its log (`segments`). Raises `LogError`,
    which names the record, for a log that is damaged, has several documents, or has no document at ``at``, or no times.
    """
    return rebuild_with_end(log, at, doc=doc, on_bad=on_bad).root


def rebuild_with_end(
    log: Source, at: When = None, *, doc: str | None = None, on_bad: BadRecordPolicy = refuse,
    findings: Iterable[Mapping[str, Any]] | None = None,
) -> Rebuilt:  # fmt: skip
    """What `rebuild` gives, with how far it goes; raises the same. With ``findings``, finding records, their elements
    are marked (Y6)."""
    moment = Moment(at)
    replica, name, beyond_end = _replay(log, moment, doc=doc, on_bad=on_bad)
    root = replica.tree() if findings is None else mark_findings(replica, findings, doc=name, ts=moment.ts)
    if root is None:
        when = "at its end" if at is None else f"at {at}"
        raise LogError(f"{_shown(log)}: the document {name!r} has no root element {when}")
    return Rebuilt(root, name, moment.ts, moment.time, beyond_end)


def _replay(
    log: Source, moment: Moment, *, doc: str | None, on_bad: BadRecordPolicy
) -> tuple[Replica, str, bool]:
    """The replica with the document, the document's name, and whether the log ends before the moment."""
    replica: Replica | None = None
    name = doc
    beyond_end = False
    late = _Late(on_bad)
    files = _files_from(log, moment, doc)
    reader = read_log(files, on_bad=late.bad.append)
    try:
        for item in reader:
            if late.bad:
                late.tell_before(reader.origin)
            if doc is not None and item.doc != doc:
                continue
            if name is None:
                name = item.doc
            elif item.doc != name:
                raise LogError(
                    f"{reader.origin}: the log holds several documents ({name!r}, {item.doc!r}):"
                    " name the one to rebuild (doc=…, --doc …)"
                )
            if not moment.includes(item, reader.origin):
                if replica is None and isinstance(item, Header):
                    raise LogError(
                        f"{reader.origin}: the log begins at {item.ts}, after time point {moment.last}"
                    )
                break
            if isinstance(item, Header):
                replica = _begun(item)
            elif isinstance(item, PrimitiveEvent):
                if replica is None:
                    replica = Replica(strictness=Strictness.STRICT)
                replica.apply(item)
        else:
            beyond_end = moment.is_beyond
            late.tell_all()
    except (ReplicaError, SnapshotError) as error:
        raise LogError(f"{reader.origin}: {error}") from error
    if name is None or (replica is None and doc is not None):
        what = (
            f"the document {doc!r}"
            if doc is not None
            else "any document: expected a change log with at least one change"
        )
        raise LogError(f"{_shown(log)}: nothing is recorded of {what}")
    return Replica(strictness=Strictness.STRICT) if replica is None else replica, name, beyond_end


class _Late:
    """Tells the policy of a bad record when its turn has come: behind the time point asked for it is no matter.

    Readers work in batches and find bad records before the good ones in front of them are handed out.
    """

    def __init__(self, policy: BadRecordPolicy) -> None:
        self.policy = policy
        self.bad: list[BadRecord] = []

    def tell_before(self, origin: Origin) -> None:
        while self.bad and (self.bad[0].origin.file != origin.file or self.bad[0].origin < origin):
            self.policy(self.bad.pop(0))

    def tell_all(self) -> None:
        for bad in self.bad:
            self.policy(bad)


def _begun(header: Header) -> Replica:
    if header.snapshot is None:
        return Replica(strictness=Strictness.STRICT)
    return Replica.from_snapshot(header.snapshot, header.ids, strictness=Strictness.STRICT)


def _files_from(log: Source, moment: Moment, doc: str | None) -> list[Path]:
    """The files of a log from the last one on whose snapshot is not younger than the moment."""
    files = files_of(log)
    if moment.is_time:
        return files  # snapshots have a time point, but no time
    at = moment.last
    for index in range(len(files) - 1, 0, -1):
        header = first_header(files[index])
        if header is not None and (at is None or header.ts <= at) and doc in (None, header.doc):
            return files[index:]
    return files


def _shown(log: Source) -> str:
    return ", ".join(str(file) for file in files_of(log))
