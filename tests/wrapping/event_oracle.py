"""An independent judge of events: looks at the tree before and after each step by plain iteration.

It knows nothing of shadow nodes or of how edits are seen. From two pictures of a tree (path, kind, value of every
node, and which lxml node it is) it works out what the events must be: removed = one del, new = one ins, changed =
one upd, relocated = del and ins, else nothing. It also applies the events to a document made from events alone, by ids
and pos, and demands the tree that is there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from lxml import etree

from tests.wrapping.outside_classes import plain_parser
from xmlcep.events import PrimitiveEvent

Slot = tuple[Any, str]
"""A node of the event model: an lxml node and "element", "text", "tail" or "@name"."""

# lxml's own accessors: a class of an application, objectify's for one, may read otherwise.
_text, _tail, _tag = (getattr(etree._Element, name).__get__ for name in ("text", "tail", "tag"))
_children, _items = etree._Element.iterchildren, etree._Element.items


def name_of(node: Any) -> str | None:
    """The name of an element as text, whatever it was set with; None for a comment and the like."""
    if isinstance(node, (etree._Comment, etree._ProcessingInstruction, etree._Entity)):
        return None
    tag = _tag(node)
    if isinstance(tag, etree.QName):
        tag = tag.text
    name = bytes(tag).decode() if isinstance(tag, (bytes, bytearray)) else str(tag)
    return name.removeprefix("{}")


def attributes_of(node: Any) -> list[tuple[str, str]]:
    """Names and values in order."""
    return [(str(name), str(value)) for name, value in _items(node)]


@dataclass
class Seen:
    """What is known of one node: path, parent slot, value; for children the list of slots in order."""

    path: str
    parent: Slot | None
    value: str | None


def children_of(element: Any) -> list[Slot]:
    """Child nodes of an element in order: texts and elements."""
    found: list[Slot] = []
    if _text(element):
        found.append((element, "text"))
    for child in _children(element):
        if name_of(child) is not None:
            found.append((child, "element"))
        if _tail(child):
            found.append((child, "tail"))
    return found


def picture(root: Any) -> dict[Slot, Seen]:
    """Every node of the tree, in document order."""
    found: dict[Slot, Seen] = {}

    def visit(element: Any, above: str, parent: Slot | None) -> None:
        path = f"{above}/{name_of(element)}"
        me: Slot = (element, "element")
        found[me] = Seen(path, parent, None)
        for name, value in attributes_of(element):
            found[element, f"@{name}"] = Seen(f"{path}/@{name}", me, value)
        for node, kind in children_of(element):
            if kind == "element":
                visit(node, path, me)
            else:
                value = _text(node) if kind == "text" else _tail(node)
                found[node, kind] = Seen(f"{path}/text()", me, value)

    visit(root, "", None)
    return found


def whole(root: Any) -> Any:
    """All that a tree is, comments, tails and the order of attributes included; prefixes count for nothing."""

    def shown(node: Any) -> Any:
        tail = _tail(node) or None
        name = name_of(node)
        if name is None:
            return (type(node).__mro__[-4].__name__, getattr(node, "target", None), node.text or "", tail)
        children = [shown(child) for child in _children(node)]
        return (name, attributes_of(node), _text(node) or None, children, tail)

    before, after = list(root.itersiblings(preceding=True)), list(root.itersiblings())
    return [shown(node) for node in (*before[::-1], root, *after)]


class Node:
    """A node of the judge's own model, kept in step by events only."""

    def __init__(self, path: str, number: int | None, value: str | None) -> None:
        self.path = path
        self.number = number
        self.value = value
        self.attributes: dict[str, Node] = {}
        self.children: list[Node] = []

    def __iter__(self) -> Iterator[Node]:
        """Itself and all below it, in document order."""
        yield self
        yield from self.attributes.values()
        for child in self.children:
            yield from child


