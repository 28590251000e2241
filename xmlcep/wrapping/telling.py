"""Telling what happened to single nodes: texts, attributes, subtrees that came and went (rule E6)."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from lxml import etree

from .description import Describer
from .records import TABLE, Node, Record, record_of
from .walks import walk

if TYPE_CHECKING:
    from .tracker import Tracker

_TEXT = etree._Element.text.__get__
_TAIL = etree._Element.tail.__get__
_TAG = etree._Element.tag.__get__


class Teller(Describer):
    """Brings records in step with a tree that has changed already, and makes the events."""

    __slots__ = ()

    def text_changed(self, node: Node, record: Record, value: str | None) -> None:
        """The text before the first child of ``node`` is now ``value``."""
        old = record.text
        if value == old:
            return
        if self.journal is not None:
            self.journal.keep(record)
        assert record.branch is not None
        path = record.branch.text
        record.text = value
        if old is None:
            record.text_ids = (*record.ids, self.new_id())
            record.count += 1
            self.emit("ins", path, record.text_ids, value, None, 0)
        elif value is None:
            record.count -= 1
            self.emit("del", path, record.text_ids, None, old, None)
        else:
            self.emit("upd", path, record.text_ids, value, old, None)

    def tail_changed(self, node: Node, record: Record, value: str | None, pos: int | None = None) -> None:
        """The text behind ``node`` is now ``value``; ``pos`` is its index, if known, should it be new."""
        old = record.tail
        parent = record.parent
        if value == old or parent is None:
            return
        if self.journal is not None:
            self.journal.keep(record)
            self.journal.keep(parent)
        assert parent.branch is not None
        path = parent.branch.text
        record.tail = value
        if old is None:
            record.tail_ids = (*parent.ids, self.new_id())
            if pos is None:
                pos = self._tail_position(node, parent)
            parent.count += 1
            self.emit("ins", path, record.tail_ids, value, None, pos)
        elif value is None:
            parent.count -= 1
            self.emit("del", path, record.tail_ids, None, old, None)
        else:
            self.emit("upd", path, record.tail_ids, value, old, None)

    def attributes_changed(self, node: Node, record: Record) -> None:
        """Any attributes of ``node`` may have changed: tells what the difference to the record is."""
        now = dict(node.items())
        known = record.attributes or {}
        if self.journal is not None:
            self.journal.keep(record)
        for key in [key for key in reversed(known) if key not in now]:
            gone = known.pop(key)
            self.emit("del", gone.path, gone.ids, None, gone.value, None)
        for key, value in now.items():
            attribute = known.get(key)
            if attribute is None:
                attribute = self._attribute(record, key, value)
                self.emit("ins", attribute.path, attribute.ids, value, None, None)
            elif attribute.value != value:
                old, attribute.value = attribute.value, value
                self.emit("upd", attribute.path, attribute.ids, value, old, None)

    # --- nodes that come

    def without(self, parent: Node, node: Node) -> Record:
        """The first record of ``parent``, made when ``node`` had been put below it already: as it was before."""
        record = self.materialise(parent)
        previous, following = node.getprevious(), node.getnext()
        if following is None:
            record.last = previous
        else:
            self.materialise(following).prev = previous
        record.count -= 1 + (self.told(_TAIL(node), record.hides) is not None)
        return record

    def grown(self, node: Node, parent: Record) -> None:
        """``node``, new to all wrapped documents, has been appended to a tracked parent."""
        if len(node):
            self.register(node, parent, parent.count, parent.last)
            self.delivery.settle()
            return
        pos = parent.count
        record = self.leaf(node, parent)
        text = _TEXT(node)
        tail = _TAIL(node)
        if text or tail:
            if text:
                self.text_changed(node, record, text)
            if tail:
                self.tail_changed(node, record, tail, pos + 1)
            self.delivery.settle()

    def leaf(self, node: Node, parent: Record) -> Record:
        """Registers an element without children as the last of its parent; tells of it and its attributes."""
        self.next_id = number = self.next_id + 1
        tag = _TAG(node)
        above = parent.branch
        assert above is not None
        branch = above.children.get(tag) or above.child(tag)
        ids = (*parent.ids, number - 1)
        TABLE[node] = record = Record(cast("Tracker", self), parent, branch, ids, parent.last)
        if self.journal is not None:
            self.journal.keep(parent)
            self.journal.made(node)
        pos = parent.count
        parent.last = node
        parent.count = pos + 1
        if node.keys():
            self.emit("ins", branch.path, ids, None, None, pos)
            self.attributes_changed(node, record)
            self.delivery.settle()
        else:
            self.tell("ins", branch.path, ids, None, None, pos)
        return record

    def register(self, node: Node, parent: Record | None, pos: int, prev: Node, *, tail: bool = True) -> None:
        """Tells of a subtree that is new below ``parent``, at child index ``pos``, in document order; then of its tail.

        The links of the following sibling are the caller's business.
        """
        quiet, self.quiet = self.quiet, True
        try:
            for entering, each in walk(node):
                if entering:
                    known = TABLE.get(each)
                    if known is not None:
                        self._take_over(each, known)
                    if each is node:
                        self._enter(each, parent, pos, prev)
                    else:
                        holder = record_of(each.getparent())
                        self._enter(each, holder, holder.count, holder.last)
                else:
                    record = record_of(each)
                    above = record.parent
                    if above is None or (each is node and not tail):
                        continue
                    behind = self.told(_TAIL(each), above.hides)
                    if behind is not None:
                        own = pos + (record.branch is not None)
                        self.tail_changed(each, record, behind, own if each is node else above.count)
        finally:
            self.quiet = quiet

    def _enter(self, node: Node, parent: Record | None, pos: int, prev: Node) -> None:
        if self.journal is not None:
            self.journal.made(node)
            if parent is not None:
                self.journal.keep(parent)
        tag = node.tag
        if parent is not None:
            parent.last = node
        if not isinstance(tag, str):
            TABLE[node] = Record(cast("Tracker", self), parent, None, parent.ids if parent else (), prev)
            return
        record = self._element_record(node, tag, parent, prev)
        record.hides = self.hides(node)
        TABLE[node] = record
        if type(node) is etree._Element:
            self.foreign[node] = None
            self.judge()
        if parent is not None:
            parent.count += 1
        assert record.branch is not None
        self.emit("ins", record.branch.path, record.ids, None, None, pos)
        for key, value in node.items():
            attribute = self._attribute(record, key, value)
            self.emit("ins", attribute.path, attribute.ids, value, None, None)
        text = self.told(_TEXT(node), record.hides)
        if text is not None:
            self.text_changed(node, record, text)

    @staticmethod
    def _take_over(node: Node, known: Record | Tracker) -> None:
        """A node still recorded at another place, which an untracked edit took it from: tells that it is gone there."""
        if type(known) is not Record:
            for each in node.iter():
                TABLE.pop(each, None)
            return
        tracker = known.tracker
        above = known.parent
        if above is not None:
            behind = above.last
            while behind is not None and behind is not node:
                record = TABLE[behind]
                if type(record) is Record and record.prev is node:
                    tracker.unlink(known, behind)
                    break
                behind = record.prev if type(record) is Record else None
            else:
                tracker.unlink(known, None)
        tracker.open_subtree(node)
        tracker.forget(node, known)

    # --- nodes that go

    def forget(self, node: Node, record: Record) -> None:
        """Tells that the subtree (which may be elsewhere by now) is gone: its tail first, then in reverse order.

        The subtree must have its records (`open_subtree`); what it was is taken from them.
        """
        if record.tail is not None:
            self.tail_changed(node, record, None)
        above = record.parent
        if above is not None and record.branch is not None:
            if self.journal is not None:
                self.journal.keep(above)
            above.count -= 1
        stack = [(node, record, record.last)]
        while stack:
            top, known, child = stack.pop()
            if child is None:
                self._gone(top, known)
                continue
            below = TABLE[child]
            assert type(below) is Record
            stack.append((top, known, below.prev))
            stack.append((child, below, below.last))
            if below.tail is not None and known.branch is not None:
                self.emit("del", known.branch.text, below.tail_ids, None, below.tail, None)

    def _gone(self, node: Node, record: Record) -> None:
        if self.journal is not None:
            self.journal.lost(node, record)
        branch = record.branch
        if branch is not None:
            if record.text is not None:
                self.emit("del", branch.text, record.text_ids, None, record.text, None)
            if record.attributes:
                for attribute in reversed(record.attributes.values()):
                    self.emit("del", attribute.path, attribute.ids, None, attribute.value, None)
            self.emit("del", branch.path, record.ids, None, None, None)
        if self.foreign:
            self.foreign.pop(node, None)
            self.judge()
        del TABLE[node]

    # --- the chain of siblings

    def unlink(self, record: Record, following: Node) -> None:
        """Takes a node out of the told list of children; ``following`` was its next sibling (None: it was last)."""
        above = record.parent
        assert above is not None
        if following is None:
            if self.journal is not None:
                self.journal.keep(above)
            above.last = record.prev
        else:
            self._link(following, record.prev)

    def link(self, node: Node, record: Record) -> None:
        """Links a registered node with the sibling that follows it; `register` has made it the last child."""
        following = node.getnext()
        if following is not None:
            self._link(following, node)

    def _link(self, node: Node, prev: Node) -> None:
        record = self.materialise(node)
        if self.journal is not None:
            self.journal.keep(record)
        record.prev = prev
