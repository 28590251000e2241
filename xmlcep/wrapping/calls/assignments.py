"""Texts, names and attributes being set: what is looked at before the call, and what is emitted after it."""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import Any, NamedTuple

from lxml import etree

from ...xml_names import as_name
from ..errors import RefusedError
from ..lxml_access import (
    Element,
    Node,
    attribute_names,
    attributes_of,
    get_attribute,
    get_parent,
    get_tail,
    get_text,
    is_element,
    name_of,
    set_tag,
    set_tail,
    set_text,
)
from ..lxml_access import set_attribute as set_raw_attribute
from ..shadow.journal import Journal
from ..shadow.mutations import change_attribute, change_attributes, change_tail, change_text, rename
from ..shadow.reconcile import reconcile
from ..shadow.shadow import ShadowNode, entry_of, tree_of
from ..xml_validity import check_name
from .edits import LXML_ERRORS, ready, rearrange, run

_set = object.__setattr__  # as lxml's own class does it, with its errors
_attributes: Any = Element.attrib.__get__


class TextSlot(NamedTuple):
    """Where lxml keeps a text: in an element, before its first child, or behind a node."""

    read: Callable[[Node], str | None]
    write: Callable[[Node, Any], None]
    changed: Callable[..., None]
    remember: Callable[[Journal, Node], None]
    site: Callable[[Node], Node]
    """The element whose child it is."""


TEXT = TextSlot(get_text, set_text, change_text, Journal.text, lambda node: node)
TAIL = TextSlot(get_tail, set_tail, change_tail, Journal.tail, get_parent)


def set_slot(node: Node, slot: TextSlot, value: Any) -> None:
    """``node.text = value`` or ``node.tail = value`` on any element; the tail of any node."""
    shadow = ready(node)
    if shadow is None or (slot is TAIL and shadow.parent is None):
        slot.write(node, value)
        return
    tree = shadow.tree
    # A new text behind a node has a place among siblings, some of which may have been taken away unseen.
    if tree.ignore_whitespace or (tree.exposed and slot is TAIL and shadow.tail is None):
        rearrange([slot.site(node)], lambda: slot.write(node, value))
        return
    if tree.journal is not None:
        slot.remember(tree.journal, node)
    tree.delivery.changing = True
    try:
        slot.write(node, value)
    except LXML_ERRORS:  # lxml removes the old text before it refuses the new one
        slot.changed(tree, node, shadow, slot.read(node) or None, tree.emitter.emit_alone)
        tree.delivery.changing = False
        raise
    now = (value if type(value) is str else slot.read(node)) or None
    slot.changed(tree, node, shadow, now, tree.emitter.emit_alone)
    tree.delivery.changing = False


def set_text_of(node: Node, value: Any) -> None:
    """``node.text = value``; that of a comment or processing instruction is no event, but can be undone."""
    if is_element(node):
        set_slot(node, TEXT, value)
        return
    tree = tree_of(node)
    if tree is not None and tree.journal is not None:
        tree.journal.text(node)
    # lxml would leave the comment out when it is written, and the texts on its two sides would become one.
    _set(node, "text", "" if value is None and isinstance(node, etree._Comment) else value)


def set_tail_of(node: Node, value: Any) -> None:
    """``node.tail = value``."""
    if value is None and not get_tail(node):
        return  # lxml itself does so, in the midst of an edit
    set_slot(node, TAIL, value)


def set_name_of(node: Node, value: Any) -> None:
    """``node.tag = value``; what is read back is text, whatever was given."""
    shadow = ready(node) if is_element(node) else None
    if shadow is None:
        _set(node, "tag", as_name(value))
        return
    tree = shadow.tree
    tree.open_subtree(node)
    if tree.journal is not None:
        tree.journal.tag(node)
    old = name_of(node)
    run(lambda: _set(node, "tag", as_name(value)), tree)
    name = str(name_of(node))
    if name != old:
        try:
            check_name(name, "element")
        except RefusedError:
            set_tag(node, old)
            tree.delivery.changing = False
            raise
        if tree.exposed and shadow.parent is not None:
            reconcile(tree, [node])
        else:
            rename(tree, node)
    tree.end_edit()


