"""What is known of each node of the wrapped documents: the table of pinned proxies and its records.

An lxml element takes no attributes and no weak references, and its identity is lost when its proxy dies. So the
table holds the proxies of all elements, comments and processing instructions of the wrapped documents. The value
is the document's tracker until something at or below the node is told of, and a `Record` from then on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from path_types import PathType, Step

if TYPE_CHECKING:
    from .tracker import Tracker

Node: TypeAlias = Any
"""An lxml element, comment, processing instruction or entity reference."""


class Branch:
    """A path type with the path types below it at hand: a trie per document, keyed by plain names."""

    __slots__ = ("attributes", "children", "path", "text")

    def __init__(self, path: PathType) -> None:
        self.path = path
        self.text = path.child(Step.text())
        self.children: dict[str, Branch] = {}
        self.attributes: dict[str, PathType] = {}

    def child(self, tag: str) -> Branch:
        """The branch of child elements called ``tag``."""
        known = self.children.get(tag)
        if known is None:
            known = self.children[tag] = Branch(self.path.child(Step.element(tag)))
        return known

    def attribute(self, name: str) -> PathType:
        """The path type of the attribute called ``name``."""
        known = self.attributes.get(name)
        if known is None:
            known = self.attributes[name] = self.path.child(Step.attribute(name))
        return known


class Attribute:
    """An attribute node: its value, path type and ids."""

    __slots__ = ("ids", "path", "value")

    def __init__(self, value: str, path: PathType, ids: tuple[int, ...]) -> None:
        self.value = value
        self.path = path
        self.ids = ids


class Record:
    """What events have told of one node.

    ``ids`` ends with the node's own id (comments have none: ``branch`` is None and ``ids`` those of the parent).
    ``text`` and ``tail`` are None when there is no such text node; ``text_ids`` and ``tail_ids`` are these nodes'
    ids. ``count`` is the number of child elements and text nodes that events tell of. ``prev`` and ``last`` are the
    proxies of the previous sibling and of the last child; together they are the list of children as told.
    """

    __slots__ = (
        "attributes", "branch", "count", "hides", "ids", "last", "parent", "prev", "tail", "tail_ids", "text",
        "text_ids", "tracker",
    )  # fmt: skip

    def __init__(
        self, tracker: Tracker, parent: Record | None, branch: Branch | None, ids: tuple[int, ...], prev: Node
    ) -> None:
        self.tracker = tracker
        self.parent = parent
        self.branch = branch
        self.ids = ids
        self.prev = prev
        self.last: Node = None
        self.count = 0
        self.hides = False
        self.text: str | None = None
        self.text_ids: tuple[int, ...] = ()
        self.tail: str | None = None
        self.tail_ids: tuple[int, ...] = ()
        self.attributes: dict[str, Attribute] | None = None

    def state(self) -> tuple[Any, ...]:
        """All that can change, to be given back to `restore`."""
        attributes = self.attributes
        saved = None if attributes is None else {k: (v, v.value) for k, v in attributes.items()}
        return (
            self.prev,
            self.last,
            self.count,
            self.hides,
            self.text,
            self.text_ids,
            self.tail,
            self.tail_ids,
            saved,
        )

    def restore(self, state: tuple[Any, ...]) -> None:
        """Puts back what `state` returned."""
        (self.prev, self.last, self.count, self.hides, self.text, self.text_ids,
         self.tail, self.tail_ids, saved) = state  # fmt: skip
        if saved is None:
            self.attributes = None
            return
        self.attributes = {}
        for name, (attribute, value) in saved.items():
            attribute.value = value
            self.attributes[name] = attribute


TABLE: dict[Node, Record | Tracker] = {}
"""All nodes of all wrapped documents. A document's nodes leave it when the `Document` is closed or dropped."""


def record_of(node: Node) -> Record:
    """The record of a node that is known to have one."""
    record = TABLE[node]
    assert type(record) is Record
    return record


class ElementsById:
    """The elements of a document by node id, those of which events have told; looked for when first asked."""

    def __init__(self, root: Node) -> None:
        self._root = root
        self._elements: dict[int, Node] | None = None

    def element(self, node_id: int) -> Node:
        """The element with this id; None if there is none."""
        if self._elements is None:
            known = ((node, TABLE.get(node)) for node in self._root.iter("*"))
            self._elements = {
                record.ids[-1]: node
                for node, record in known
                if isinstance(record, Record) and record.branch is not None
            }
        return self._elements.get(node_id)

    def id_of(self, node: Node) -> int | None:
        """The id of an element; None if no event has told of it."""
        record = TABLE.get(node)
        return record.ids[-1] if isinstance(record, Record) and record.branch is not None else None
