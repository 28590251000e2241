"""The edits of a log made again on a wrapped document, by ordinary lxml calls (rule L11).

What acts on the document meanwhile may change it: a record whose node has gone is left out and counted, positions are
counted as far as there are nodes.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, suppress
from copy import deepcopy
from time import time
from typing import Any, NamedTuple

from lxml import etree

from path_types import Axis

from ..documents import Replica
from ..events import PrimitiveEvent
from ..log.errors import LogError
from ..log.quarantine import BadRecordPolicy, refuse
from ..log.reading import read_everything
from ..log.records import ClockRecord, Header
from ..log.segments import segments
from ..matching.whitespace import unindent
from ..timestamps import TimeError, microseconds
from ..wrapping import Document, wrap

Element = Any


class Played(NamedTuple):
    """How many edits were made, and how many records could not be: their nodes had gone, or are those
    that rules had made in the log."""

    edits: int
    left_out: int


class PlayedClock:
    """The wall clock of a document on which a log is played: it shows when what is made again was made.

    Before that, and for a log that says no times, it shows what time it is.
    """

    def __init__(self) -> None:
        self._shown: float | None = None

    def __call__(self) -> float:
        return time() if self._shown is None else self._shown

    def show(self, at: str | None) -> None:
        """The time that a record says; one that is none says nothing."""
        if at is not None:
            with suppress(TimeError):
                self._shown = microseconds(at) / 1_000_000


class Playback:
    """The edits of a log, for a document that is as the log's was at its beginning; `run` makes them.

    ``document`` is what they are made on: the given one, or, for a log without the white space that only indents, as
    versions are compared without it, another one that has none either. What rules have made in the log (``rule`` in
    ``meta``) is left out: who plays it has rules of their own. ``clock`` is the one that the document was wrapped
    with: rules that measure time see that of the log. Raises `LogError` for a log that has no snapshot, or
    that of another document.
    """

    def __init__(
        self, document: Document, log: str | os.PathLike[str], clock: PlayedClock, *,
        on_bad: BadRecordPolicy = refuse,
    ) -> None:  # fmt: skip
        self._clock = clock
        self._items = _edits(item for _, item in read_everything(segments(log), on_bad=on_bad))
        header = next(self._items, None)
        if not isinstance(header, Header):
            raise LogError(f"{log}: it has no snapshot of the document that its edits began with")
        ids = _ids(document, header)
        if ids is None:
            document = _unindented(document, clock)
            ids = _ids(document, header)
        if ids is None:
            raise LogError(
                f"{log}: its edits began with another document than this: give the one that was recorded"
            )
        self.document = document
        self._player = _Player(document, ids)

    def run(self) -> Played:
        """Makes all edits, in their transactions, and lets time pass as it did."""
        document, player = self.document, self._player
        with ExitStack() as stack:
            txn: int | None = None
            for item in self._items:
                if isinstance(item, Header):
                    continue
                if isinstance(item, ClockRecord):
                    stack.close()
                    txn = None
                    self._clock.show(item.at)
                    document.advance(item.at)
                    continue
                if "rule" in (item[0].meta or {}):
                    continue
                if item[0].txn != txn:
                    stack.close()
                    txn = item[0].txn
                    if txn is not None:
                        stack.enter_context(document.transaction())
                self._clock.show(item[0].at)
                pairs: Any = item[0].meta or {}
                with document.transaction(**pairs) if txn is not None else ExitStack():
                    player.edit(item)
        return Played(player.edits, player.left_out)

    def join_texts(self) -> None:
        """Takes out what has kept texts apart that are two in the log, as they were parted by a comment; when nobody
        looks on any more."""
        self._player.join_texts()


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


def _ids(document: Document, header: Header) -> list[int] | None:
    """The ids that the log has for the nodes of the document, None if these are not those of its snapshot."""
    if header.snapshot is None:
        return None
    recorded = Replica.from_snapshot(header.snapshot, header.ids)
    return recorded.ids_for(Replica.from_snapshot(*document.snapshot()))


def _unindented(document: Document, clock: PlayedClock) -> Document:
    """A document like this one without the white space that only indents."""
    tree = deepcopy(document.tree)
    unindent(tree.getroot())
    return wrap(tree, name=document.name, now=clock)


class _Place(NamedTuple):
    """Where a text is: in a node, before its first child, or ``behind`` it."""

    node: Element
    behind: bool

    @property
    def text(self) -> str | None:
        text: str | None = self.node.tail if self.behind else self.node.text
        return text

    def set(self, text: str | None) -> None:
        if self.behind:
            self.node.tail = text
        else:
            self.node.text = text


class _Player:
    """Makes edits; knows which node of the document is which of the log."""

    def __init__(self, document: Document, ids: list[int]) -> None:
        self.edits = self.left_out = 0
        self._document = document
        self._elements: dict[int, Element] = {}
        self._texts: dict[int, _Place] = {}
        self._at: dict[_Place, int] = {}
        self._separators: list[Element] = []
        self._number(iter(ids))

    def _number(self, ids: Iterator[int]) -> None:
        """Goes through the document in the order of a snapshot."""
        pending: list[tuple[Element, bool]] = [(self._document.root, True)]
        while pending:
            node, entering = pending.pop()
            if not entering:
                if node.tail:
                    self._put(next(ids), _Place(node, True))
                continue
            if isinstance(node.tag, str):
                self._elements[next(ids)] = node
                for _ in node.attrib:
                    next(ids)
                if node.text:
                    self._put(next(ids), _Place(node, False))
                for child in reversed(node):
                    pending += [(child, False), (child, True)]

    def _put(self, number: int, place: _Place) -> None:
        """The text with this id in the log is there now."""
        self._texts[number] = place
        self._at[place] = number

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
        if len(event.ids) == 1:
            return self._root(event)
        if event.op == "del":
            element = self._there(event.ids[-1])
            if element is None or element is self._document.root:
                return False
            parent, previous, behind = element.getparent(), element.getprevious(), _Place(element, True)
            if behind.text:
                front = _Place(parent, False) if previous is None else _Place(previous, True)
                self._move_text(behind, self._apart(parent, element) if front.text else front)
            parent.remove(element)
            return True
        parent = self._there(event.ids[-2])
        if parent is None:
            return False
        element = etree.Element(event.path.last.test)
        before, behind_text = _slot(parent, event.pos)
        there = _Place(parent, False) if before is None else _Place(before, True)
        if there.text and not behind_text:
            self._move_text(there, _Place(element, True))
        following = (parent[0] if len(parent) else None) if before is None else before.getnext()
        if following is None:
            parent.append(element)
        else:
            following.addprevious(element)
        self._elements[event.ids[-1]] = element
        return True

    def _root(self, event: PrimitiveEvent) -> bool:
        """Another root comes for the one that went; the Python object stays, as in `Document.update_to`."""
        root = self._document.root
        if event.op == "del":
            self._elements.pop(event.ids[-1], None)
        else:
            root.clear()
            root.tag = event.path.last.test
            self._elements[event.ids[-1]] = root
        return True

    def _move_text(self, old: _Place, new: _Place) -> None:
        """Gives a text another place."""
        text = old.text
        old.set(None)
        new.set(text)
        number = self._at.pop(old, None)
        if number is not None:
            self._put(number, new)

    def _apart(self, parent: Element, before: Element | None) -> _Place:
        """A place for a text that is not to be joined with the one in front of it: behind a comment, before a child."""
        separator = etree.Comment("")
        self._separators.append(separator)
        if before is None:
            parent.append(separator)
        else:
            parent.insert(parent.index(before), separator)
        return _Place(separator, True)

    def join_texts(self) -> None:
        for separator in self._separators:
            parent = separator.getparent()
            if parent is None:
                continue
            previous, behind = separator.getprevious(), _Place(separator, True)
            before = _Place(parent, False) if previous is None else _Place(previous, True)
            before.set((before.text or "") + (behind.text or "") or None)
            behind.set(None)
            parent.remove(separator)

    def _text(self, event: PrimitiveEvent, parent: Element) -> bool:
        number = event.ids[-1]
        if event.op == "ins":
            before, behind_text = _slot(parent, event.pos)
            place = _Place(parent, False) if before is None else _Place(before, True)
            if place.text:
                following = (parent[0] if len(parent) else None) if before is None else before.getnext()
                apart = self._apart(parent, following)
                if behind_text:
                    place = apart
                else:
                    self._move_text(place, apart)
            place.set(event.value or "")
            self._put(number, place)
            return True
        known = self._texts.get(number)
        if known is None:
            return False
        known.set(None if event.op == "del" else event.value)
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
