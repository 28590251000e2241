"""Snapshots: a document as XML text, with the ids of all its nodes."""

from __future__ import annotations

import copy
from collections.abc import Sequence

from lxml import etree

from .errors import RefusedError, WrapError
from .parsing import DEPTH_LIMIT
from .records import Node, Record, record_of
from .tracker import Tracker


def take_snapshot(tracker: Tracker) -> tuple[str, list[int]]:
    """XML text and ids in document order: element, attributes, then child nodes. Gives ids to nodes without."""
    tracker.open_subtree(tracker.root)
    ids: list[int] = []
    deepest = 0
    stack: list[tuple[Node, Record, bool]] = [(tracker.root, record_of(tracker.root), True)]
    while stack:
        node, record, entering = stack.pop()
        if entering:
            stack.append((node, record, False))
            if record.branch is not None:
                deepest = max(deepest, len(record.ids))
                ids.append(record.ids[-1])
                ids.extend(attribute.ids[-1] for attribute in (record.attributes or {}).values())
                if record.text is not None:
                    ids.append(record.text_ids[-1])
                stack.extend((child, record_of(child), True) for child in reversed(node))
        elif record.tail is not None and record.parent is not None:
            ids.append(record.tail_ids[-1])
    if deepest > DEPTH_LIMIT:
        raise RefusedError(
            f"the document {tracker.name!r} is {deepest} elements deep; XML deeper than {DEPTH_LIMIT} cannot be "
            "parsed again, so no snapshot (and no log) of it is written"
        )
    return _text(tracker), ids


def restore_ids(tracker: Tracker, ids: Sequence[int]) -> None:
    """Gives the nodes of a new tracker the ids of a snapshot; raises `WrapError` if there are not as many as nodes."""
    given = iter(ids)
    tracker.next_id = 1
    numbers = tracker.number_with(given)
    left = sum(1 for _ in given)
    if left or not numbers:
        raise WrapError(
            f"{len(ids)} ids were given for a document with {'fewer' if left else 'more'} nodes: "
            "they do not belong together"
        )
    tracker.next_id = max(ids, default=0) + 1


def _text(tracker: Tracker) -> str:
    root = tracker.root
    if tracker.ignore_whitespace:
        shown = copy.deepcopy(root)
        for copied, node in zip(shown.iter(), root.iter(), strict=True):
            record = record_of(node)
            if record.branch is not None:
                copied.text = record.text
            if record.parent is not None:
                copied.tail = record.tail
        root = shown
    return str(etree.tostring(root, encoding="unicode", with_tail=False))
