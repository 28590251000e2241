"""A document as it was when it was wrapped: what tells of what no event has ever reported (see `comparison`)."""

from __future__ import annotations

import gc
from collections.abc import Callable
from itertools import repeat
from typing import Any, NamedTuple

from ..lxml_access import Element, Node

_new = tuple.__new__


class First(NamedTuple):
    """What a node was when events first reported it, or of something at or below it.

    ``contents`` are name, text, tail and attributes, of a comment and the like the tail; ``number`` is its id,
    ``parent`` that of its parent, ``previous`` the node before it.
    """

    contents: tuple[Any, ...]
    number: int
    parent: int | None
    previous: Node | None

    @classmethod
    def of(cls, shadow: Any) -> First:
        """As the shadow of a node has it that is as it was when it was made."""
        parent = None if shadow.parent is None else shadow.parent.number
        if shadow.trie is None:
            return cls((shadow.tail,), shadow.number, parent, shadow.prev)
        attributes = {name: attribute.value for name, attribute in (shadow.attributes or {}).items()}
        told = shadow.trie.name, shadow.text, shadow.tail, attributes
        return _new(cls, (told, shadow.number, parent, shadow.prev))


class Original:
    """The nodes of a document when it was wrapped, in document order, and its text.

    ``first`` has those that have changed since, moved or gone, as they were when events first reported them: what is
    different there has slipped through before. ``lost`` are nodes that are elsewhere now, and of which no event has
    ever told.
    """

    __slots__ = ("first", "lost", "nodes", "text")

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.lost: list[Node] = []
        self.text = b""
        self.first: dict[Node, First] = {}

    def pin(self, root: Node, entry: Any, enter: Callable[[Node, Any], None]) -> set[type]:
        """Gives every node of the tree an entry in the table; returns the classes of proxies found."""
        collecting = gc.isenabled()
        gc.disable()  # a collection per 700 new proxies would find nothing and double the time
        try:
            nodes = self.nodes = list(Element.iter(root))
            for _ in map(enter, nodes, repeat(entry)):
                pass
            return set(map(type, nodes))
        finally:
            if collecting:
                gc.enable()
