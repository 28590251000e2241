"""Edits that no call of ours has seen: made by C code in an observed block, or found by verification."""

from __future__ import annotations

from typing import Any

from .errors import RefusedError, WrapError
from .records import TABLE, Node, Record
from .tracker import Tracker


class Observation:
    """The ``with`` block of `Document.observe`: what C code changed is told at its end."""

    __slots__ = ("_element", "_tracker")

    def __init__(self, tracker: Tracker, element: Node) -> None:
        known = TABLE.get(element)
        if known is None or (known.tracker if type(known) is Record else known) is not tracker:
            raise WrapError(f"{element!r} is no element of the document {tracker.name!r}")
        self._tracker = tracker
        self._element = element

    def __enter__(self) -> Observation:
        tracker = self._tracker
        if tracker.quiet:
            raise RefusedError(
                "observe() inside observe(): one block is enough, the outer one tells of everything"
            )
        tracker.catch_up()
        tracker.open_subtree(self._element)
        if tracker.journal is not None:
            for node in self._element.iter():
                tracker.journal.whole(node)
        tracker.quiet = True
        return self

    def __exit__(self, *_: object) -> None:
        tracker = self._tracker
        element = self._element
        tracker.quiet = False
        if element in TABLE:
            sites = [node for node in element.iter() if node in TABLE]
            parent = element.getparent()
            if parent is not None and parent in TABLE:
                tracker.open_children(parent)
                tracker.reconcile_all([parent, *sites])
            else:
                tracker.reconcile_all(sites)
        tracker.delivery.settle()


def differences(tracker: Tracker) -> list[str]:
    """How the tree differs from the records, and where no event was ever told, from the tree as it was wrapped."""
    found: list[str] = []
    quiet, tracker.quiet = tracker.quiet, True
    try:
        seen = 0
        for node in tracker.root.iter():
            known = TABLE.get(node)
            if known is None:
                found.append(f"{_place(node)}: was put into the tree unseen")
                continue
            seen += 1
            if type(known) is Record:
                found.extend(f"{_place(node)}: {problem}" for problem in _problems(tracker, node, known))
        owned = sum(
            1
            for known in list(TABLE.values())
            if known is tracker or getattr(known, "tracker", None) is tracker
        )
        if owned != seen:
            found.extend(_lost(tracker))
        found.extend(tracker.baseline_differences())
    finally:
        tracker.quiet = quiet
    return found


def _place(node: Node) -> str:
    try:
        return str(node.getroottree().getpath(node))
    except ValueError:
        return repr(node)


def _lost(tracker: Tracker) -> list[str]:
    present = set(tracker.root.iter())
    return [
        f"{node!r}: has left the tree unseen"
        for node, known in list(TABLE.items())
        if (known is tracker or (type(known) is Record and known.tracker is tracker)) and node not in present
    ]


def _problems(tracker: Tracker, node: Node, record: Record) -> list[str]:
    found = []
    parent = node.getparent()
    if parent is not None:
        above = TABLE.get(parent)
        if record.parent is not above:
            found.append("stands below another parent than told")
        elif node.getprevious() is not record.prev:
            found.append("stands behind another sibling than told")
        hides = tracker.hides(parent)
        _compare(found, "the text behind it", tracker.told(node.tail, hides), record.tail)
    if record.branch is None:
        return found
    _compare(found, "its name", node.tag, record.branch.path.steps[-1].test)
    hides = tracker.hides(node)
    _compare(found, "its text", tracker.told(node.text, hides), record.text)
    told = {name: attribute.value for name, attribute in (record.attributes or {}).items()}
    _compare(found, "its attributes", dict(node.items()), told)
    last = node[-1] if len(node) else None
    if last is not record.last:
        found.append("its last child is another than told")
    _compare(found, "the number of its child nodes", tracker.position(node, hides, None), record.count)
    return found


def _compare(found: list[str], what: str, now: Any, told: Any) -> None:
    if now != told:
        found.append(f"{what} is {now!r}, told was {told!r}")