def set_base_of(node: Node, value: Any) -> None:
    """``node.base = value``: an attribute."""
    if not is_element(node):
        raise RefusedError(
            "a comment, processing instruction or entity has no xml:base: set it on an element"
        )
    change(node, lambda: _set(node, "base", value))


def set_target_of(node: Node, value: Any) -> None:
    """``instruction.target = value``."""
    tree = tree_of(node)
    if tree is not None and tree.journal is not None:
        tree.journal.tag(node)
    _set(node, "target", value)


def set_attribute(node: Node, key: Any, value: Any) -> None:
    """``node.set(key, value)`` on any element."""
    shadow = ready(node)
    if shadow is None:
        set_raw_attribute(node, key, value)
    elif type(key) is str and key[:2] != "{}":
        _change_one(node, shadow, key, lambda: set_raw_attribute(node, key, value))
    else:
        _change(node, shadow, lambda: set_raw_attribute(node, key, value))


def delete_attribute(node: Node, key: Any, call: Callable[[], Any], absent: Callable[[], Any]) -> Any:
    """Runs a call that deletes one attribute at most; ``absent`` where there is but the default of a document type.

    That is what lxml reads where there is no attribute; asked to delete it, lxml 6.1 writes to foreign memory.
    """
    shadow = ready(node)
    if entry_of(node) is None:
        return call()
    name = str(as_name(key)).removeprefix("{}")
    known = () if shadow is None else shadow.attributes or ()
    if name not in known and get_attribute(node, key) != _own_attribute(node, name):
        return absent()
    if shadow is None:
        return call()
    if type(key) is str and key[:2] != "{}":
        return _change_one(node, shadow, key, call, _own_attribute)
    return _change(node, shadow, call)


def _own_attribute(node: Node, name: str) -> str | None:
    """The value of an attribute, None if there is none, whatever the document type says."""
    value: str | None = get_attribute(node, name)
    return value if value is not None and name in attribute_names(node) else None


def change(node: Node, call: Callable[[], Any]) -> Any:
    """Runs a call that may change attributes in any way; what it has done is emitted, if it raises, too."""
    return _change(node, ready(node), call)


def _change(node: Node, shadow: ShadowNode | None, call: Callable[[], Any]) -> Any:
    if shadow is not None and shadow.tree.journal is not None:
        shadow.tree.journal.attributes(node)
    try:
        return call()
    finally:
        now = entry_of(node)  # what gives the attributes may have edited meanwhile, and this very element
        if type(now) is ShadowNode and now.tree.observed is None:
            tree = now.tree
            refused = take_out_refused(node, now)
            change_attributes(tree, node, now)
            tree.end_edit()
            if refused is not None:
                raise refused


def _change_one(
    node: Node, shadow: ShadowNode, name: str, call: Callable[[], Any],
    read: Callable[[Node, str], str | None] = get_attribute,
) -> Any:  # fmt: skip
    tree = shadow.tree
    if tree.journal is not None:
        tree.journal.attributes(node)
    tree.delivery.changing = True
    try:
        result = call()
    except LXML_ERRORS:
        tree.delivery.changing = False
        raise
    assert shadow.trie is not None
    if name not in shadow.trie.attributes:
        try:
            check_name(name, "attribute")
        except RefusedError:
            _take_out(node, {name})
            tree.delivery.changing = False
            raise
    change_attribute(tree, node, shadow, name, read(node, name), tree.emitter.emit_alone)
    tree.delivery.changing = False
    return result


def take_out_refused(node: Node, shadow: ShadowNode) -> RefusedError | None:
    """Takes attributes out again whose names cannot be parsed again; the error that says so, None if there are none."""
    refused: dict[str, RefusedError] = {}
    assert shadow.trie is not None
    for name in attribute_names(node):
        if name not in shadow.trie.attributes:
            try:
                check_name(name, "attribute")
            except RefusedError as error:
                refused[name] = error
    if refused:
        _take_out(node, refused)
    return next(iter(refused.values()), None)


def _take_out(node: Node, names: Container[str]) -> None:
    """Takes attributes out by setting all others anew: lxml does not find those in the namespace of declarations."""
    others = [(name, value) for name, value in attributes_of(node) if name not in names]
    _attributes(node).clear()
    for name, value in others:
        set_raw_attribute(node, name, value)
