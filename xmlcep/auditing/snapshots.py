"""The documents that headers of logs describe: what conditions need to know of the time before the first record."""

from __future__ import annotations

from ..documents import Needs, Replica
from ..documents.snapshots import SnapshotError
from ..log import Header


def snapshot_of(header: Header, file: str, needs: Needs | None = None) -> Replica:
    """The document that the header in this file describes, or what is needed of it; raises `SnapshotError` for a
    snapshot that is damaged."""
    assert header.snapshot is not None
    try:
        replica = Replica.from_snapshot(header.snapshot, header.ids, needs=needs)
    except SnapshotError as error:
        raise SnapshotError(f"{file}: the header of the document {header.doc!r}: {error}") from error
    return replica
