"""What a transaction remembers to be able to undo itself: inverse edits, and records as they were."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lxml import etree

from .records import TABLE, Node, Record, record_of

if TYPE_CHECKING:
    from .tracker import Tracker

_Element: Any = etree._Element
_Instruction: Any = etree._ProcessingInstruction


class Journal:
    """The inverse edits of a transaction, oldest first, and the state of every record before its first change.

    The inverse edits are plain lxml calls; they are applied in reverse order. Records of nodes that came are
    dropped, those of nodes that went are put back, so restored nodes have the ids they had.
    """

    __slots__ = ("_before", "_edits", "_states")

    def __init__(self) -> None:
        self._edits: list[tuple[Any, ...]] = []
        self._before: dict[Node, Record | None] = {}  # None: the node was not in the table
        self._states: dict[Record, tuple[Any, ...]] = {}

    # --- records

    def keep(self, record: Record) -> None:
        """``record`` is about to change."""
        if record not in self._states:
            self._states[record] = record.state()

    def made(self, node: Node) -> None:
        """``node`` is about to come into the table."""
        self._before.setdefault(node, None)

    def lost(self, node: Node, record: Record) -> None:
        """``node`` is about to leave the table."""
        self.keep(record)
        self._before.setdefault(node, record)

    # --- inverse edits

    def text(self, node: Node) -> None:
        """The text (of a comment, too) is about to be set."""
        self._edits.append(("text", node, node.text))

    def tail(self, node: Node) -> None:
        """The tail is about to be set."""
        self._edits.append(("tail", node, node.tail))

    def tag(self, node: Node) -> None:
        """The tag (or a processing instruction's target) is about to be set."""
        name = "tag" if isinstance(node.tag, str) else "target"
        self._edits.append((name, node, getattr(node, name)))

    def attributes(self, node: Node) -> None:
        """Attributes are about to be set or deleted."""
        self._edits.append(("attributes", node, node.items()))

    def placed(self, node: Node) -> None:
        """A new node has been put into the tree."""
        self._edits.append(("place", node, None, None, node.tail))

    def moving(self, node: Node) -> None:
        """``node`` is about to be moved or removed."""
        self._edits.append(("place", node, node.getparent(), node.getnext(), node.tail))

    def children(self, node: Node) -> None:
        """The whole child list is about to change."""
        children = [(child, child.tail) for child in node.iterchildren()]
        self._edits.append(("children", node, node.text, children))

    def whole(self, node: Node) -> None:
        """Anything about ``node`` may be about to change."""
        if isinstance(node.tag, str):
            self.attributes(node)
            self.children(node)
            self.tag(node)
        else:
            self.text(node)

    def sites(self) -> list[Node]:
        """The nodes whose children, texts or attributes undoing may change."""
        found: dict[Node, None] = {}
        for kind, node, *rest in self._edits:
            above = [node.getparent()]
            if kind == "place":
                above.append(rest[0])
            else:
                above.append(node)
            for each in above:
                if each is not None:
                    found[each] = None
        return list(found)

    def undo(self, tracker: Tracker) -> None:
        """Brings tree and table back to where they were when the journal was opened."""
        self.undo_edits(tracker)
        for node, record in self._before.items():
            if record is None:
                TABLE.pop(node, None)
            else:
                TABLE[node] = record
        for record, state in self._states.items():
            record.restore(state)
        quiet, tracker.quiet = tracker.quiet, True
        for node, was in self._before.items():
            if was is not None and was.branch is not None:
                _mend(tracker, node, was)
        tracker.quiet = quiet

    def undo_edits(self, tracker: Tracker) -> None:
        """Brings the tree back, and leaves the table as it is; other documents tell of nodes taken back from them."""
        others = self._opened_elsewhere(tracker)
        quiet, tracker.quiet = tracker.quiet, True
        try:
            for kind, node, *rest in reversed(self._edits):
                _INVERSE[kind](node, *rest)
        finally:
            tracker.quiet = quiet
        for other, parents in others.items():
            other.reconcile(parents)
            other.delivery.settle()

    def _opened_elsewhere(self, tracker: Tracker) -> dict[Tracker, list[Node]]:
        """Where in other wrapped documents nodes are that were moved there from this one."""
        found: dict[Tracker, list[Node]] = {}
        for kind, node, *rest in self._edits:
            placed = (
                [node] if kind == "place" else [child for child, _ in rest[1]] if kind == "children" else []
            )
            for each in placed:
                known = TABLE.get(each)
                owner = known.tracker if type(known) is Record else known
                if owner is None or owner is tracker:
                    continue
                assert not isinstance(owner, Record)
                owner.open_subtree(each)
                owner.open_children(each.getparent())
                found.setdefault(owner, []).append(each.getparent())
        return found


def _mend(tracker: Tracker, node: Node, record: Record) -> None:
    """Takes back what was done to a node while it was out of the document, where no journal saw it."""
    told = tracker.told_children(record)
    if list(node) != told:
        _set_children(node, record.text, [(child, record_of(child).tail) for child in told])
    elif tracker.told(node.text, record.hides) != record.text:
        _set_text(node, record.text)
    items = [(name, attribute.value) for name, attribute in (record.attributes or {}).items()]
    if dict(node.items()) != dict(items):
        _set_attributes(node, items)
    for child in told:
        if tracker.told(child.tail, record.hides) != record_of(child).tail:
            _set_tail(child, record_of(child).tail)


def _set_text(node: Node, value: str | None) -> None:
    object.__setattr__(node, "text", value)  # a comment's text is not an element's


def _set_tail(node: Node, value: str | None) -> None:
    _Element.tail.__set__(node, value)


def _set_tag(node: Node, value: str) -> None:
    _Element.tag.__set__(node, value)


def _set_target(node: Node, value: str) -> None:
    _Instruction.target.__set__(node, value)


def _set_attributes(node: Node, items: list[tuple[str, str]]) -> None:
    """All attributes anew, so that their order is the old one."""
    attributes = _Element.attrib.__get__(node)
    attributes.clear()
    for key, value in items:
        _Element.set(node, key, value)


def _place(node: Node, parent: Node, following: Node, tail: str | None) -> None:
    """Puts a node (its tail goes along) back before ``following``, at the end of ``parent``, or takes it out."""
    if parent is None:
        above = node.getparent()
        if above is not None:
            _Element.remove(above, node)
    elif following is not None:
        _Element.addprevious(following, node)
    else:
        _Element.append(parent, node)
    if (node.tail or None) != (tail or None):
        _set_tail(node, tail)


def _set_children(node: Node, text: str | None, children: list[tuple[Node, str | None]]) -> None:
    for child in list(node):
        _Element.remove(node, child)
    _set_text(node, text)
    for child, tail in children:
        _Element.append(node, child)
        _set_tail(child, tail)


_INVERSE: dict[str, Callable[..., None]] = {
    "text": _set_text,
    "tail": _set_tail,
    "tag": _set_tag,
    "target": _set_target,
    "attributes": _set_attributes,
    "place": _place,
    "children": _set_children,
}
