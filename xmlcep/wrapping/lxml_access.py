"""lxml's own accessors: they read the tree, whatever class a node has.

An application's element classes may read otherwise: of an objectified element ``len`` counts siblings of its name.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

from lxml import etree

from ..xml_names import as_name

Node: TypeAlias = Any
"""An lxml element, comment, processing instruction or entity reference."""

Element: Any = etree._Element
ContentOnly: Any = etree._Comment.__mro__[1]
"""What comments, processing instructions and entity references have in common."""

get_text, set_text = Element.text.__get__, Element.text.__set__
get_tail, set_tail = Element.tail.__get__, Element.tail.__set__
get_tag, set_tag = Element.tag.__get__, Element.tag.__set__
get_base, set_base = Element.base.__get__, Element.base.__set__
get_content, set_content = ContentOnly.text.__get__, ContentOnly.text.__set__
get_parent, get_next, get_previous = Element.getparent, Element.getnext, Element.getprevious
root_tree, line_of = Element.getroottree, Element.sourceline.__get__
iter_children = Element.iterchildren
get_attribute, set_attribute, attribute_names = Element.get, Element.set, Element.keys
number_of_children, index_of = Element.__len__, Element.index

_items = Element.items
# lxml finds each value by a search through all attributes: of many, an XPath gives all in one go.
_MANY_ATTRIBUTES = 100
_all_attributes = etree.XPath("@*")


def is_element(node: Node) -> bool:
    """Whether it is an element: no comment, processing instruction or entity reference."""
    return not isinstance(node, ContentOnly)


def name_of(node: Node) -> str | None:
    """The name of an element in Clark notation, None for other nodes.

    ``tag`` gives what it was set with, which may be a `QName` or bytes, or begin with ``{}``.
    """
    if isinstance(node, ContentOnly):
        return None
    tag = get_tag(node)
    return tag if type(tag) is str and tag[:2] != "{}" else as_name(tag)


def attributes_of(node: Node) -> list[tuple[str, str]]:
    """Names and values in document order."""
    names = attribute_names(node)
    # A value that is not there: xinclude() has taken the place of the node, and lxml would read foreign memory.
    if not names or get_attribute(node, names[0]) is None:
        return []
    if len(names) < _MANY_ATTRIBUTES:
        return _items(node)  # type: ignore[no-any-return]
    return [(value.attrname, str(value)) for value in _all_attributes(node)]


def children_of(node: Node) -> list[Node]:
    """Elements, comments and the like below a node, in order."""
    return list(iter_children(node))


def walk(node: Node) -> Iterator[tuple[bool, Node]]:
    """Every node of the subtree on entering and on leaving it, without recursion."""
    yield True, node
    stack = [(node, iter_children(node))]
    while stack:
        top, children = stack[-1]
        child = next(children, None)
        if child is None:
            stack.pop()
            yield False, top
        else:
            yield True, child
            stack.append((child, iter_children(child)))


def place(node: Node) -> str:
    """Where a node is, as XPath, for people."""
    if isinstance(node, etree._Entity):  # libxml2 has no path of these
        parent = get_parent(node)
        return repr(node) if parent is None else f"{place(parent)}/{node.text}"
    try:
        return str(root_tree(node).getpath(node))
    except ValueError:
        return repr(node)
