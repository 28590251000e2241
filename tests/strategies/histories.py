"""Random consistent histories of one document (E3, E6).

A history is drawn as a list of actions, small tuples of numbers, and these are played on a random tree;
so hypothesis can shrink it by leaving actions out. Every history is consistent: ids are unique and never
used again, ``pos`` is the index among element and text children, values are what they were set to, subtrees
come and go in the order of E6.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from hypothesis import strategies as st

from path_types import PathType, Step
from tests.reference import Advance, Raise
from xmlcep.events import PrimitiveEvent

HistoryStep: TypeAlias = PrimitiveEvent | Advance | Raise | Literal["flush"]

VALUES = ("1", "5", "0", "x")
# What is inserted: an element name with its content, "text" or "attribute". Items come often, also in items.
CONTENTS: tuple[tuple[str, ...], ...] = (
    ("item", "price", "quantity"), ("price",), ("quantity",), ("comment",), ("item",), ("price", "text"),
    ("quantity", "text"), ("item", "@", "price", "quantity"), ("item", "item", "comment"), ("billTo",),
    ("text",), ("@",),
)  # fmt: skip
# Who and why: often the same, or the same in another order, or nobody.
METAS: tuple[dict[str, str] | None, ...] = (
    None, {"user": "ann"}, {"user": "ann", "reason": "é\x1f\x1e"}, {"reason": "é\x1f\x1e", "user": "ann"},
    {}, {"user": "ann"}, {"": ""}, {"user": "bob"},
)  # fmt: skip
# Busy histories: more insertions, more items below the root, more of what belongs into them.
_BUSY_KINDS = (0, 0, 0, 0, 0, 0, 6, 7, 9, 9)
_BUSY_TARGETS = (0, 0, 0, 0, *range(1, 9))
_BUSY_CONTENTS = (0, 0, 0, 7, 4, 5, 6, *range(len(CONTENTS)))


@dataclass(frozen=True)
class History:
    """The steps of one document's life: primitive events, ``"flush"`` markers, time that passes.

    Where events carry ``txn``, there is a flush after the last event of each transaction and nowhere else,
    so that ``Detector.replay(history.events)`` does the same as taking the steps one by one.
    """

    steps: tuple[HistoryStep, ...]

    @property
    def events(self) -> tuple[PrimitiveEvent, ...]:
        """The primitive events only."""
        return tuple(step for step in self.steps if isinstance(step, PrimitiveEvent))


@st.composite
def histories(
    draw: st.DrawFn, *, max_actions: int = 12, min_actions: int = 1, flushes: bool = True,
    transactions: bool | None = None, doc: str = "doc", clear: bool = False, busy: bool = False,
) -> History:  # fmt: skip
    """A random history of ``min_actions`` to ``max_actions`` insertions, updates and deletions.

    ``flushes``: whether there are flushes between the actions; ``transactions``: whether the records are
    grouped into transactions (None: sometimes); ``clear``: whether the whole document is deleted at the end;
    ``busy``: whether it begins with an item and more of it is about items and what is in them.
    """
    kinds = st.sampled_from(_BUSY_KINDS) if busy else st.integers(0, 9)
    targets = st.sampled_from(_BUSY_TARGETS) if busy else st.integers(0, 30)
    contents = st.sampled_from(_BUSY_CONTENTS) if busy else st.integers(0, len(CONTENTS) - 1)
    action = st.tuples(kinds, targets, contents, st.integers(0, 3))
    actions = draw(st.lists(action, min_size=min_actions, max_size=max_actions))
    grouped = draw(st.booleans()) if transactions is None else transactions
    unseen_root = draw(st.booleans())
    player = Player(doc, draw(st.sampled_from((1, 37))), grouped, draw(st.sampled_from((0, 0, 1, 2, 5))))
    player.edits = draw(st.booleans())
    player.begin(unseen=unseen_root)
    if busy:
        player.play(0, 0, 0, 0, flushes=False)
    for kind, target, content, value in actions:
        player.play(kind, target, content, value, flushes=flushes)
    if clear and player.root is not None:
        player.delete(player.root)
    return player.history()


@dataclass(eq=False)
class Node:
    step: Step
    id: int
    parent: Node | None
    value: str | None = None
    attributes: list[Node] = field(default_factory=list)
    children: list[Node] = field(default_factory=list)

    def above(self) -> list[Node]:
        """The nodes from the root down to this one."""
        return [*(self.parent.above() if self.parent else []), self]

    def subtree(self) -> Iterator[Node]:
        """The nodes of the subtree in the order of their ``ins`` events (E6)."""
        yield self
        yield from self.attributes
        for child in self.children:
            yield from child.subtree()


class Player:
    """Plays actions on a tree and writes down the events. Ids ascend (``factor`` 1) or jump about.

    ``provenance`` 0: no event says who made it; else some do, and some do not even say when.
    """

    def __init__(self, doc: str, factor: int, grouped: bool, provenance: int) -> None:
        self.doc = doc
        self.factor = factor
        self.grouped = grouped
        self.provenance = provenance
        self.edits = False  # whether events say where an edit goes on
        self.transaction = 1
        self.root: Node | None = None
        self.created = 0
        self.steps: list[HistoryStep] = []
        self.ts = 0

    def begin(self, *, unseen: bool) -> None:
        """The root, which was there before the recording began if ``unseen``."""
        if unseen:
            self.root = self._new(Step.element("order"), None)
        else:
            self._insert_root()

    def play(self, kind: int, target: int, content: int, value: int, *, flushes: bool) -> None:
        """0 to 5 insert, 6 updates, 7 and 8 delete, 9 flushes or ends the transaction; each is one edit (U1)."""
        first = len(self.steps)
        self._play(kind, target, content, value, flushes=flushes)
        if self.edits:
            for index, step in enumerate(self.steps[first:-1], start=first):
                assert isinstance(step, PrimitiveEvent)
                self.steps[index] = step._replace(more=True)

    def _play(self, kind: int, target: int, content: int, value: int, *, flushes: bool) -> None:
        if kind == 9:
            self._boundary(flushes)
        elif self.root is None:
            self._insert_root()
        elif kind <= 5:
            self._insert_below(self._elements()[target % len(self._elements())], CONTENTS[content], value)
        else:
            nodes = list(self.root.subtree())
            if kind >= 7:
                # The root goes rarely: one deletion in as many as there are nodes, and never the last choice.
                self.delete(nodes[-1 - target % len(nodes)])
            else:
                self._update([node for node in nodes if node.value is not None], target, value)

    def delete(self, node: Node) -> None:
        """The subtree goes in the exact reverse order of its insertion."""
        for gone in reversed(list(node.subtree())):
            self._emit("del", gone, old=gone.value)
            if gone.parent is not None:
                siblings = gone.parent.attributes if gone in gone.parent.attributes else gone.parent.children
                siblings.remove(gone)
        if node is self.root:
            self.root = None

    def history(self) -> History:
        """What was played; a transaction that is still open ends here."""
        if self.grouped:
            self._boundary(flushes=False)
        return History(tuple(self.steps))

    def _insert_root(self) -> None:
        self.root = self._new(Step.element("order"), None)
        self._emit("ins", self.root, pos=0)

    def _insert_below(self, parent: Node, content: tuple[str, ...], value: int) -> None:
        """The first of ``content`` below ``parent``, the rest inside it."""
        text = VALUES[value]
        if content[0] == "@":
            if not parent.attributes:
                self.insert_attribute(parent, text)
        elif content[0] == "text":
            if not parent.children or parent.children[0].step.is_element:
                self.insert_child(parent, Step.text(), 0, text)
        else:
            position = (value * 2) % (len(parent.children) + 1)
            inserted = self.insert_child(parent, Step.element(content[0]), position, None)
            for inner in content[1:]:
                if inner == "@":
                    self.insert_attribute(inserted, text)
                else:
                    step = Step.text() if inner == "text" else Step.element(inner)
                    at_end = len(inserted.children)
                    self.insert_child(inserted, step, at_end, text if inner == "text" else None)

    def insert_child(self, parent: Node, step: Step, position: int, value: str | None) -> Node:
        """A child, with this one as its position."""
        node = self._new(step, parent, value)
        parent.children.insert(position, node)
        self._emit("ins", node, value=value, pos=position)
        return node

    def insert_attribute(self, parent: Node, value: str) -> Node:
        """Its part number."""
        node = self._new(Step.attribute("partNum"), parent, value)
        parent.attributes.append(node)
        self._emit("ins", node, value=value)
        return node

    def _update(self, nodes: list[Node], target: int, value: int) -> None:
        """Text none of the nodes has is a change; the same value again gives nothing (E6)."""
        if nodes and nodes[target % len(nodes)].value != VALUES[value]:
            self.update(nodes[target % len(nodes)], value)

    def update(self, node: Node, value: int) -> None:
        """Another value."""
        old, node.value = node.value, VALUES[value]
        self._emit("upd", node, value=node.value, old=old)

    def _boundary(self, flushes: bool) -> None:
        if self.grouped:
            if self.steps and self.steps[-1] != "flush":
                self.steps.append("flush")
                self.transaction += 1
        elif flushes:
            self.steps.append("flush")

    def _elements(self) -> list[Node]:
        assert self.root is not None
        return [node for node in self.root.subtree() if node.step.is_element]

    def _new(self, step: Step, parent: Node | None, value: str | None = None) -> Node:
        self.created += 1
        return Node(
            step, self.created * self.factor % 1009, parent, value
        )  # 1009 is a prime: no id comes twice

    def _emit(
        self,
        op: str,
        node: Node,
        *,
        value: str | None = None,
        old: str | None = None,
        pos: int | None = None,
    ) -> None:
        self.ts += 1
        above = node.above()
        self.steps.append(
            PrimitiveEvent(
                self.ts, op, PathType.of(True, [n.step for n in above]), tuple(n.id for n in above), value,
                old, pos, self._at(), self.doc, self._txn(), self._meta(),
            )
        )  # fmt: skip

    def _txn(self) -> int | None:
        return self.transaction if self.grouped else None

    def _at(self) -> str | None:
        if self.provenance and self.ts * self.provenance % 7 == 3:
            return None
        return f"2026-01-01T00:{self.ts // 60:02}:{self.ts % 60:02}Z"

    def _meta(self) -> dict[str, str] | None:
        """That of the transaction; outside any, that of a few events in a row."""
        if not self.provenance:
            return None
        number = self.transaction if self.grouped else self.ts // 3
        meta = METAS[number * self.provenance % len(METAS)]
        return None if meta is None else dict(meta)


def show_history(history: History) -> str:
    """The history, one step per line."""
    return "\n".join(map(_show, history.steps))


def _show(step: HistoryStep) -> str:
    if not isinstance(step, PrimitiveEvent):
        return str(step)
    more = " …" if step.more else ""
    return f"{step.ts}: {step.op}({step.instance}) {step.value!r} pos={step.pos} at={step.at} txn={step.txn}{more}"
