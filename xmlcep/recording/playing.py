"""The edits of a log made again on a wrapped document, by ordinary lxml calls (rule L11).

What acts on the document meanwhile may change it: a record whose node has gone is left out and counted, positions are
counted as far as there are nodes.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from typing import Any, NamedTuple

from lxml import etree

from path_types import Axis

from ..documents import Replica
from ..events import PrimitiveEvent
from ..log.errors import LogError
from ..log.reading import read_everything
from ..log.records import ClockRecord, Header
from ..log.segments import segments
from ..wrapping import Document

Element = Any


class Played(NamedTuple):
    """How many edits were made, and how many records could not be: their nodes had gone."""

    edits: int
    left_out: int


class Playback:
    """The edits of a log, for a document that is as the log's was at its beginning; `run` makes them.

    What rules have made in the log (``rule`` in ``meta``) is left out: who plays it has rules of their own. Raises
    `LogError` for a log that has no snapshot, or that of another document.
    """

    def __init__(self, document: Document, log: str | os.PathLike[str]) -> None:
        self._document = document
        self._items = _edits(item for _, item in read_everything(segments(log)))
        header = next(self._items, None)
        if not isinstance(header, Header):
            raise LogError(f"{log}: it has no snapshot of the document that its edits began with")
        self._player = _Player(document, _ids(document, header, log))

    def run(self) -> Played:
        """Makes all edits, in their transactions, and lets time pass as it did."""
        document, player = self._document, self._player
        with ExitStack() as stack:
            txn: int | None = None
            for item in self._items:
                if isinstance(item, Header):
                    continue
                if isinstance(item, ClockRecord):
                    stack.close()
                    txn = None
                    document.advance(item.at)
                    continue
                if "rule" in (item[0].meta or {}):
                    continue
                if item[0].txn != txn:
                    stack.close()
                    txn = item[0].txn
                    if txn is not None:
                        stack.enter_context(document.transaction())
                pairs: Any = item[0].meta or {}
                with document.transaction(**pairs) if txn is not None else ExitStack():
                    player.edit(item)
        return Played(player.edits, player.left_out)


def _edits(items: Iterable[object]) -> Iterator[Header | ClockRecord | list[PrimitiveEvent]]:
    """The records of an edit together (U1)."""
    edit: list[PrimitiveEvent] = []
    for item in items:
        goes_on = isinstance(item, PrimitiveEvent) and edit and edit[-1].more and edit[-1].txn == item.txn
        if edit and not goes_on:
            yield edit
            edit = []
        if isinstance(item, PrimitiveEvent):
            edit.append(item)
        elif isinstance(item, (Header, ClockRecord)):
            yield item
    if edit:
        yield edit


def _ids(document: Document, header: Header, log: str | os.PathLike[str]) -> list[int]:
    """The ids that the log has for the nodes of the document."""
    ids: list[int] | None = None
    if header.snapshot is not None:
        recorded = Replica.from_snapshot(header.snapshot, header.ids)
        ids = recorded.ids_for(Replica.from_snapshot(*document.snapshot()))
    if ids is None:
        raise LogError(
            f"{log}: its edits began with another document than this: give the one that was recorded"
        )
    return ids


class _Player:
    """Makes edits; knows which node of the document is which of the log."""

    def __init__(self, document: Document, ids: list[int]) -> None:
        self.edits = self.left_out = 0
        self._document = document
        self._elements: dict[int, Element] = {}
        self._texts: dict[int, tuple[Element, bool]] = {}  # the node, and whether it is the text behind it
        self._number(iter(ids))

    def _number(self, ids: Iterator[int]) -> None:
        """Goes through the document in the order of a snapshot."""
        pending: list[tuple[Element, bool]] = [(self._document.root, True)]
        while pending:
            node, entering = pending.pop()
            if not entering:
                if node.tail:
                    self._texts[next(ids)] = (node, True)
                continue
            if isinstance(node.tag, str):
                self._elements[next(ids)] = node
                for _ in node.attrib:
                    next(ids)
                if node.text:
                    self._texts[next(ids)] = (node, False)
                for child in reversed(node):
                    pending += [(child, False), (child, True)]

    def edit(self, events: list[PrimitiveEvent]) -> None:
        """Makes one edit."""
        self.edits += 1
        with self._document.one_edit():
            for event in events:
                if not self._apply(event):
                    self.left_out += 1

    def _apply(self, event: PrimitiveEvent) -> bool:
        last = event.path.last
        if last.is_element:
            return self._element(event)
        parent = self._there(event.ids[-2])
        if parent is None:
            return False
        if last.axis is Axis.ATTRIBUTE:
            if event.op == "del":
                parent.attrib.pop(last.test, None)
            else:
                parent.set(last.test, event.value or "")
            return True
        return self._text(event, parent)

    def _there(self, number: int) -> Element | None:
        """The element with this id in the log, if it is still in the document."""
        element = self._elements.get(number)
        root = self._document.root
        if element is None or element is root or any(above is root for above in element.iterancestors()):
            return element
        return None

    def _element(self, event: PrimitiveEvent) -> bool:
        if event.op == "del":
            element = self._there(event.ids[-1])
            if element is None or element is self._document.root:
                return False
            behind, parent = element.tail, element.getparent()
            if behind:
                element.tail = None
                _add_text(parent, element, behind)
            parent.remove(element)
            return True
        parent = self._there(event.ids[-2]) if len(event.ids) > 1 else None
        if parent is None:
            return False
        element = etree.Element(event.path.last.test)
        before, behind_text = _slot(parent, event.pos)
        if not behind_text:  # the text there comes to stand behind the element
            text = parent.text if before is None else before.tail
            if text:
                self._move_text(parent if before is None else before, before is not None, element)
        following = (parent[0] if len(parent) else None) if before is None else before.getnext()
        if following is None:
            parent.append(element)
        else:
            following.addprevious(element)
        self._elements[event.ids[-1]] = element
        return True

    def _move_text(self, node: Element, behind: bool, element: Element) -> None:
        """Gives a text to an element that is put before it."""
        if behind:
            element.tail, node.tail = node.tail, None
        else:
            element.tail, node.text = node.text, None
        for number, place in self._texts.items():
            if place[0] is node and place[1] is behind:
                self._texts[number] = (element, True)

    def _text(self, event: PrimitiveEvent, parent: Element) -> bool:
        number = event.ids[-1]
        if event.op == "ins":
            before, _ = _slot(parent, event.pos)
            if before is None:
                parent.text = (event.value or "") + (parent.text or "")
                self._texts[number] = (parent, False)
            else:
                before.tail = (event.value or "") + (before.tail or "")
                self._texts[number] = (before, True)
            return True
        node, behind = self._texts.get(number, (None, False))
        if node is None:
            return False
        value = None if event.op == "del" else event.value
        if behind:
            node.tail = value
        else:
            node.text = value
        return True


def _slot(parent: Element, pos: int | None) -> tuple[Element | None, bool]:
    """Behind which child position ``pos`` lies (None: before the first), and whether behind the text there, too."""
    before: Element | None = None
    count = 0
    if pos == 0:
        return None, False
    if parent.text:
        count = 1
    if count == pos:
        return None, True
    for child in parent:
        before = child
        if isinstance(child.tag, str):
            count += 1
            if count == pos:
                return child, False
        if child.tail:
            count += 1
            if count == pos:
                return child, True
    return before, True


def _add_text(parent: Element, node: Element, text: str) -> None:
    """Gives the text behind a node that goes to what stands before it."""
    previous = node.getprevious()
    if previous is None:
        parent.text = (parent.text or "") + text
    else:
        previous.tail = (previous.tail or "") + text
