"""Nodes of lxml trees: of wrapped documents, of reference documents, of nodes that were deleted.

What has classes of an application is read with lxml's own accessors, whatever the classes say. Each text slot
that is not empty is a text node: CDATA is text like any other, and comments keep the texts around them apart.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lxml import etree

from ..xml_names import as_name
from .nodes import Node, Text

_Element: Any = etree._Element
_OTHER: Any = etree._Comment.__mro__[1]  # comments, processing instructions, entity references
_text, _tail, _tag = _Element.text.__get__, _Element.tail.__get__, _Element.tag.__get__
_children, _descendants = _Element.iterchildren, _Element.iterdescendants
_parent, _items, _get, _length = _Element.getparent, _Element.items, _Element.get, _Element.__len__

_FEW = 8  # children whose names are looked at one by one


@dataclass(frozen=True, slots=True)
class LxmlNodes:
    """lxml trees; the document is the context element. ``bounded``: it is the top of what is seen."""

    bounded: bool

    def name(self, document: Any, element: Any) -> str:
        """The name in Clark notation: ``tag`` gives what it was set with."""
        tag = _tag(element)
        return tag if type(tag) is str and tag[:2] != "{}" else as_name(tag)

    def nodes(self, document: Any, element: Any) -> Sequence[Node]:
        """The elements and text nodes in an element, in order."""
        text, found = _text(element), []
        if text:
            found.append(Text(element, None, text))
        for child in _children(element):
            if not isinstance(child, _OTHER):
                found.append(child)
            if tail := _tail(child):
                found.append(Text(element, child, tail))
        return found

    def elements(self, document: Any, element: Any) -> Sequence[Any]:
        """The elements in an element."""
        return [child for child in _children(element) if not isinstance(child, _OTHER)]

    def named(self, name: str) -> Callable[[Any, Any], Sequence[Any]]:
        """What gives those of a name."""
        spellings = _spellings(name)

        def called_so(document: Any, element: Any) -> Sequence[Any]:
            if _length(element) <= _FEW:
                try:
                    return [child for child in _children(element) if _tag(child) in spellings]
                except TypeError:  # a name was set with a bytearray
                    pass
            return list(_children(element, name))

        return called_so

    def below(self, name: str | None) -> Callable[[Any, Any], Sequence[Any]]:
        """What gives all elements below one, of a name or of any, in document order."""
        if name is not None:
            return lambda document, element: list(_descendants(element, name))
        return lambda document, element: [
            node for node in _descendants(element) if not isinstance(node, _OTHER)
        ]

    def attributes(self, document: Any, element: Any) -> Mapping[str, str]:
        """Names and values of the attributes, in order."""
        return dict(_items(element))

    def attribute(self, document: Any, element: Any, name: str) -> str | None:
        """The value of one of them; None without it."""
        return _get(element, name) if name else None

    def parent(self, document: Any, element: Any) -> Any | None:
        """The element around an element; None at the top."""
        return None if self.bounded and element is document else _parent(element)

    def string(self, document: Any, element: Any) -> str:
        """The string-value of an element: all text in it."""
        return (_text(element) or "") if _length(element) == 0 else _joined(element)


def _joined(element: Any) -> str:
    return etree.tostring(element, method="text", encoding="unicode", with_tail=False)


def _spellings(name: str) -> frozenset[object]:
    """What ``tag`` can be of an element of this name: what it was set with."""
    spelled = {name} if name.startswith("{") else {name, f"{{}}{name}"}
    return frozenset({*spelled, *(each.encode() for each in spelled)})
