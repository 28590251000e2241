"""lxml's structural edits on tracked trees: what is looked at before the call, and what is told after it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from lxml import etree

from .errors import RefusedError
from .records import TABLE, Node, Record
from .tracker import Tracker

_Element = etree._Element


def tracker_of(node: Node) -> Tracker | None:
    """The tracker of a node of a wrapped document, None for any other."""
    known = TABLE.get(node)
    return known.tracker if type(known) is Record else known  # type: ignore[return-value]


def ready(node: Node) -> Record | None:
    """The record of a tracked node that is about to be edited; None if it is not tracked."""
    known = TABLE.get(node)
    if known is None:
        return None
    tracker: Tracker = known.tracker if type(known) is Record else known  # type: ignore[assignment]
    if tracker.foreign:
        tracker.catch_up()
    return tracker.materialise(node) if node in TABLE else None


def settle(*trackers: Tracker | None) -> None:
    """Tells of what has been queued."""
    for tracker in trackers:
        if tracker is not None:
            tracker.delivery.settle()


class Departure:
    """A tracked node that a call is about to move or remove: where it stands, its subtree with records."""

    __slots__ = ("following", "node", "parent", "previous", "record", "tracker")

    def __init__(self, node: Node, record: Record) -> None:
        tracker = record.tracker
        if node is tracker.root:
            raise RefusedError(
                f"<{node.tag}> is the root of the wrapped document {tracker.name!r} and cannot be moved away: "
                "attach copy.deepcopy(root), or close() the document first"
            )
        self.node = node
        self.record = record
        self.tracker = tracker
        tracker.open_subtree(node)
        self.parent = node.getparent()
        self.previous = node.getprevious()
        self.following = node.getnext()
        if self.following is not None:
            tracker.materialise(self.following)
        if tracker.journal is not None:
            tracker.journal.moving(node)

    def stayed(self) -> bool:
        """Whether the node stands where it stood."""
        node = self.node
        return (
            node.getparent() is self.parent
            and node.getprevious() is self.previous
            and node.getnext() is self.following
        )

    def tell(self) -> None:
        """The node has left its place."""
        self.tracker.unlink(self.record, self.following)
        self.tracker.forget(self.node, self.record)


def departure(node: object) -> Departure | None:
    """What to remember of a node before it is moved, if it belongs to a wrapped document."""
    record = ready(node) if isinstance(node, _Element) else None
    return None if record is None else Departure(node, record)


def put(node: Any, call: Callable[[], None], target: Node, *, neighbour: Node = None) -> None:
    """Runs an lxml call that puts ``node`` below ``target`` (which may be untracked) and tells the difference.

    ``neighbour``: a sibling to be, whose tail the call may hand to ``node`` (addnext).
    """
    if not isinstance(node, _Element):
        call()  # which raises lxml's own error
        return
    into = ready(target)
    known = node in TABLE
    leaving = departure(node)
    if into is None and known:
        into = ready(target)  # catching up with where the node was may have found the target
    if into is None and leaving is None:
        call()
        return
    trackers = (into.tracker if into else None, leaving.tracker if leaving else None)
    if any(tracker is not None and tracker.ignore_whitespace for tracker in trackers):
        _put_anyhow(node, call, target, leaving)
        return
    journal = into.tracker.journal if into is not None else None
    beside = ready(neighbour) if neighbour is not None else None
    if journal is not None:
        journal.tail(node)
        if neighbour is not None:
            journal.tail(neighbour)
        if leaving is None:
            journal.moving(node)
    call()
    if leaving is not None and leaving.stayed():
        tracker = leaving.tracker
        if beside is not None:
            tracker.tail_changed(neighbour, beside, neighbour.tail or None)
        tracker.tail_changed(node, leaving.record, node.tail or None)
    else:
        if leaving is not None:
            leaving.tell()
        if beside is not None:
            beside.tracker.tail_changed(neighbour, beside, neighbour.tail or None)
        _arrive(node)
    settle(*trackers)


def _arrive(node: Node) -> None:
    """``node``, untracked, may now stand below a tracked parent."""
    parent = node.getparent()
    if parent is None or parent not in TABLE or node in TABLE:
        return
    tracker = tracker_of(parent)
    assert tracker is not None
    following = node.getnext()
    if following is not None:
        tracker.materialise(following)
    record = tracker.materialise(parent)
    last = record.last
    pos = tracker.position_of(parent, record, node)
    tracker.register(node, record, pos, node.getprevious())
    if following is not None:
        record.last = last
        tracker.link(node, record)


def _put_anyhow(node: Node, call: Callable[[], None], target: Node, leaving: Departure | None) -> None:
    """As `put`, by comparing whole child lists: texts may come into or out of view (ignore_whitespace)."""
    sites = [target] if leaving is None else [target, leaving.parent]
    rearrange(sites, call)
    if leaving is not None and TABLE.get(node) is leaving.record and leaving.parent is not node.getparent():
        leaving.tell()


def rearrange(sites: Iterable[Node], call: Callable[[], None]) -> None:
    """Runs an lxml call that may change the child lists and texts of ``sites`` in any way; tells the difference.

    Whatever the call has done before it raised is told, too.
    """
    tracked = [site for site in dict.fromkeys(sites) if ready(site) is not None]
    trackers: dict[Tracker, list[Node]] = {}
    for site in tracked:
        tracker = tracker_of(site)
        assert tracker is not None
        tracker.open_children(site)
        if tracker.journal is not None:
            tracker.journal.children(site)
        trackers.setdefault(tracker, []).append(site)
    try:
        call()
    finally:
        for tracker, own in trackers.items():
            tracker.reconcile(own)
    settle(*trackers)


def open_all(nodes: Iterable[Node]) -> list[Node]:
    """Opens the subtrees of tracked nodes that are about to leave; returns their parents."""
    parents = []
    for node in nodes:
        if ready(node) is None:
            continue
        tracker = tracker_of(node)
        assert tracker is not None
        if node is tracker.root:
            Departure(node, tracker.materialise(node))  # refuses
        tracker.open_subtree(node)
        parents.append(node.getparent())
    return parents


def take_out(node: Node, call: Callable[[], None]) -> None:
    """Runs an lxml call that removes ``node`` (with its tail) from its parent."""
    leaving = departure(node)
    if leaving is None:
        call()
        return
    if leaving.tracker.ignore_whitespace:
        rearrange([leaving.parent], call)
        return
    call()
    leaving.tell()
    settle(leaving.tracker)


def refuse_cycle(target: Node, nodes: Iterable[Any]) -> None:
    """lxml 6.1 does not check item and slice assignment for cycles: a tree in a circle would crash it."""
    above = {target, *target.iterancestors()}
    for node in nodes:
        if node in above:
            raise RefusedError(
                f"<{node.tag}> contains (or is) <{target.tag}> and cannot be put below it: move the inner one out first"
            )


def refuse_duplicates(nodes: Iterable[Any]) -> None:
    """A node can stand in one place only."""
    seen = set()
    for node in nodes:
        if node in seen:
            raise RefusedError(
                f"<{node.tag}> is given twice: give copy.deepcopy(…) of it for the second place"
            )
        seen.add(node)
