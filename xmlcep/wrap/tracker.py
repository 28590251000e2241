"""The tracker of one wrapped document: turns what changed in the tree into events (rule E6).

Every function here is called after the edit is complete in the tree (`materialise` and `open_children` before);
it brings the records in step, queues the events, and leaves their delivery to `Delivery.settle`.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timezone
from itertools import repeat
from typing import TYPE_CHECKING, Any

from lxml import etree

from path_types import PathType, Step

from ..events import PrimitiveEvent
from .delivery import Delivery
from .errors import RefusedError
from .records import TABLE, Attribute, Branch, Node, Record
from .runs import longest_unchanged_run
from .undo import Journal

if TYPE_CHECKING:
    from .transactions import Transaction

_new_event = tuple.__new__
# The C functions of lxml behind what the tracked classes override.
_TEXT = etree._Element.text.__get__
_TAIL = etree._Element.tail.__get__
_TAG = etree._Element.tag.__get__


class Tracker:
    """State of one document: clock, ids, delivery, the open transaction's journal."""

    __slots__ = (
        "_at", "_branches", "_millisecond", "clock", "delivery", "foreign", "ignore_whitespace", "journal", "meta",
        "name", "next_id", "now", "quiet", "root", "transaction", "txn", "txns", "_numbers", "_baseline", "_first", "_pinned",
    )  # fmt: skip

    def __init__(self, root: Node, name: str, now: Callable[[], float], ignore_whitespace: bool) -> None:
        self.root = root
        self.name = name
        self.now = now
        self.ignore_whitespace = ignore_whitespace
        self.clock = 0
        self.next_id = 1
        self.delivery = Delivery()
        self.quiet = False  # while proxies are made by reading: their _init is not news
        self.foreign: dict[Node, None] = {}
        self.journal: Journal | None = None
        self.txn: int | None = None
        self.txns = 0
        self.meta: dict[str, str] | None = None
        self.transaction: Transaction | None = None  # the one that is open
        self._numbers: Iterator[int] | None = None
        self._baseline = b""  # the tree as it was wrapped, to verify nodes of which nothing was ever told
        self._pinned: list[Node] = []  # its nodes, in document order
        self._first: dict[Node, tuple[Any, ...]] = {}  # what those had when their records were made
        self._branches: dict[str, Branch] = {}
        self._millisecond = -1
        self._at = ""

    # --- what is known of a node

    def pin(self) -> set[type]:
        """Puts every node of the tree into the table; returns the classes of proxies found."""
        collecting = gc.isenabled()
        gc.disable()  # a collection per 700 new proxies would find nothing and double the time
        self.quiet = True
        try:
            nodes = self._pinned = list(self.root.iter())
            TABLE.update(zip(nodes, repeat(self), strict=False))
            return set(map(type, nodes))
        finally:
            self.quiet = False
            if collecting:
                gc.enable()

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
            if type(TABLE[child]) is not Record:
                self._describe(child, record)
        return record

    def open_subtree(self, node: Node) -> None:
        """Gives every node of the subtree its record."""
        self.materialise(node)
        for each in node.iter():
            known = TABLE[each]
            if type(known) is not Record:
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
            return Record(self, parent, None, parent.ids if parent else (), prev)
        record = self._element_record(node, tag, parent, prev)
        hides = record.hides = self.hides(node)
        for key, value in node.items():
            self._attribute(record, key, value)
        record.text = self.told(_TEXT(node), hides)
        if record.text is not None:
            record.text_id = self._id()
        record.last = node[-1] if len(node) else None
        record.count = self.position(node, hides, None)
        return record

    def _describe_tail(self, node: Node, record: Record, parent: Record) -> None:
        record.tail = self.told(_TAIL(node), parent.hides)
        if record.tail is not None:
            record.tail_id = self._id()

    def _element_record(self, node: Node, tag: str, parent: Record | None, prev: Node) -> Record:
        if parent is None:
            branch = self._branches.get(tag)
            if branch is None:
                branch = self._branches[tag] = Branch(PathType.of(True, (Step.element(tag),)))
            return Record(self, None, branch, (self._id(),), prev)
        assert parent.branch is not None
        return Record(self, parent, parent.branch.child(tag), (*parent.ids, self._id()), prev)

    def _attribute(self, record: Record, key: str, value: str) -> Attribute:
        assert record.branch is not None
        attribute = Attribute(value, record.branch.attribute(key), (*record.ids, self._id()))
        if record.attributes is None:
            record.attributes = {}
        record.attributes[key] = attribute
        return attribute

    def number_with(self, given: Iterator[int]) -> bool:
        """Makes all records, in document order, with the ids ``given``; False if there are too few."""
        self._numbers = given
        try:
            for entering, node in _walk(self.root):
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

    def _id(self) -> int:
        if self._numbers is not None:
            return next(self._numbers)
        number = self.next_id
        self.next_id = number + 1
        return number

    # --- white space (ignore_whitespace)

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

    # --- events

    def emit(
        self, op: str, path: PathType, ids: tuple[int, ...], value: str | None, old: str | None, pos: int | None
    ) -> None:
        """Queues one event at the next time point."""
        self.clock = ts = self.clock + 1
        delivery = self.delivery
        if delivery.audience:
            event = _new_event(
                PrimitiveEvent,
                (ts, op, path, ids, value, old, pos, self.stamp(), self.name, self.txn, self.meta),
            )
            delivery.queue.append((delivery.depth + 1 if delivery.delivering else 0, event))

    def stamp(self) -> str:
        """The wall clock, RFC 3339 UTC with milliseconds."""
        millisecond = int(self.now() * 1000)
        if millisecond != self._millisecond:
            self._millisecond = millisecond
            seconds, rest = divmod(millisecond, 1000)
            moment = datetime.fromtimestamp(seconds, timezone.utc)
            self._at = f"{moment:%Y-%m-%dT%H:%M:%S}.{rest:03d}Z"
        return self._at

    # --- text and attributes

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
            record.text_id = self._id()
            record.count += 1
            self.emit("ins", path, (*record.ids, record.text_id), value, None, 0)
        elif value is None:
            record.count -= 1
            self.emit("del", path, (*record.ids, record.text_id), None, old, None)
        else:
            self.emit("upd", path, (*record.ids, record.text_id), value, old, None)

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
            record.tail_id = self._id()
            if pos is None:
                pos = self._tail_position(node, parent)
            parent.count += 1
            self.emit("ins", path, (*parent.ids, record.tail_id), value, None, pos)
        elif value is None:
            parent.count -= 1
            self.emit("del", path, (*parent.ids, record.tail_id), None, old, None)
        else:
            self.emit("upd", path, (*parent.ids, record.tail_id), value, old, None)

    def _tail_position(self, node: Node, parent: Record) -> int:
        if node.getnext() is None:
            return parent.count
        position = self.position(node.getparent(), parent.hides, node)
        return position + 1 if isinstance(node.tag, str) else position

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

    # --- nodes that come and go

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

    def born(self, node: Node, parent: Record) -> None:
        """``node`` was made below a tracked parent by C code (SubElement): it is there with its attributes."""
        journal = self.journal
        if journal is not None:
            journal.placed(node)
        if self.foreign or parent.hides or self.ignore_whitespace or node.getnext() is not None or len(node):
            self._born_elsewhere(node)
            return
        self._leaf(node, parent, parent.count)

    def grown(self, node: Node, parent: Record) -> None:
        """``node``, new to all wrapped documents, has been appended to a tracked parent."""
        if len(node):
            self.register(node, parent, parent.count, parent.last)
            return
        pos = parent.count
        record = self._leaf(node, parent, pos)
        tail = _TAIL(node)
        if tail:
            self.tail_changed(node, record, tail, pos + 1)

    def _leaf(self, node: Node, parent: Record, pos: int) -> Record:
        """Registers an element without children as the last of its parent; tells of it, its attributes and text."""
        number = self.next_id
        self.next_id = number + 1
        tag = _TAG(node)
        above = parent.branch
        branch = above.children.get(tag) or above.child(tag)  # type: ignore[union-attr]
        record = Record(self, parent, branch, (*parent.ids, number), parent.last)
        if self.journal is not None:
            self.journal.keep(parent)
            self.journal.made(node)
        TABLE[node] = record
        parent.last = node
        parent.count += 1
        self.emit("ins", branch.path, record.ids, None, None, pos)
        keys = node.keys()
        if keys:
            self.attributes_changed(node, record)
        text = _TEXT(node)
        if text:
            self.text_changed(node, record, text)
        return record

    def _born_elsewhere(self, node: Node) -> None:
        parent = node.getparent()
        self.catch_up()
        if node not in TABLE:
            self.reconcile((parent,))

    def register(
        self, node: Node, parent: Record | None, pos: int, prev: Node, *, tail: bool = True
    ) -> None:
        """Tells of a subtree that is new below ``parent``, at child index ``pos``, in document order; then of its tail.

        The links of the following sibling are the caller's business.
        """
        quiet, self.quiet = self.quiet, True
        try:
            for entering, each in _walk(node):
                if entering:
                    known = TABLE.get(each)
                    if known is not None:
                        self._take_over(each, known)
                    if each is node:
                        self._enter(each, parent, pos, prev)
                    else:
                        above = TABLE[each.getparent()]
                        assert type(above) is Record
                        self._enter(each, above, above.count, above.last)
                else:
                    record = TABLE[each]
                    assert type(record) is Record
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
            TABLE[node] = Record(self, parent, None, parent.ids if parent else (), prev)
            return
        record = self._element_record(node, tag, parent, prev)
        record.hides = self.hides(node)
        TABLE[node] = record
        if type(node) is etree._Element:
            self.foreign[node] = None
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
                self.emit("del", known.branch.text, (*known.ids, below.tail_id), None, below.tail, None)

    def _gone(self, node: Node, record: Record) -> None:
        if self.journal is not None:
            self.journal.lost(node, record)
        branch = record.branch
        if branch is not None:
            if record.text is not None:
                self.emit("del", branch.text, (*record.ids, record.text_id), None, record.text, None)
            if record.attributes:
                for attribute in reversed(record.attributes.values()):
                    self.emit("del", attribute.path, attribute.ids, None, attribute.value, None)
            self.emit("del", branch.path, record.ids, None, None, None)
        self.foreign.pop(node, None)
        del TABLE[node]

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

    # --- child lists

    def reconcile(self, parents: Iterable[Node]) -> None:
        """Tells the difference between the child lists, texts and attributes of ``parents`` and their records.

        All deletions come first, then insertions and updates in document order; of the children that were there
        before, the longest run that kept its order stays, the others are moved (del + ins, E6).
        """
        plans = []
        quiet, self.quiet = self.quiet, True
        try:
            for node in self._with_renamed(parents):
                record = self.materialise(node)
                if self.journal is not None:
                    self.journal.keep(record)
                told = self.told_children(record)
                now = list(node)
                kept = longest_unchanged_run(told, now)
                kept = {child for child in kept if self._same_tag(child)}
                record.hides = self.hides(node)
                plans.append((node, record, told, now, kept))
            for plan in reversed(plans):
                self._tell_gone(*plan)
            for plan in plans:
                if TABLE.get(plan[0]) is plan[1]:
                    self._tell_come(*plan)
        finally:
            self.quiet = quiet

    def told_children(self, record: Record) -> list[Node]:
        """The children as told, in order; they must have records (`open_children`)."""
        children = []
        child = record.last
        while child is not None:
            children.append(child)
            known = TABLE[child]
            assert type(known) is Record
            child = known.prev
        children.reverse()
        return children

    def _with_renamed(self, nodes: Iterable[Node]) -> list[Node]:
        """The nodes, and the parents of those that have another tag than told (renaming concerns the parent)."""
        found: dict[Node, None] = {}
        for node in nodes:
            if node in TABLE:
                if not self._same_tag(node) and node is not self.root:
                    parent = node.getparent()
                    if parent in TABLE:
                        self.open_children(parent)
                        found[parent] = None
                found[node] = None
        return list(found)

    @staticmethod
    def _same_tag(node: Node) -> bool:
        record = TABLE[node]
        if type(record) is not Record or record.branch is None:
            return True
        return bool(record.branch.path.steps[-1].test == node.tag)

    def _tell_gone(
        self, node: Node, record: Record, told: list[Node], now: list[Node], kept: set[Node]
    ) -> None:
        if TABLE.get(node) is not record:
            return
        for child in reversed(told):
            known = TABLE.get(child)
            if type(known) is not Record or known.parent is not record:
                continue
            if child not in kept:
                self.forget(child, known)
            elif self.told(_TAIL(child), record.hides) is None:
                self.tail_changed(child, known, None)
        if self.told(_TEXT(node), record.hides) is None:
            self.text_changed(node, record, None)

    def _tell_come(
        self, node: Node, record: Record, told: list[Node], now: list[Node], kept: set[Node]
    ) -> None:
        self.attributes_changed(node, record)
        self.text_changed(node, record, self.told(_TEXT(node), record.hides))
        pos = 0 if record.text is None else 1
        prev = None
        for child in now:
            if child in kept:
                known = TABLE[child]
                assert type(known) is Record
                if known.prev is not prev:
                    self._link(child, prev)
                self.tail_changed(
                    child, known, self.told(_TAIL(child), record.hides), pos + (known.branch is not None)
                )
            else:
                self.register(child, record, pos, prev)
                known = TABLE[child]
                assert type(known) is Record
            pos += (known.branch is not None) + (known.tail is not None)
            prev = child
        record.last = prev

    def rename(self, node: Node) -> None:
        """The tag of ``node`` (whose subtree has records) has changed: it is another node now (del, then ins).

        The text behind it is its parent's and stays as it is.
        """
        record = self.materialise(node)
        parent = record.parent
        if parent is None:
            self.forget(node, record)
            self.register(node, None, 0, None)
            return
        if self.journal is not None:
            self.journal.keep(record)
            self.journal.keep(parent)
        tail, record.tail = record.tail, None
        last = parent.last
        self.forget(node, record)
        pos = self.position(node.getparent(), parent.hides, node)
        self.register(node, parent, pos, record.prev, tail=False)
        renamed = TABLE[node]
        assert type(renamed) is Record
        renamed.tail, renamed.tail_id = tail, record.tail_id
        parent.last = last

    def reconcile_all(self, sites: list[Node]) -> None:
        """As `reconcile`, the root's name included."""
        if self.root in sites and not self._same_tag(self.root):
            self.open_subtree(self.root)
            self.rename(self.root)
        self.reconcile(sites)

    # --- edits made through proxies that are older than the wrapping

    def catch_up(self) -> None:
        """Tells what was edited through foreign proxies, and lets go of those nobody holds any more."""
        if self.foreign and not self.quiet:
            changed = [node for node in self.foreign if self.differs(node)]
            if changed:
                self.reconcile(changed)
                for node in changed:
                    self._tail_of(node)

    def adopt_foreign(self, nodes: Iterable[Node]) -> None:
        """Keeps an eye on elements whose proxies have lxml's own class: their methods are not ours."""
        for node in nodes:
            self.open_children(node)
            self.foreign[node] = None

    def differs(self, node: Node) -> bool:
        """Whether a node (its children having records) is not as told."""
        record = TABLE[node]
        assert type(record) is Record
        hides = self.hides(node)
        known = {name: attribute.value for name, attribute in (record.attributes or {}).items()}
        if not self._same_tag(node) or dict(node.items()) != known or self._tail_differs(node, record):
            return True
        if self.told(_TEXT(node), hides) != record.text:
            return True
        told, now = self.told_children(record), list(node)
        return told != now or any(self._tail_differs(child, TABLE[child]) for child in now)

    def _tail_differs(self, node: Node, record: Record | Tracker) -> bool:
        if type(record) is not Record or record.parent is None:
            return False
        return self.told(_TAIL(node), record.parent.hides) != record.tail

    def _tail_of(self, node: Node) -> None:
        record = TABLE.get(node)
        if type(record) is Record and record.parent is not None:
            self.tail_changed(node, record, self.told(_TAIL(node), record.parent.hides))

    # --- verification of what was never told of

    def take_baseline(self) -> None:
        """Keeps the tree as it is now, as text."""
        self._baseline = etree.tostring(self.root, encoding="utf-8", with_tail=False)

    def baseline_differences(self) -> Iterator[str]:
        """How nodes without events differ from what they were when the document was wrapped."""
        parser = etree.XMLParser(
            resolve_entities=False, no_network=True, load_dtd=False, huge_tree=True, remove_blank_text=False
        )
        try:
            before = list(etree.fromstring(self._baseline, parser).iter())
        except etree.XMLSyntaxError as error:
            raise RefusedError(f"the document {self.name!r} is too deep to be verified: {error}") from error
        index = {node: number for number, node in enumerate(before)}
        for node, old in zip(self._pinned, before, strict=True):
            known = TABLE.get(node)
            now = contents(node) if known is self else self._first.get(node)
            if now is not None and now != contents(old):
                yield f"{node!r}: was {contents(old)} when it was wrapped, and {now} when events first told of it"
            if known is self and old.getparent() is not None:
                parent, previous = old.getparent(), old.getprevious()
                if node.getparent() is not self._pinned[index[parent]] or node.getprevious() is not (
                    None if previous is None else self._pinned[index[previous]]
                ):
                    yield f"{node!r}: stands elsewhere than when it was wrapped"


def contents(node: Node) -> tuple[Any, ...]:
    """Name, text, tail and attributes of a node."""
    tag = node.tag
    if not isinstance(tag, str):
        return (_TAIL(node) or None,)
    tail = None if node.getparent() is None else _TAIL(node) or None
    return (tag, _TEXT(node) or None, tail, dict(node.items()))


def _walk(node: Node) -> Iterator[tuple[bool, Node]]:
    """Every node of the subtree on entering and on leaving it, without recursion."""
    yield True, node
    stack = [(node, node.iterchildren())]
    while stack:
        top, children = stack[-1]
        child = next(children, None)
        if child is None:
            stack.pop()
            yield False, top
        else:
            yield True, child
            stack.append((child, child.iterchildren()))
