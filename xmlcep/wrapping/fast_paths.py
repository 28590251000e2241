"""The short ways of frequent edits, in one place.

Each does what the general way does (`edits`, `assignments`) where there is nothing to look at: a document without open
transaction, foreign proxies or ``ignore_whitespace`` (`ShadowTree.fast_path`). Each says whether it has made the edit;
if not, nothing has been done.
"""

from __future__ import annotations

from typing import Any

from .mutations import change_tail, change_text, insert, insert_leaf, remove, touch, unlink
from .raw import (
    Element,
    Node,
    get_next,
    get_parent,
    get_previous,
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

_append, _remove = Element.append, Element.remove


def assign_text(node: Node, value: Any) -> bool:
    """``node.text = value``, from one text to another."""
    shadow = entry_of(node)
    if type(shadow) is not ShadowNode or type(value) is not str or not value:
        return False
    old, tree = shadow.text, shadow.tree
    if old is None or not tree.fast_values:
        return False
    try:
        set_text(node, value)
    except BaseException:
        change_text(tree, node, shadow, get_text(node) or None, tree.emitter.emit_alone)
        raise
    if value != old:
        if shadow.pristine:
            touch(tree, node, shadow)
        shadow.text = value
        ids = (*(shadow.ids or shadow.make_ids()), shadow.text_number)
        tree.emitter.emit_alone("upd", shadow.trie.text, ids, value, old, None)  # type: ignore[union-attr]
    return True


def assign_tail(node: Node, value: Any) -> bool:
    """``node.tail = value``, from one text to another."""
    shadow = entry_of(node)
    if type(shadow) is not ShadowNode or type(value) is not str or not value:
        return False
    old, tree = shadow.tail, shadow.tree
    if old is None or not tree.fast_values:
        return False
    try:
        set_tail(node, value)
    except BaseException:
        change_tail(tree, node, shadow, get_tail(node) or None, tree.emitter.emit_alone)
        raise
    if value != old:
        if shadow.pristine:
            touch(tree, node, shadow)
        shadow.tail = value
        parent: Any = shadow.parent
        ids = (*(parent.ids or parent.make_ids()), shadow.tail_number)
        tree.emitter.emit_alone("upd", parent.trie.text, ids, value, old, None)
    return True


def assign_attribute(node: Node, key: Any, value: Any) -> bool:
    """``node.set(key, value)``, from one value to another."""
    shadow = entry_of(node)
    if type(shadow) is not ShadowNode or not shadow.attributes or not (type(key) is type(value) is str):
        return False
    attribute, tree = shadow.attributes.get(key), shadow.tree
    if attribute is None or not tree.fast_values:
        return False
    set_raw_attribute(node, key, value)
    old = attribute.value
    if old != value:
        if shadow.pristine:
            touch(tree, node, shadow)
        attribute.value = value
        trie: Any = shadow.trie
        ids = (*(shadow.ids or shadow.make_ids()), attribute.number)
        tree.emitter.emit_alone("upd", trie.attribute(key), ids, value, old, None)
    return True


def append(parent: Node, node: Any) -> bool:
    """``parent.append(node)``, where the node is new to all wrapped documents."""
    above = entry_of(parent)
    if type(above) is not ShadowNode or not isinstance(node, Tracked) or entry_of(node) is not None:
        return False
    tree = above.tree
    name = name_of(node)
    if name is None or not tree.fast_path:
        return False
    if number_of_children(node) or get_text(node) or get_tail(node):
        check_incoming(node)
        _append(parent, node)
        insert(tree, node, above, above.count, above.last)
        tree.end_edit()
    else:
        above.trie.child(name)  # type: ignore[union-attr]  # which raises before anything has happened
        _append(parent, node)
        insert_leaf(tree, node, name, above)
    return True


def made(node: Node) -> bool:
    """``SubElement(parent, …)``: the node is there, with its attributes, and behind all others."""
    parent = entry_of(get_parent(node))
    if type(parent) is not ShadowNode or not parent.tree.fast_path or parent.trie is None:
        return False
    if get_previous(node) is not parent.last:
        return False
    insert_leaf(parent.tree, node, name_of(node), parent)  # type: ignore[arg-type]
    return True


def take_out(parent: Node, node: Any) -> bool:
    """``parent.remove(node)``."""
    shadow = entry_of(node) if isinstance(node, Tracked) else None
    if type(shadow) is not ShadowNode or shadow.parent is not entry_of(parent):
        return False
    tree = shadow.tree
    if not tree.fast_path or node is tree.root:
        return False
    following = get_next(node)
    _remove(parent, node)
    unlink(tree, shadow, following)
    remove(tree, node, shadow)
    tree.end_edit()
    return True
