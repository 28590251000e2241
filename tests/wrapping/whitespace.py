"""The tree that is seen where white space in element-only content is left out, found by a walk of its own."""

from __future__ import annotations

from typing import Any

from lxml import etree

from tests.wrapping.event_oracle import attributes_of, name_of


def visible(root: Any) -> Any:
    """A copy without the white space that is to be left out."""
    copied = _copy(root)
    for element in copied.iter():
        if not isinstance(element.tag, str) or not any(isinstance(child.tag, str) for child in element):
            continue
        texts = [element.text, *(child.tail for child in element)]
        if all(not text or not text.strip(" \t\r\n") for text in texts):
            element.text = None
            for child in element:
                child.tail = None
    return copied


def _copy(node: Any) -> Any:
    """A tree of the same names, attributes and texts; serialising would lose a comment that has no text."""
    name = name_of(node)
    if name is None:
        return etree.Comment("")
    copied = etree.Element(name, dict(attributes_of(node)))
    copied.text = etree._Element.text.__get__(node)
    for child in etree._Element.iterchildren(node):
        below = _copy(child)
        below.tail = etree._Element.tail.__get__(child)
        copied.append(below)
    return copied
