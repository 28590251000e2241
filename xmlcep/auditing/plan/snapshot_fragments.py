"""The part of a snapshot that each key sees: what conditions need to know of the time before the first record."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from lxml import etree

from path_types import PathType, Step

from ...documents import Needs, Replica
from ...documents.snapshots import SnapshotError, parse_snapshot
from ...log import Header
from ...xml_writer import xml_text
from .partition_key import Pass, key_step

WHOLE = 0
"""The key of a pass that sees whole documents."""


class Fragment(NamedTuple):
    """A key node's subtree: its root's path type, XML text, the ids of its nodes in document order."""

    key: int
    path: PathType
    xml: str
    ids: tuple[int, ...]


def snapshot_of(header: Header, file: str, needs: Needs | None = None) -> Replica:
    """The document that the header in this file describes, or what is needed of it; raises `SnapshotError` for a
    snapshot that is damaged."""
    assert header.snapshot is not None
    try:
        replica = Replica.from_snapshot(header.snapshot, header.ids, needs=needs)
    except SnapshotError as error:
        raise SnapshotError(f"{file}: the header of the document {header.doc!r}: {error}") from error
    return replica


def fragments(header: Header, each: Pass, file: str) -> Iterator[Fragment]:
    """The fragments of a snapshot for the keys of a pass; raises `SnapshotError` for a snapshot that is damaged."""
    if header.snapshot is None:
        return
    replica = snapshot_of(header, file)
    if replica.root_id is None:
        raise SnapshotError(
            f"{file}: the header of the document {header.doc!r}: the snapshot has no root element"
        )
    if each.by_document:
        top = replica.element(replica.root_id)
        assert top is not None
        path = PathType.of(True, (Step.element(str(top.tag)),))
        yield Fragment(WHOLE, path, header.snapshot, header.ids)
        return
    # Parsed again: the replica took comments out of its own tree, and with them what separates text nodes.
    root = parse_snapshot(header.snapshot)
    ids, used = header.ids, 0
    paths: list[PathType] = []
    starts: list[int] = []
    key_depth = 0  # how deep the key node is that the walk is in; 0: in none
    # Counts nodes as the replica does: an element, its attributes, then texts and child elements in order.
    for what, element in etree.iterwalk(root, events=("start", "end", "comment", "pi")):
        if what == "start":
            step = Step.element(str(element.tag))
            paths.append(paths[-1].child(step) if paths else PathType.of(True, (step,)))
            starts.append(used)
            used += 1 + len(element.attrib) + bool(element.text)
            if not key_depth and key_step(each.keys, paths[-1]) is not None:
                key_depth = len(paths)
            continue
        if what == "end":
            if len(paths) == key_depth:
                key_depth = 0
                yield Fragment(
                    ids[starts[-1]], paths[-1], xml_text(element),
                    ids[starts[-1] : used],
                )  # fmt: skip
            paths.pop()
            starts.pop()
        if paths and element.tail:
            used += 1
