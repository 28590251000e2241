"""The document of any time point, from its change log."""

from __future__ import annotations

from lxml import etree

from ..events import PrimitiveEvent
from ..replica import Replica, ReplicaError, Strictness
from ..snapshots import SnapshotError
from .errors import LogError, Origin
from .quarantine import BadRecordPolicy, refuse
from .reading import read_log
from .records import Header
from .segments import Source, files_of


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
    reader = read_log(files_of(log), on_bad=on_bad)
    for item in reader:
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
        replica = _step(replica, item, reader.origin)
    if name is None or (replica is None and doc is not None):
        raise LogError(
            f"{_shown(log)}: nothing is recorded of " + (f"the document {doc!r}" if doc else "any document")
        )
    return Replica(strictness=Strictness.STRICT) if replica is None else replica, name


def _step(replica: Replica | None, item: Header | PrimitiveEvent, origin: Origin) -> Replica:
    try:
        if isinstance(item, Header):
            if item.snapshot is None:
                return Replica(strictness=Strictness.STRICT)
            return Replica.from_snapshot(item.snapshot, item.ids, strictness=Strictness.STRICT)
        if replica is None:
            replica = Replica(strictness=Strictness.STRICT)
        replica.apply(item)
    except (ReplicaError, SnapshotError) as error:
        raise LogError(f"{origin}: {error}") from error
    return replica


def _shown(log: Source) -> str:
    return ", ".join(str(file) for file in files_of(log))
