"""From the ids of events to nodes of the tree, and back."""

from __future__ import annotations

from typing import NamedTuple

from lxml import etree

from path_types import Axis, PathType

from ..xpath import NodeKind, Selected
from .lxml_access import Node, get_tail, get_text, is_element, iter_children
from .shadow.shadow import ShadowNode, ShadowTree, entry_of


class Place(NamedTuple):
    """A node of a document: an element, or an attribute or text with the element that it is in.

    ``value`` is that of a text or attribute, ``attribute`` its name, ``text`` its number among the texts of the
    element.
    """

    kind: NodeKind
    element: Node
    value: str = ""
    attribute: str = ""
    text: int = 1


def place_of(tree: ShadowTree, path: PathType, ids: tuple[int, ...]) -> Place | None:
    """Where the node of an event is; None if it is gone."""
    last = path.last
    if last.is_element:
        element = tree.element_by_id(ids[-1])
        return None if element is None else Place(NodeKind.ELEMENT, element)
    element = tree.element_by_id(ids[-2])
    shadow = None if element is None else entry_of(element)
    if type(shadow) is not ShadowNode:
        return None
    if last.axis is Axis.ATTRIBUTE:
        known = (shadow.attributes or {}).get(last.test)
        if known is None or known.number != ids[-1]:
            return None
        return Place(NodeKind.ATTRIBUTE, element, known.value, last.test)
    return _text(element, shadow, ids[-1])


def _text(element: Node, shadow: ShadowNode, number: int) -> Place | None:
    count = 1 if get_text(element) else 0
    if shadow.text is not None and shadow.text_number == number:
        return Place(NodeKind.TEXT, element, shadow.text, "", 1)
    for child in iter_children(element):
        count += bool(get_tail(child))
        known = entry_of(child)
        if type(known) is ShadowNode and known.tail is not None and known.tail_number == number:
            return Place(NodeKind.TEXT, element, known.tail, "", count)
    return None


def instance_of(tree: ShadowTree, node: Selected) -> tuple[PathType, tuple[int, ...]]:
    """The path type and the ids of a node that a selection gives."""
    if is_node(node):
        shadow = tree.open(node)
        assert shadow.trie is not None
        return shadow.trie.path, shadow.ids or shadow.make_ids()
    parent = node.getparent()
    if node.is_attribute:
        shadow = tree.open(parent)
        assert shadow.trie is not None and shadow.attributes is not None
        name = str(node.attrname)
        return shadow.trie.attribute(name), (
            *(shadow.ids or shadow.make_ids()),
            shadow.attributes[name].number,
        )
    own = tree.open(parent)
    if not node.is_tail:
        assert own.trie is not None
        return own.trie.text, (*(own.ids or own.make_ids()), own.text_number)
    above = own.parent
    assert above is not None and above.trie is not None
    return above.trie.text, (*(above.ids or above.make_ids()), own.tail_number)


def is_node(node: Selected) -> bool:
    """Whether it is an element; else it is a text or attribute that was selected."""
    return isinstance(node, etree._Element) and is_element(node)
