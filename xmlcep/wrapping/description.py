"""Describing the nodes of a tree in records, lazily: ids and paths are made when events need them."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from itertools import repeat
from typing import TYPE_CHECKING, Any, cast

from lxml import etree

from path_types import PathType, Step

from .ledger import Ledger
from .records import TABLE, Attribute, Branch, Node, Record
from .walks import contents, walk

if TYPE_CHECKING:
    from .tracker import Tracker

_TEXT = etree._Element.text.__get__
_TAIL = etree._Element.tail.__get__


class Describer(Ledger):
    """Finds or makes the records of nodes that have been in the tree all the time."""

    __slots__ = ("_branches", "_first", "_pinned")

    def __init__(self, root: Node, name: str, now: Callable[[], float], ignore_whitespace: bool) -> None:
        super().__init__(root, name, now, ignore_whitespace)
        self._branches: dict[str, Branch] = {}
        self._pinned: list[Node] = []  # the nodes when the document was wrapped, in document order
        self._first: dict[Node, tuple[Any, ...]] = {}  # what those had when their records were made

    def pin(self) -> set[type]:
        """Puts every node of the tree into the table; returns the classes of proxies found."""
        collecting = gc.isenabled()
        gc.disable()  # a collection per 700 new proxies would find nothing and double the time
        self.quiet = True
        try:
            nodes = self._pinned = list(self.root.iter())
            TABLE.update(zip(nodes, repeat(cast("Tracker", self)), strict=False))
            return set(map(type, nodes))
        finally:
            self.quiet = False
            if collecting:
                gc.enable()

    def forget_all(self) -> None:
        """Takes every node of this document out of the table (not by a walk of the table, which others share)."""
        self.quiet = True
        for nodes in (self.root.iter(), self._pinned):
            for node in nodes:
                known = TABLE.get(node)
                if known is self or (type(known) is Record and known.tracker is self):
                    del TABLE[node]
        self._pinned.clear()
        self._first.clear()

    def materialise(self, node: Node) -> Record:
        """The record of a node of this document; made, with those of its ancestors, when there is none."""
        known = TABLE[node]
        if type(known) is Record:
            return known
        missing = [node]
        above: Record | None = None
        parent = node.getparent()
        while parent is not None:
            found = TABLE[parent]
            if type(found) is Record:
                above = found
                break
            missing.append(parent)
            parent = parent.getparent()
        for each in reversed(missing):
            above = self._describe(each, above)
        assert above is not None
        return above

    def open_children(self, node: Node) -> Record:
        """The record of ``node``, all its children having records, so that they can be reordered."""
        record = self.materialise(node)
        for child in node.iterchildren():
            known = TABLE.get(child)
            if known is not None and type(known) is not Record:
                self._describe(child, record)
        return record

    def open_subtree(self, node: Node) -> None:
        """Gives every node of the subtree its record."""
        self.materialise(node)
        for each in node.iter():
            known = TABLE.get(each)
            if known is not None and type(known) is not Record:
                parent = TABLE[each.getparent()]
                assert type(parent) is Record
                self._describe(each, parent)

    def _describe(self, node: Node, parent: Record | None) -> Record:
        """The first record of a node that has been there all the time."""
        record = self._describe_node(node, parent)
        if parent is not None:
            self._describe_tail(node, record, parent)
        self._first[node] = contents(node)
        TABLE[node] = record
        return record

    def _describe_node(self, node: Node, parent: Record | None) -> Record:
        tag = node.tag
        prev = None if parent is None else node.getprevious()
        if not isinstance(tag, str):
            return Record(cast("Tracker", self), parent, None, parent.ids if parent else (), prev)
        record = self._element_record(node, tag, parent, prev)
        hides = record.hides = self.hides(node)
        for key, value in node.items():
            self._attribute(record, key, value)
        record.text = self.told(_TEXT(node), hides)
        if record.text is not None:
            record.text_ids = (*record.ids, self.new_id())
        record.last = node[-1] if len(node) else None
        record.count = self.position(node, hides, None)
        return record

    def _describe_tail(self, node: Node, record: Record, parent: Record) -> None:
        record.tail = self.told(_TAIL(node), parent.hides)
        if record.tail is not None:
            record.tail_ids = (*parent.ids, self.new_id())

    def _element_record(self, node: Node, tag: str, parent: Record | None, prev: Node) -> Record:
        if parent is None:
            branch = self._branches.get(tag)
            if branch is None:
                branch = self._branches[tag] = Branch(PathType.of(True, (Step.element(tag),)))
            return Record(cast("Tracker", self), None, branch, (self.new_id(),), prev)
        assert parent.branch is not None
        return Record(
            cast("Tracker", self), parent, parent.branch.child(tag), (*parent.ids, self.new_id()), prev
        )

    def _attribute(self, record: Record, key: str, value: str) -> Attribute:
        assert record.branch is not None
        attribute = Attribute(value, record.branch.attribute(key), (*record.ids, self.new_id()))
        if record.attributes is None:
            record.attributes = {}
        record.attributes[key] = attribute
        return attribute

    def number_with(self, given: Iterator[int]) -> bool:
        """Makes all records, in document order, with the ids ``given``; False if there are too few."""
        self._numbers = given
        try:
            for entering, node in walk(self.root):
                parent = None if node is self.root else TABLE[node.getparent()]
                assert parent is None or type(parent) is Record
                if entering:
                    TABLE[node] = self._describe_node(node, parent)
                elif parent is not None:
                    record = TABLE[node]
                    assert type(record) is Record
                    self._describe_tail(node, record, parent)
        except StopIteration:
            return False
        finally:
            self._numbers = None
        return True

    # --- white space (ignore_whitespace), positions

    def hides(self, node: Node) -> bool:
        """Whether white-space-only text among the children of ``node`` is left out: it has element-only content."""
        if not self.ignore_whitespace:
            return False
        text = _TEXT(node)
        if text and not text.isspace():
            return False
        elements = False
        for child in node.iterchildren():
            tail = _TAIL(child)
            if tail and not tail.isspace():
                return False
            elements = elements or isinstance(child.tag, str)
        return elements

    @staticmethod
    def told(text: str | None, hides: bool) -> str | None:
        """The text that events tell of; None and '' are both no text node."""
        if not text or (hides and text.isspace()):
            return None
        return text

    def position(self, parent: Node, hides: bool, before: Node) -> int:
        """The number of child nodes before the child ``before`` (None: of all child nodes)."""
        count = 1 if self.told(_TEXT(parent), hides) is not None else 0
        for child in parent.iterchildren():
            if child is before:
                return count
            if isinstance(child.tag, str):
                count += 1
            if self.told(_TAIL(child), hides) is not None:
                count += 1
        return count

    def position_of(self, parent: Node, record: Record, node: Node) -> int:
        """As `position`, from whichever end is nearer; ``record.count`` holds for the nodes without ``node``."""
        if node.getnext() is None:
            return record.count
        return self.position(parent, record.hides, node)

    def _tail_position(self, node: Node, parent: Record) -> int:
        if node.getnext() is None:
            return parent.count
        position = self.position(node.getparent(), parent.hides, node)
        return position + 1 if isinstance(node.tag, str) else position
