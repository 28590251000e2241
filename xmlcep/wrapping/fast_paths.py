"""The short ways of frequent edits, in one place.

Each does what the general way does (`edits`, `assignments`) where there is nothing to look at: a document without open
transaction, foreign proxies or ``ignore_whitespace`` (`ShadowTree.fast_path`); elsewhere it takes that one. They are
methods of tracked nodes as they stand, for a call between would cost as much as a tenth of the edit.
"""

from __future__ import annotations

from typing import Any

from .assignments import set_attribute, set_tail_of, set_text_of
from .edits import arrive, put, take_out
from .errors import cuts_short
from .feeding import is_pulled
from .mutations import (
    change_tail,
    change_text,
    check_leaf,
    insert,
    insert_leaf,
    remove,
    take_over_below,
    touch,
    unlink,
)
from .raw import (
    Element,
    Node,
    attribute_names,
    get_next,
    get_tail,
    get_text,
    name_of,
    number_of_children,
    set_tail,
    set_text,
)
from .raw import set_attribute as set_raw_attribute
from .shadow import ShadowNode, Tracked, entry_of
from .spelling import check_incoming

_append, _insert, _remove = Element.append, Element.insert, Element.remove


def assign_text(node: Node, value: Any) -> None:
    """``node.text = value``; short from one text to another."""
    shadow = entry_of(node)
    if type(shadow) is not ShadowNode or type(value) is not str or not value:
        set_text_of(node, value)
        return
    old, tree = shadow.text, shadow.tree
    if old is None or not tree.fast_values:
        set_text_of(node, value)
        return
    try:
        set_text(node, value)
    except BaseException:
        change_text(tree, node, shadow, get_text(node) or None, tree.emitter.emit_alone)
        raise
    if value != old:
        if shadow.pristine:
            touch(tree, node, shadow)
        try:
            shadow.text = value
            ids = (*(shadow.ids or shadow.make_ids()), shadow.text_number)
            tree.emitter.emit_alone("upd", shadow.trie.text, ids, value, old, None)  # type: ignore[union-attr]
        except BaseException as error:
            if type(error) is RecursionError or cuts_short(error):
                tree.emitter.delivery.missed += 1
            raise


def assign_tail(node: Node, value: Any) -> None:
    """``node.tail = value``; short from one text to another."""
    shadow = entry_of(node)
    if type(shadow) is not ShadowNode or type(value) is not str or not value:
        set_tail_of(node, value)
        return
    old, tree = shadow.tail, shadow.tree
    if old is None or not tree.fast_values:
        set_tail_of(node, value)
        return
    try:
        set_tail(node, value)
    except BaseException:
        change_tail(tree, node, shadow, get_tail(node) or None, tree.emitter.emit_alone)
        raise
    if value != old:
        if shadow.pristine:
            touch(tree, node, shadow)
        parent: Any = shadow.parent
        try:
            shadow.tail = value
            ids = (*(parent.ids or parent.make_ids()), shadow.tail_number)
            tree.emitter.emit_alone("upd", parent.trie.text, ids, value, old, None)
        except BaseException as error:
            if type(error) is RecursionError or cuts_short(error):
                tree.emitter.delivery.missed += 1
            raise


def assign_attribute(self: Node, key: Any, value: Any) -> None:
    """As lxml's ``set``; short from one value to another."""
    shadow = entry_of(self)
    if type(shadow) is not ShadowNode or not shadow.attributes or not (type(key) is type(value) is str):
        set_attribute(self, key, value)
        return
    attribute, tree = shadow.attributes.get(key), shadow.tree
    if attribute is None or not tree.fast_values:
        set_attribute(self, key, value)
        return
    set_raw_attribute(self, key, value)
    old = attribute.value
    if old != value:
        if shadow.pristine:
            touch(tree, self, shadow)
        trie: Any = shadow.trie
        try:
            attribute.value = value
            ids = (*(shadow.ids or shadow.make_ids()), attribute.number)
            tree.emitter.emit_alone("upd", trie.attribute(key), ids, value, old, None)
        except BaseException as error:
            if type(error) is RecursionError or cuts_short(error):
                tree.emitter.delivery.missed += 1
            raise


def append(self: Node, element: Any) -> None:
    """As lxml's ``append``; short where the element is new to all wrapped documents."""
    above = entry_of(self)
    if type(above) is not ShadowNode or not isinstance(element, Tracked) or entry_of(element) is not None:
        put(element, lambda: _append(self, element), self)
        return
    tree = above.tree
    name = name_of(element)
    if name is None or not tree.fast_path or is_pulled(element):
        put(element, lambda: _append(self, element), self)
    elif number_of_children(element) or get_text(element) or get_tail(element):
        check_incoming(element)
        _append(self, element)
        take_over_below(tree, element)
        insert(tree, element, above, above.count, above.last)
        tree.end_edit()
    else:
        check_leaf(name, attribute_names(element), above)
        _append(self, element)
        insert_leaf(tree, element, name, above)


def insert_child(self: Node, index: Any, element: Any) -> None:
    """As lxml's ``insert``; short where the element is new to all wrapped documents."""
    above = entry_of(self)
    if (
        type(above) is not ShadowNode
        or not isinstance(element, Tracked)
        or entry_of(element) is not None
        or not above.tree.fast_path
        or is_pulled(element)
    ):
        put(element, lambda: _insert(self, index, element), self)
        return
    check_incoming(element)
    _insert(self, index, element)
    arrive(element)
    above.tree.end_edit()


def remove_child(self: Node, element: Any) -> None:
    """As lxml's ``remove``: the element's tail goes with it; short where the element is a child."""
    shadow = entry_of(element) if isinstance(element, Tracked) else None
    if (
        type(shadow) is not ShadowNode
        or shadow.parent is not entry_of(self)
        or not shadow.tree.fast_path
        or shadow.parent is None  # the root
    ):
        take_out(element, lambda: _remove(self, element))
        return
    tree = shadow.tree
    following = get_next(element)
    if following is not None and type(entry_of(following)) is not ShadowNode:
        tree.open_known(following)
    _remove(self, element)
    remove(tree, element, shadow)
    unlink(tree, shadow, following)
    tree.end_edit()
