"""What a transaction remembers to be able to undo itself: inverse edits, and shadow nodes as they were."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

from ..lxml_access import (
    Element,
    Node,
    attributes_of,
    children_of,
    get_content,
    get_next,
    get_parent,
    get_previous,
    get_tail,
    get_text,
    is_element,
    name_of,
)


class Shadow(Protocol):
    """What the journal needs of a shadow node."""

    def state(self) -> tuple[Any, ...]:
        """All of it that can change."""

    def restore(self, state: tuple[Any, ...]) -> None:
        """Puts that back."""


class Place(NamedTuple):
    """Where a node is: its parent and neighbours, and the text behind it."""

    parent: Node | None
    following: Node | None
    previous: Node | None
    tail: str | None

    @classmethod
    def of(cls, node: Node) -> Place:
        """The place of a node."""
        return cls(get_parent(node), get_next(node), get_previous(node), get_tail(node))


class Journal:
    """The inverse edits of a transaction, oldest first, and the state of every shadow node before its first change.

    Inverse edits are plain lxml calls, made in reverse order (`undo`). Shadow nodes of nodes that came are dropped,
    those of nodes that went are put back, so nodes that come back have the ids they had. ``outer`` is the journal that
    was open when it was opened: that of what it is a part of.
    """

    __slots__ = ("_origins", "_with_attributes", "edits", "entries", "outer", "states")

    def __init__(self, outer: Journal | None = None) -> None:
        self.outer = outer
        self.edits: list[tuple[Any, ...]] = []
        self.entries: dict[
            Node, Any
        ] = {}  # shadow nodes before the transaction; None: the node was not there
        self.states: dict[Shadow, tuple[Any, ...]] = {}
        self._with_attributes: set[Node] = set()
        self._origins: dict[Node, tuple[Place, Journal | None]] | None = None

    # --- once it has been undone

    def undone(self) -> None:
        """All its edits have been undone."""
        origins: dict[Node, tuple[Place, Journal | None]] = {}
        for kind, node, *rest in self.edits:
            if kind == "origin":
                origins.setdefault(node, (rest[0], rest[1]))
            elif kind == "place":  # made here, or put here unseen: nowhere before, as far as anybody can say
                origins.setdefault(node, (Place(None, None, None, rest[0].tail), None))
        came = [node for node, shadow in self.entries.items() if shadow is None]
        self._origins = {
            node: origins.get(node) or (Place(None, None, None, get_tail(node)), None) for node in came
        }

    def origin(self, node: Node) -> tuple[Place, Journal | None] | None:
        """Where a node was before, if it came in this transaction, which has been undone: there it never was.

        If not in this part of it, then perhaps in another.
        """
        found = None if self._origins is None else self._origins.get(node)
        return self.outer.origin(node) if found is None and self.outer is not None else found

    def absorb(self, later: Journal) -> None:
        """Takes over what a journal has that was opened later and is closed now."""
        self.edits += later.edits
        self._with_attributes |= later._with_attributes
        for node, shadow in later.entries.items():
            self.entries.setdefault(node, shadow)
        for shadow, state in later.states.items():
            self.states.setdefault(shadow, state)

    # --- shadow nodes

    def keep(self, shadow: Shadow) -> None:
        """``shadow`` is about to change."""
        if shadow not in self.states:
            self.states[shadow] = shadow.state()

    def came(self, node: Node) -> None:
        """``node`` is about to come into the document."""
        self.entries.setdefault(node, None)

    def went(self, node: Node, shadow: Shadow) -> None:
        """``node`` has left the document."""
        self.keep(shadow)
        self.entries.setdefault(node, shadow)

    # --- inverse edits

    def text(self, node: Node) -> None:
        """The text (of a comment, too) is about to be set."""
        self.edits.append(("text", node, get_text(node) if is_element(node) else get_content(node)))

    def tail(self, node: Node) -> None:
        """The tail is about to be set."""
        self.edits.append(("tail", node, get_tail(node)))

    def tag(self, node: Node) -> None:
        """The tag (or a processing instruction's target) is about to be set."""
        if is_element(node):
            self.edits.append(("tag", node, name_of(node)))
        elif hasattr(node, "target"):
            self.edits.append(("target", node, node.target))

    def attributes(self, node: Node) -> None:
        """Attributes are about to be set or deleted; what they were before the first such edit is what comes back."""
        if node not in self._with_attributes:
            self._with_attributes.add(node)
            self.edits.append(("attributes", node, attributes_of(node)))

    def placed(self, node: Node) -> None:
        """A new node has been put into the tree."""
        self.edits.append(("place", node, Place(None, None, None, get_tail(node))))

    def moving(self, node: Node) -> None:
        """``node`` of this document is about to be moved or removed."""
        self.edits.append(("place", node, Place.of(node)))

    def arriving(self, node: Node, source: Journal | None) -> None:
        """``node`` is about to come from elsewhere, where an undo puts it again.

        ``source`` is the journal of the document it comes from, if that has a transaction open.
        """
        self.edits.append(("origin", node, Place.of(node), source))

    def children(self, node: Node) -> None:
        """The whole child list is about to change."""
        children = [(child, get_tail(child)) for child in children_of(node)]
        self.edits.append(("children", node, get_text(node), children))

    def whole(self, node: Node) -> None:
        """Anything about ``node`` may be about to change."""
        if is_element(node):
            self.attributes(node)
            self.children(node)
        else:
            self.text(node)
        self.tag(node)

    def beside(self, root: Node) -> None:
        """Anything about the comments and the like beside the root, and its tail, may be about to change."""
        before = list(Element.itersiblings(root, preceding=True))[::-1]
        after = list(Element.itersiblings(root))
        tails = [(node, get_tail(node)) for node in (*before, root, *after)]
        self.edits.append(("beside", root, before, after, tails))
        for node in (*before, *after):
            self.whole(node)

    def was(
        self,
        node: Node,
        name: str,
        attributes: list[tuple[str, str]],
        text: str | None,
        children: list[tuple[Node, str | None]],
    ) -> None:
        """``node`` has been changed, in whatever way, by somebody nobody saw; it was like this."""
        self.edits += [
            ("attributes", node, attributes),
            ("children", node, text, children),
            ("tag", node, name),
        ]
