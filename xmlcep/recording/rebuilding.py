"""The document of any time point, from its change log."""

from __future__ import annotations

from pathlib import Path

from lxml import etree

from ..documents import Replica, ReplicaError, Strictness
from ..documents.snapshots import SnapshotError
from ..events import PrimitiveEvent
from ..log.errors import BadRecord, LogError, Origin
from ..log.quarantine import BadRecordPolicy, refuse
from ..log.reading import first_header, read_log
from ..log.records import Header
from ..log.segments import Source, files_of


def rebuild(
    log: Source, at: int | None = None, *, doc: str | None = None, on_bad: BadRecordPolicy = refuse
) -> etree._Element:
    """The root element of the document as it was at time point ``at`` (None: at the end of the log).

    Comments and processing instructions are not part of it. ``doc`` names the document of a log of several.
    A single file stands for all the files the log was rolled over to (`segments`). Raises `LogError`, which
    names the record, for a log that is damaged, holds several documents, or has no document at ``at``.
    """
    replica, name = replay(log, at, doc=doc, on_bad=on_bad)
    root = replica.tree()
    if root is None:
        when = "at its end" if at is None else f"at {at}"
        raise LogError(f"{_shown(log)}: the document {name!r} has no root element {when}")
    return root


def replay(
    log: Source, at: int | None = None, *, doc: str | None = None, on_bad: BadRecordPolicy = refuse
) -> tuple[Replica, str]:
    """The replica that `rebuild` takes the document from, and the document's name; raises the same."""
    replica: Replica | None = None
    name = doc
    late = _Late(on_bad)
    reader = read_log(_files_from(log, at, doc), on_bad=late.bad.append)
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
            if at is not None and item.ts > at:
                if replica is None and isinstance(item, Header):
                    raise LogError(f"{reader.origin}: the log begins at {item.ts}, behind time point {at}")
                break
            if isinstance(item, Header):
                replica = _begun(item)
            elif isinstance(item, PrimitiveEvent):
                if replica is None:
                    replica = Replica(strictness=Strictness.STRICT)
                replica.apply(item)
        else:
            late.tell_all()
    except (ReplicaError, SnapshotError) as error:
        raise LogError(f"{reader.origin}: {error}") from error
    if name is None or (replica is None and doc is not None):
        what = f"the document {doc!r}" if doc else "any document"
        raise LogError(f"{_shown(log)}: nothing is recorded of {what}")
    return Replica(strictness=Strictness.STRICT) if replica is None else replica, name


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


def _files_from(log: Source, at: int | None, doc: str | None) -> list[Path]:
    """The files of a log from the last one on whose snapshot is not younger than ``at``."""
    files = files_of(log)
    for index in range(len(files) - 1, 0, -1):
        header = first_header(files[index])
        if header is not None and (at is None or header.ts <= at) and doc in (None, header.doc):
            return files[index:]
    return files


def _shown(log: Source) -> str:
    return ", ".join(str(file) for file in files_of(log))
