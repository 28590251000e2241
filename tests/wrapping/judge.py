"""An independent judge of events: looks at the tree before and after each step by plain iteration.

It knows nothing of records or of how edits are seen. From two pictures of a tree (path, kind, value of every node,
and which lxml node it is) it works out what the events must be: removed = one del, new = one ins, changed = one upd,
relocated = del and ins, else nothing. It also applies the events to the picture before, by ids and pos alone, and
demands the picture after.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from xmlcep.events import PrimitiveEvent

Slot = tuple[Any, str]
"""A node of the event model: an lxml node and "element", "text", "tail" or "@name"."""


@dataclass
class Seen:
    """What is known of one node: path, parent slot, value; for children the list of slots in order."""

    path: str
    parent: Slot | None
    value: str | None


def children_of(element: Any) -> list[Slot]:
    """Child nodes of an element in order: texts and elements."""
    found: list[Slot] = []
    if element.text:
        found.append((element, "text"))
    for child in element:
        if isinstance(child.tag, str):
            found.append((child, "element"))
        if child.tail:
            found.append((child, "tail"))
    return found


def picture(root: Any) -> dict[Slot, Seen]:
    """Every node of the tree, in document order."""
    found: dict[Slot, Seen] = {}

    def visit(element: Any, above: str, parent: Slot | None) -> None:
        path = f"{above}/{element.tag}"
        me: Slot = (element, "element")
        found[me] = Seen(path, parent, None)
        for name, value in element.items():
            found[element, f"@{name}"] = Seen(f"{path}/@{name}", me, value)
        for node, kind in children_of(element):
            if kind == "element":
                visit(node, path, me)
            else:
                value = node.text if kind == "text" else node.tail
                found[node, kind] = Seen(f"{path}/text()", me, value)

    visit(root, "", None)
    return found


class Node:
    """A node of the judge's own model, kept in step by events only."""

    def __init__(self, path: str, number: int, value: str | None) -> None:
        self.path = path
        self.number = number
        self.value = value
        self.attributes: dict[str, Node] = {}
        self.children: list[Node] = []


class Model:
    """A document rebuilt from a snapshot and events, with ids: checks what each event claims."""

    def __init__(self, root: Any, ids: list[int]) -> None:
        self.numbers = iter(ids)
        self.used = set(ids)
        self.nodes: dict[int, Node] = {}
        self.parents: dict[int, Node] = {}
        self.root = self._read(root, "", None)
        assert next(self.numbers, None) is None, "more ids than nodes"

    def _new(self, path: str, number: int, value: str | None, parent: Node | None) -> Node:
        node = Node(path, number, value)
        self.nodes[number] = node
        if parent is not None:
            self.parents[number] = parent
        return node

    def _read(self, element: Any, above: str, parent: Node | None) -> Node:
        path = f"{above}/{element.tag}"
        node = self._new(path, next(self.numbers), None, parent)
        for name, value in element.items():
            node.attributes[name] = self._new(f"{path}/@{name}", next(self.numbers), value, node)
        for each, kind in children_of(element):
            if kind == "element":
                node.children.append(self._read(each, path, node))
            else:
                text = each.text if kind == "text" else each.tail
                node.children.append(self._new(f"{path}/text()", next(self.numbers), text, node))
        return node

    def apply(self, event: PrimitiveEvent) -> None:
        """Applies an event, and checks that it is legal."""
        path, number = str(event.path), event.ids[-1]
        if event.op == "ins":
            assert number not in self.used, f"id {number} used again"
            self.used.add(number)
            self._insert(event, path, number)
            return
        node = self.nodes[number]
        assert node.path == path, f"{event}: the node's path is {node.path}"
        assert self.chain(number) == list(event.ids)
        if event.op == "upd":
            assert (event.old, event.pos) == (node.value, None)
            assert event.value != event.old and event.value
            node.value = event.value
            return
        assert event.op == "del" and event.pos is None and event.value is None
        assert event.old == node.value
        assert not node.children and not node.attributes, f"{event}: there is something below it"
        del self.nodes[number]
        parent = self.parents.pop(number, None)
        if parent is None:
            self.root = None  # type: ignore[assignment]
        elif node in parent.children:
            parent.children.remove(node)
        else:
            parent.attributes = {k: v for k, v in parent.attributes.items() if v is not node}

    def _insert(self, event: PrimitiveEvent, path: str, number: int) -> None:
        assert event.old is None
        if len(event.ids) == 1:
            assert self.root is None
            self.root = self._new(path, number, None, None)
            return
        parent = self.nodes[event.ids[-2]]
        node = self._new(path, number, event.value, parent)
        assert self.chain(number) == list(event.ids)
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
            number = self.parents[number].number
            found.append(number)
        return found[::-1]

    def equals(self, root: Any) -> None:
        """Raises AssertionError unless the model is the tree."""
        assert self.root is not None

        def compare(node: Node, element: Any, path: str) -> None:
            assert node.path == f"{path}/{element.tag}", (node.path, element.tag)
            assert {k: v.value for k, v in node.attributes.items()} == dict(element.items()), node.path
            slots = children_of(element)
            assert len(slots) == len(node.children), (node.path, slots, [c.path for c in node.children])
            for (each, kind), child in zip(slots, node.children, strict=True):
                if kind == "element":
                    compare(child, each, node.path)
                else:
                    assert child.path.endswith("/text()")
                    assert child.value == (each.text if kind == "text" else each.tail), node.path

        compare(self.root, root, "")


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
    """Follows one wrapped document; `check` after every step."""

    def __init__(self, document: Any) -> None:
        self.document = document
        self.events: list[PrimitiveEvent] = []
        _, ids = document.snapshot()
        self.model = Model(document.root, ids)
        self.before = picture(document.root)
        self.order = list(document.root.iter())
        self.clock = document.clock
        document.subscribe(self.events.append)

    def check(self, *, several: bool = False) -> list[PrimitiveEvent]:
        """Judges what was told since the last check; ``several`` edits may move a node and move it back."""
        events, self.events[:] = list(self.events), []
        after = picture(self.document.root)
        for event in events:
            self.clock += 1
            assert event.ts == self.clock
            self.model.apply(event)
        self.model.equals(self.document.root)
        self._check_amount(events, after, several)
        self._check_order(events)
        self.before = after
        return events

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
