"""The short way of ``append``: what the general one (`edits`) does where there is nothing to look at.

That is a document without open transaction, foreign proxies or ``ignore_whitespace`` (`ShadowTree.fast_path`), and an
element that is new to all wrapped documents. `SubElement` has its own, in `lxml_methods`.
"""

from __future__ import annotations

from typing import Any

from ..lxml_access import Element, Node, attribute_names, get_tail, get_text, name_of, number_of_children
from ..shadow.mutations import check_leaf, insert, insert_leaf, take_over_below
from ..shadow.shadow import ShadowNode, Tracked, entry_of
from ..xml_validity import check_incoming, check_parser
from .edits import put

_append = Element.append


def append(self: Node, element: Any) -> None:
    """As lxml's ``append``; short where the element is new to all wrapped documents."""
    above = entry_of(self)
    if type(above) is not ShadowNode or not isinstance(element, Tracked) or entry_of(element) is not None:
        put(element, lambda: _append(self, element), self)
        return
    tree = above.tree
    if tree.delivery.is_busy:
        tree.delivery.check()
    name = name_of(element)
    if name is None or not tree.fast_path:
        put(element, lambda: _append(self, element), self)
    elif number_of_children(element) or get_text(element) or get_tail(element):
        check_incoming(element)
        tree.delivery.changing = True
        _append(self, element)
        take_over_below(tree, element)
        insert(tree, element, above, above.count, above.last)
        tree.end_edit()
    else:
        check_parser(element)
        check_leaf(name, attribute_names(element), above)
        tree.delivery.changing = True
        _append(self, element)
        insert_leaf(tree, element, name, above)
