"""Walking trees."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lxml import etree

from .records import Node

_TEXT = etree._Element.text.__get__
_TAIL = etree._Element.tail.__get__


def contents(node: Node) -> tuple[Any, ...]:
    """Name, text, tail and attributes of a node."""
    tag = node.tag
    if not isinstance(tag, str):
        return (_TAIL(node) or None,)
    tail = None if node.getparent() is None else _TAIL(node) or None
    return (tag, _TEXT(node) or None, tail, dict(node.items()))


def walk(node: Node) -> Iterator[tuple[bool, Node]]:
    """Every node of the subtree on entering and on leaving it, without recursion."""
    yield True, node
    stack = [(node, node.iterchildren())]
    while stack:
        top, children = stack[-1]
        child = next(children, None)
        if child is None:
            stack.pop()
            yield False, top
        else:
            yield True, child
            stack.append((child, child.iterchildren()))
