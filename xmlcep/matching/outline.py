"""A tree laid out flat, in document order, with a number for the content of each subtree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from lxml import etree

from ..errors import XmlCepError

Node: TypeAlias = Any
"""An lxml element, comment or processing instruction."""

_TEXT = etree._Element.text.__get__
_TAIL = etree._Element.tail.__get__


class TreeError(XmlCepError, ValueError):
    """A tree that cannot be compared with another; says which node, and what to do."""


class Contents:
    """Numbers for the contents of subtrees: two subtrees have one number if and only if they are equal.

    Names, attributes, visible text, comments and processing instructions count; prefixes and the order of
    attributes do not. A table, not a hash: no two contents can be made to collide.
    """

    __slots__ = ("_numbers",)

    def __init__(self) -> None:
        self._numbers: dict[tuple[Any, ...], int] = {}

    def number(self, content: tuple[Any, ...]) -> int:
        """The number of a content; a new one for a content not seen before."""
        return self._numbers.setdefault(content, len(self._numbers))


@dataclass(frozen=True, slots=True, eq=False)
class Outline:
    """The nodes of a tree by their place in document order, from 0 for the root.

    ``end[i]`` is the place behind the subtree of node i; ``tag[i]`` is None for comments and processing
    instructions. ``text`` and ``tail`` are the visible ones: None where there is none, or only white space that
    indents. ``weight[i]`` counts what an event tells of in the subtree: elements, attributes, text nodes.
    """

    nodes: Sequence[Node]
    parent: Sequence[int]
    end: Sequence[int]
    tag: Sequence[str | None]
    attributes: Sequence[tuple[tuple[str, str], ...]]
    text: Sequence[str | None]
    tail: Sequence[str | None]
    content: Sequence[int]
    weight: Sequence[int]

    def children(self, node: int) -> Iterator[int]:
        """The child nodes of a node, comments and processing instructions among them."""
        end = self.end
        child, behind = node + 1, end[node]
        while child < behind:
            yield child
            child = end[child]

    def attribute(self, node: int, name: str) -> str | None:
        """The value of an attribute; None if there is none."""
        for key, value in self.attributes[node]:
            if key == name:
                return value
        return None

    def __len__(self) -> int:
        return len(self.nodes)


def outline(root: Node, contents: Contents, *, ignore_whitespace: bool = True) -> Outline:
    """The outline of the tree below ``root``; outlines made with the same ``contents`` can be compared.

    ``ignore_whitespace`` leaves out white-space-only text among the children of elements that have child
    elements and no other text, as wrapped documents do. Raises `TreeError` for entity references.
    """
    nodes, parent, end = _document_order(root)
    size = len(nodes)
    tag: list[str | None] = [None] * size
    attributes: list[tuple[tuple[str, str], ...]] = [()] * size
    text: list[str | None] = [None] * size
    tail: list[str | None] = [None] * size
    content = [0] * size
    weight = [0] * size
    number = contents.number
    for place in range(size - 1, -1, -1):
        node = nodes[place]
        name = node.tag
        if not isinstance(name, str):
            content[place] = number(_other(node, name))
            continue
        tag[place] = name
        own = attributes[place] = tuple(sorted(node.items())) if node.keys() else ()
        inside = _TEXT(node) or None
        behind = end[place]
        total = 1 + len(own)
        if place + 1 == behind:  # no children
            if inside is not None:
                text[place] = inside
                total += 1
            weight[place] = total
            content[place] = number((name, own, inside))
            continue
        children = []
        child = place + 1
        elements = False
        worded = inside is not None and not inside.isspace()
        while child < behind:
            children.append(child)
            follows = tail[child] = _TAIL(nodes[child]) or None
            elements = elements or tag[child] is not None
            worded = worded or (follows is not None and not follows.isspace())
            child = end[child]
        if ignore_whitespace and elements and not worded:
            inside = None
            for child in children:
                tail[child] = None
        if inside is not None:
            text[place] = inside
            total += 1
        key: list[Any] = [name, own, inside]
        for child in children:
            key.append(content[child])
            key.append(tail[child])
            total += weight[child] + (tail[child] is not None)
        weight[place] = total
        content[place] = number(tuple(key))
    return Outline(nodes, parent, end, tag, attributes, text, tail, content, weight)


def _document_order(root: Node) -> tuple[list[Node], list[int], list[int]]:
    """The nodes, the places of their parents, and the places behind their subtrees."""
    nodes: list[Node] = []
    parent: list[int] = []
    pending: list[tuple[Node, int]] = [(root, -1)]
    while pending:
        node, above = pending.pop()
        place = len(nodes)
        nodes.append(node)
        parent.append(above)
        children = node.getchildren()
        if children:
            children.reverse()
            pending += [(child, place) for child in children]
    end = list(range(1, len(nodes) + 1))
    for place in range(len(nodes) - 1, 0, -1):
        above = parent[place]
        if end[above] < end[place]:
            end[above] = end[place]
    return nodes, parent, end


def _other(node: Node, kind: object) -> tuple[Any, ...]:
    """What a comment or processing instruction is known by."""
    if kind is etree.Comment:
        return (0, node.text or "")
    if kind is etree.ProcessingInstruction:
        return (1, node.target, node.text or "")
    raise TreeError(
        f"line {node.sourceline}: the entity reference {node.text!r} is not resolved: replace entities by their"
        " text (xmllint --noent does that) before comparing"
    )