class Model:
    """A document made from a snapshot and events, with ids: checks what each event claims.

    Without ids (``ids`` is None: nobody has asked the document for any) the names of the elements there are, and the
    texts of each, must be unique: the first event that concerns a node says what its id is.
    """

    def __init__(self, root: Any, ids: list[int] | None) -> None:
        self.numbers = None if ids is None else iter(ids)
        self.used = set(ids or ())
        self.nodes: dict[int, Node] = {}
        self.parents: dict[int, Node] = {}
        self.root = self._read(root, "", None)
        assert self.numbers is None or next(self.numbers, None) is None, "more ids than nodes"

    def _new(self, path: str, number: int | None, value: str | None, parent: Node | None) -> Node:
        node = Node(path, number, value)
        if number is not None:
            self._numbered(node, number, parent)
        return node

    def _numbered(self, node: Node, number: int, parent: Node | None) -> None:
        node.number = number
        self.used.add(number)
        self.nodes[number] = node
        if parent is not None:
            self.parents[number] = parent

    def _read(self, element: Any, above: str, parent: Node | None) -> Node:
        path = f"{above}/{name_of(element)}"
        node = self._new(path, self._next(), None, parent)
        for name, value in attributes_of(element):
            node.attributes[name] = self._new(f"{path}/@{name}", self._next(), value, node)
        for each, kind in children_of(element):
            if kind == "element":
                node.children.append(self._read(each, path, node))
            else:
                text = _text(each) if kind == "text" else _tail(each)
                node.children.append(self._new(f"{path}/text()", self._next(), text, node))
        return node

    def _next(self) -> int | None:
        return None if self.numbers is None else next(self.numbers)

    def find(self, event: PrimitiveEvent, length: int) -> Node:
        """The node that the first ``length`` ids of an event lead to, its ids taken as said where none are known."""
        node = self.root
        for level in range(length):
            number, path = event.ids[level], "/" + "/".join(map(str, event.path.steps[: level + 1]))
            if number in self.nodes:
                node = self.nodes[number]
                continue
            assert number not in self.used, f"{event}: id {number} is that of a node that has gone"
            below = [self.root] if level == 0 else [*node.attributes.values(), *node.children]
            fitting = [each for each in below if each.number is None and each.path == path]
            if path.endswith("/text()"):
                fitting = [each for each in fitting if each.value == event.old]
            assert len(fitting) == 1, f"{event}: {len(fitting)} nodes at {path} can be meant by id {number}"
            self._numbered(fitting[0], number, node if level else None)
            node = fitting[0]
        return node

    def apply(self, event: PrimitiveEvent) -> None:
        """Applies an event, and checks that it is legal."""
        path, number = str(event.path), event.ids[-1]
        if event.op == "ins":
            assert number not in self.used, f"id {number} used again"
            self._insert(event, path, number)
            return
        node = self.find(event, len(event.ids))
        assert node.path == path, f"{event}: the node's path is {node.path}"
        assert self.chain(number) == list(event.ids)
        if event.op == "upd":
            assert (event.old, event.pos) == (node.value, None), f"{event}: the value was {node.value!r}"
            assert event.value != event.old and (event.value or not path.endswith("/text()"))
            node.value = event.value
            return
        assert event.op == "del" and event.pos is None and event.value is None
        assert event.old == node.value, f"{event}: the value was {node.value!r}"
        assert not node.children and not node.attributes, f"{event}: there is something below it"
        del self.nodes[number]
        parent = self.parents.pop(number, None)
        if parent is None:
            self.root = None  # type: ignore[assignment]
        elif any(node is child for child in parent.children):
            parent.children = [child for child in parent.children if child is not node]
        else:
            parent.attributes = {k: v for k, v in parent.attributes.items() if v is not node}

    def _insert(self, event: PrimitiveEvent, path: str, number: int) -> None:
        assert event.old is None
        if len(event.ids) == 1:
            assert self.root is None
            self.root = self._new(path, number, None, None)
            return
        parent = self.find(event, len(event.ids) - 1)
        node = self._new(path, number, event.value, parent)
        assert self.chain(number) == list(event.ids), f"{event}: is at {self.chain(number)}"
        name = path.rsplit("/@", 1)
        if len(name) == 2 and "/" not in name[1].split("}")[-1]:
            assert event.pos is None and name[1] not in parent.attributes
            parent.attributes[name[1]] = node
        else:
            assert event.pos is not None and 0 <= event.pos <= len(parent.children), (
                f"{event}: pos {event.pos}"
            )
            parent.children.insert(event.pos, node)

    def chain(self, number: int) -> list[int]:
        """The ids from the root down."""
        found = [number]
        while number in self.parents:
            above = self.parents[number].number
            assert above is not None
            number = above
            found.append(number)
        return found[::-1]

    def equals(self, root: Any) -> None:
        """Raises AssertionError unless the model is the tree."""
        assert self.root is not None

        def compare(node: Node, element: Any, path: str) -> None:
            assert node.path == f"{path}/{name_of(element)}", (node.path, name_of(element))
            values = {k: v.value for k, v in node.attributes.items()}
            assert values == dict(attributes_of(element)), (node.path, values, attributes_of(element))
            slots = children_of(element)
            assert len(slots) == len(node.children), (node.path, slots, [c.path for c in node.children])
            for (each, kind), child in zip(slots, node.children, strict=True):
                if kind == "element":
                    compare(child, each, node.path)
                else:
                    assert child.path.endswith("/text()")
                    text = _text(each) if kind == "text" else _tail(each)
                    assert child.value == text, (node.path, child.value, text)

        compare(self.root, root, "")

    def is_in(self, text: str, ids: list[int]) -> None:
        """Raises AssertionError unless a snapshot is read as the model, with the ids that events have told."""
        root = etree.fromstring(text, plain_parser())
        self.equals(root)
        told = Model(root, ids)

        def compare(mine: Node, other: Node) -> None:
            assert mine.number in (None, other.number), (
                f"{mine.path}: id {other.number}, told was {mine.number}"
            )
            for name, attribute in mine.attributes.items():
                compare(attribute, other.attributes[name])
            for child, another in zip(mine.children, other.children, strict=True):
                compare(child, another)

        compare(self.root, told.root)


