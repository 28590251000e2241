"""A tree laid out flat, in document order, with a number for the content of each subtree."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

from lxml import etree

from ..errors import XmlCepError
from ..xml_names import as_name
from ..xml_parser import is_blank

Node: TypeAlias = Any
"""An lxml element, comment or processing instruction."""

_SMALL = 4  # objects of an entry for an element without children
_TEXT = etree._Element.text.__get__
_TAIL = etree._Element.tail.__get__


class TreeError(XmlCepError, ValueError):
    """A tree that cannot be compared with another; says which node, and what to do."""


class Contents:
    """Numbers for the contents of subtrees: two subtrees have one number if and only if they are equal.

    Names, attributes, visible text, comments and processing instructions count; prefixes and the order of
    attributes do not. A table, not a hash: no two contents can be made to collide.
    """

    __slots__ = ("numbers", "size")

    def __init__(self) -> None:
        self.numbers: dict[tuple[Any, ...], int] = {}
        self.size = 0  # about as many objects as are kept


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
    with no_collections():
        return _outline(root, contents, ignore_whitespace)


@contextmanager
def no_collections() -> Iterator[None]:
    """Keeps Python's garbage collector still: while many objects are made that all live, it would find nothing."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def _outline(root: Node, contents: Contents, ignore_whitespace: bool) -> Outline:
    nodes = list(root.iter())
    parent, end = _spans(list(map(len, nodes)))
    size = len(nodes)
    numbers = contents.numbers
    before = len(numbers)
    # A name may be set as a `QName`, bytes, or beginning with ``{}``, and is read as that from lxml's own elements.
    names = [
        name if type(name) is str and name[:2] != "{}" else as_name(name)
        for name in (node.tag for node in nodes)
    ]
    raw_texts, raw_tails = list(map(_TEXT, nodes)), list(map(_TAIL, nodes))
    tag: list[str | None] = [None] * size
    attributes: list[tuple[tuple[str, str], ...]] = [()] * size
    text: list[str | None] = [None] * size
    tail: list[str | None] = [None] * size
    content = [0] * size
    weight = [0] * size
    for place in range(size - 1, -1, -1):  # what is below an element before it
        name = names[place]
        if not isinstance(name, str):
            content[place] = numbers.setdefault(_other(nodes[place], name), len(numbers))
            continue
        tag[place] = name
        items = nodes[place].items()
        own: tuple[tuple[str, str], ...] = ()
        if items:
            own = attributes[place] = tuple(items) if len(items) == 1 else tuple(sorted(items))
        inside = raw_texts[place] or None
        behind = end[place]
        total = 1 + len(own)
        if place + 1 == behind:  # no children
            if inside is not None:
                text[place] = inside
                total += 1
            weight[place] = total
            content[place] = numbers.setdefault((name, own, inside), len(numbers))
            continue
        children = []
        child = place + 1
        while child < behind:
            children.append(child)
            child = end[child]
        if not (ignore_whitespace and _only_indents(inside, children, raw_tails, tag)):
            if inside is not None:
                text[place] = inside
                total += 1
            for child in children:
                if raw_tails[child]:
                    tail[child] = raw_tails[child]
                    total += 1
        key: list[Any] = [name, own, text[place]]
        for child in children:
            key.append(content[child])
            key.append(tail[child])
            total += weight[child]
        weight[place] = total
        known = len(numbers)
        content[place] = numbers.setdefault(tuple(key), known)
        if len(numbers) > known:
            contents.size += len(key)
    contents.size += _SMALL * (len(numbers) - before)
    return Outline(nodes, parent, end, tag, attributes, text, tail, content, weight)


def _only_indents(
    inside: str | None, children: Sequence[int], tails: Sequence[str | None], tag: Sequence[str | None]
) -> bool:
    """Whether an element has child elements and no text but white space."""
    if inside is not None and not is_blank(inside):
        return False
    elements = False
    for child in children:
        behind = tails[child]
        if behind and not is_blank(behind):
            return False
        elements = elements or tag[child] is not None
    return elements


def _spans(counts: Sequence[int]) -> tuple[list[int], list[int]]:
    """Parents and ends of subtrees, from the numbers of children in document order."""
    parent = [-1] * len(counts)
    end = list(range(1, len(counts) + 1))
    open_elements: list[int] = []
    left: list[int] = []  # how many children of each are still to come
    for place, count in enumerate(counts):
        if open_elements:
            parent[place] = open_elements[-1]
            left[-1] -= 1
        if count:
            open_elements.append(place)
            left.append(count)
            continue
        while left and not left[-1]:
            end[open_elements.pop()] = place + 1
            left.pop()
    return parent, end


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
