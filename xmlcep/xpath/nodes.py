"""The nodes of a document as expressions see them, and what has to be known of elements to find all others.

Elements are whatever the kind of document has for them: lxml elements, ids in tables. What is not an element is a tuple
that knows the element it belongs to. There are no comments and processing instructions here (U2).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, Protocol, TypeAlias

Element: TypeAlias = Hashable
"""An element; what it is only its source knows."""


class Root(NamedTuple):
    """The root node: what the top element is in."""

    top: Any


class Text(NamedTuple):
    """A text node: its element, what is right before it there (as far as that tells it from others), its text."""

    parent: Any
    before: Any
    text: str


class Attribute(NamedTuple):
    """An attribute: its element, its name in Clark notation, its value."""

    parent: Any
    name: str
    text: str


Node: TypeAlias = Any
"""An element, or one of these."""

Document: TypeAlias = Any
"""What a source looks at: the context element, or that with its tables."""


class Source(Hashable, Protocol):
    """One kind of documents. An element that is the top has no parent, whatever is around it (D4, U2)."""

    def name(self, document: Document, element: Any) -> str:
        """The name in Clark notation."""

    def nodes(self, document: Document, element: Any) -> Sequence[Node]:
        """The elements and text nodes in an element, in order."""

    def elements(self, document: Document, element: Any) -> Sequence[Any]:
        """The elements among them."""

    def named(self, name: str) -> Callable[[Document, Any], Sequence[Any]]:
        """What gives those of a name."""

    def below(self, name: str | None) -> Callable[[Document, Any], Sequence[Any]]:
        """What gives all elements below one, of a name or of any, in document order."""

    def attributes(self, document: Document, element: Any) -> Mapping[str, str]:
        """Names and values of the attributes, in order."""

    def attribute(self, document: Document, element: Any, name: str) -> str | None:
        """The value of one of them; None without it."""

    def parent(self, document: Document, element: Any) -> Any | None:
        """The element around an element; None at the top."""

    def string(self, document: Document, element: Any) -> str:
        """The string-value of an element: all text in it."""


def string_value(source: Source, document: Document, node: Node) -> str:
    """The string-value of any node."""
    if not isinstance(node, tuple):
        return source.string(document, node)
    return source.string(document, node.top) if type(node) is Root else node.text  # type: ignore[attr-defined]


def name_of(source: Source, document: Document, node: Node) -> str:
    """The name of an element or attribute in Clark notation; ``""`` of others."""
    if not isinstance(node, tuple):
        return source.name(document, node)
    return node.name if type(node) is Attribute else ""


def parent_of(source: Source, document: Document, node: Node) -> Any | None:
    """The element that a node is in; None at the top."""
    if not isinstance(node, tuple):
        return source.parent(document, node)
    return None if type(node) is Root else node.parent  # type: ignore[attr-defined]


def root_of(source: Source, document: Document, node: Node) -> Root:
    """The root node of the tree that a node is in."""
    if type(node) is Root:
        return node
    above: Any = node
    while (parent := parent_of(source, document, above)) is not None:
        above = parent
    return Root(above)


def in_document_order(source: Source, document: Document, nodes: Sequence[Node]) -> list[Node]:
    """Each of the nodes once, in document order."""
    once = list(dict.fromkeys(nodes))
    if len(once) < 2:
        return once
    numbers: dict[Any, dict[Node, int]] = {}  # of the nodes in an element

    def place(node: Node) -> list[int]:
        steps = []
        while type(node) is not Root:
            parent = parent_of(source, document, node)
            if parent is None:
                steps.append(0)  # the top element
                break
            if type(node) is Attribute:  # before all that is in the element
                names = list(source.attributes(document, parent))
                steps.append((names.index(node.name) if node.name in names else 0) - len(names) - 1)
            else:
                if parent not in numbers:
                    inside = source.nodes(document, parent)
                    numbers[parent] = {child: number for number, child in enumerate(inside)}
                steps.append(numbers[parent].get(node, -1))  # -1: a text node without text
            node = parent
        return steps[::-1]

    return sorted(once, key=place)


def is_nested(source: Source, document: Document, nodes: Sequence[Node]) -> bool:
    """Whether one of several nodes in document order is in another: that has one in it right behind it, then."""
    for before, node in pairwise(nodes):
        if type(before) is Root:
            return True
        above: Any = node
        while (above := parent_of(source, document, above)) is not None:
            if above == before:
                return True
    return False