def least(before: dict[Slot, Seen], after: dict[Slot, Seen]) -> Counter[tuple[str, str]]:
    """How many events of each operation and path there must be, not counting moves among siblings."""
    wanted: Counter[tuple[str, str]] = Counter()
    for slot, seen in before.items():
        now = after.get(slot)
        if now is None:
            wanted["del", seen.path] += 1
        elif now.path == seen.path and now.parent == seen.parent and now.value != seen.value:
            wanted["upd", seen.path] += 1
    for slot, seen in after.items():
        if slot not in before:
            wanted["ins", seen.path] += 1
    return wanted


class Judge:
    """Follows one wrapped document; `check` after every step.

    ``snapshot``: the document is asked for its ids first, and every node is known from then on; else nobody asks.
    """

    def __init__(self, document: Any, *, snapshot: bool = True) -> None:
        self.document = document
        self.events: list[PrimitiveEvent] = []
        self.model = Model(document.root, document.snapshot()[1] if snapshot else None)
        self.before = picture(document.root)
        self.order = list(document.root.iter())
        self.clock = document.clock
        document.subscribe(self.events.append)

    def go_on(self, document: Any) -> None:
        """Follows another document, whose history goes on where that of the first one ended."""
        self.document = document
        self.before, self.order = picture(document.root), list(document.root.iter())
        document.subscribe(self.events.append)

    def check(self, *, several: bool = False, moves: bool = False) -> list[PrimitiveEvent]:
        """Judges what was told since the last check.

        ``several``: it may be more than one edit. These, or one that ``moves`` nodes one by one, may move a node back.
        """
        events, self.events[:] = list(self.events), []
        after = picture(self.document.root)
        for event in events:
            self.clock += 1
            assert event.ts == self.clock, f"{event}: at {event.ts} instead of {self.clock}"
            self.model.apply(event)
        self.model.equals(self.document.root)
        self._check_amount(events, after, several or moves)
        self._check_order(events)
        self._check_edits(events, several)
        self.before = after
        return events

    def apply(self) -> None:
        """Whether what was told since the last check has led to the tree that is there; of the edits nothing."""
        events, self.events[:] = list(self.events), []
        for event in events:
            self.model.apply(event)
        self.model.equals(self.document.root)

    def check_ids(self) -> None:
        """Whether a snapshot is read as what was told, with the ids that were told."""
        self.model.is_in(*self.document.snapshot())

    def _check_amount(self, events: list[PrimitiveEvent], after: dict[Slot, Seen], moved: bool) -> None:
        told = Counter((event.op, str(event.path)) for event in events)
        wanted = least(self.before, after)
        kept = [s for s in self.before if s in after]
        moved = moved or any(
            after[s].parent != self.before[s].parent or after[s].path != self.before[s].path for s in kept
        )
        # Past a comment is elsewhere, too, although comments are no nodes of the event model.
        order, self.order = self.order, list(self.document.root.iter())
        old, new = set(order), set(self.order)
        moved = moved or [n for n in order if n in new] != [n for n in self.order if n in old]
        if not moved:
            assert told == wanted, f"told {told}, wanted {wanted}"
            return
        for key, count in wanted.items():
            assert told[key] >= count or key[0] == "upd", f"{key}: told {told[key]}, wanted {count}"
        surplus = told - wanted
        inserted = sum(count for (op, _), count in surplus.items() if op == "ins")
        deleted = sum(count for (op, _), count in surplus.items() if op == "del")
        # A move is one del and one ins; only a text that changed while it moved has no upd.
        assert inserted == deleted, f"moves do not pair: {surplus}"

    @staticmethod
    def _check_order(events: list[PrimitiveEvent]) -> None:
        born: dict[int, int] = {}
        gone: dict[int, int] = {}
        for event in events:
            if event.op == "ins":
                born[event.ids[-1]] = event.ts
            elif event.op == "del":
                gone[event.ids[-1]] = event.ts
        for event in events:
            for ancestor in event.ids[:-1]:
                assert born.get(ancestor, 0) < event.ts, "a child before its parent"
                assert gone.get(ancestor, event.ts + 1) > event.ts, "a parent before its child"

    @staticmethod
    def _check_edits(events: list[PrimitiveEvent], several: bool) -> None:
        """What one call does is one edit (U1): all but its last event say that there is more."""
        assert not events or not events[-1].more, "an edit without an end"
        if not several:
            assert all(event.more for event in events[:-1]), "one call, several edits"
        for event, following in pairwise(events):
            assert event.txn == following.txn or not event.more, "an edit across transactions"
