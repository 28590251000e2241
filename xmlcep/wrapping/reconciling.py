"""Comparing child lists with what was told of them, for edits that can change them in any way (rule E6)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from lxml import etree

from .records import TABLE, Node, Record
from .runs import longest_unchanged_run
from .telling import Teller

if TYPE_CHECKING:
    from .tracker import Tracker

_TEXT = etree._Element.text.__get__
_TAIL = etree._Element.tail.__get__


class Reconciler(Teller):
    """Finds what is different between the tree and the records of some of its nodes, and tells it."""

    __slots__ = ()

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

    def reconcile_all(self, sites: list[Node]) -> None:
        """As `reconcile`, the root's name included."""
        if self.root in sites and not self._same_tag(self.root):
            self.open_subtree(self.root)
            self.rename(self.root)
        self.reconcile(sites)

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
        behind: Node = None  # the sibling told to stand behind
        for child in reversed(told):
            known = TABLE.get(child)
            if type(known) is not Record or known.parent is not record:
                continue
            if child in kept:
                behind = child
            if child not in kept:
                self.unlink(known, behind)
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
        renamed.tail, renamed.tail_ids = tail, record.tail_ids
        parent.last = last

    # --- nodes made by C code, and edits made through proxies that are older than the wrapping

    def born(self, node: Node, parent: Record) -> None:
        """``node`` was made below a tracked parent by C code (SubElement): it is there with its attributes."""
        if self.journal is not None:
            self.journal.placed(node)
        if self.foreign or self.ignore_whitespace or node.getnext() is not None or len(node):
            self._born_elsewhere(node)
            self.delivery.settle()
        else:
            self.grown(node, parent)

    def _born_elsewhere(self, node: Node) -> None:
        parent = node.getparent()
        self.catch_up()
        if node not in TABLE:
            self.reconcile((parent,))

    def catch_up(self) -> None:
        """Tells what was edited through foreign proxies, and lets go of those nobody holds any more."""
        if not self.foreign or self.quiet:
            return
        self.quiet = True  # or the first look at a new node would catch up once more, in the midst of it
        try:
            changed = [node for node in self.foreign if self.differs(node)]
            if changed:
                self.reconcile_all(changed)
                for node in changed:
                    self._tail_of(node)
        finally:
            self.quiet = False

    def adopt_foreign(self, nodes: Iterable[Node]) -> None:
        """Keeps an eye on elements whose proxies have lxml's own class: their methods are not ours."""
        for node in nodes:
            self.open_children(node)
            self.foreign[node] = None
        self.judge()

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
