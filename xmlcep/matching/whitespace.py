"""White space that only indents: among the children of elements that have child elements and no other text."""

from __future__ import annotations

from ..xml_parser import is_blank
from .outline import Node


def unindent(root: Node) -> None:
    """Takes it out of a tree: what remains is what a document that ignores white space reports."""
    for element in root.iter("*"):
        children = element.getchildren()
        if not children:
            continue
        text, blanks = element.text, []
        if text and not is_blank(text):
            continue
        elements = False
        for child in children:
            elements = elements or isinstance(child.tag, str)
            tail = child.tail
            if tail:
                if not is_blank(tail):
                    break
                blanks.append(child)
        else:
            if elements:
                if text:
                    element.text = None
                for child in blanks:
                    child.tail = None
