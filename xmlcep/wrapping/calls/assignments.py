"""Texts, names and attributes being set: what is looked at before the call, and what is emitted after it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from operator import attrgetter
from typing import Any

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
    set_base,
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


def _setter(
    read: Callable[[Node], str | None],
    write: Callable[[Node, Any], None],
    told: Callable[[ShadowNode], str | None],
    changed: Callable[..., None],
    remember: Callable[[Journal, Node], None],
    site: Callable[[Node], Node | None],
) -> Callable[[Node, Any], None]:
    """What sets one of the two texts that lxml keeps with a node: that in an element, or that behind a node.

    ``told`` is what events have reported of it, ``site`` the element whose child it is.
    """

    def set_value(node: Node, value: Any) -> None:
        shadow = ready(node)
        if shadow is None:
            write(node, value)
            return
        tree = shadow.tree
        # A new text has a place among siblings, some of which may have been taken away unseen.
        if tree.ignore_whitespace or (tree.foreign and told(shadow) is None):
            rearrange([site(node)], partial(write, node, value))
            return
        if tree.journal is not None:
            remember(tree.journal, node)
        tree.delivery.changing = True
        try:
            write(node, value)
        finally:  # lxml removes the old text before it refuses a new one
            changed(tree, node, shadow, read(node) or None, tree.emit_alone)
            tree.delivery.changing = False

    return set_value


set_text_of = _setter(get_text, set_text, attrgetter("text"), change_text, Journal.text, lambda node: node)
"""``element.text = value``."""
_set_tail = _setter(get_tail, set_tail, attrgetter("tail"), change_tail, Journal.tail, get_parent)


def set_tail_of(node: Node, value: Any) -> None:
    """``node.tail = value``."""
    if value is None and not get_tail(node):
        return  # lxml itself does so, in the midst of an edit
    _set_tail(node, value)


def set_content_of(node: Node, value: Any) -> None:
    """The text of a comment or processing instruction, which is not an event, but can be undone."""
    tree = tree_of(node)
    if tree is not None and tree.journal is not None:
        tree.journal.text(node)
    # lxml would leave the comment out when it is written, and the texts on its two sides would become one.
    _set(node, "text", "" if value is None and isinstance(node, etree._Comment) else value)


def set_name_of(node: Node, value: Any) -> None:
    """``node.tag = value``; what is read back is text, whatever was given."""
    shadow = ready(node) if is_element(node) else None
    if shadow is None:
        set_tag(node, as_name(value))
        return
    tree = shadow.tree
    tree.open_subtree(node)
    if tree.journal is not None:
        tree.journal.tag(node)
    old = name_of(node)
    run(set_tag, (node, as_name(value)), tree)
    name = str(name_of(node))
    if name != old:
        try:
            check_name(name, "element")
        except RefusedError:
            set_tag(node, old)
            tree.delivery.changing = False
            raise
        if tree.foreign and shadow.parent is not None:
            reconcile(tree, [get_parent(node)])
        else:
            rename(tree, node)
    tree.end_edit()


def set_base_of(node: Node, value: Any) -> None:
    """``node.base = value``: an attribute."""
    if not is_element(node):
        raise RefusedError(
            "a comment, processing instruction or entity has no xml:base: set it on an element"
        )
    change(node, lambda: set_base(node, value))


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
        return
    tree, trie = shadow.tree, shadow.trie
    assert trie is not None
    if type(key) is not str or key not in trie.attributes:  # its name has not been looked at yet
        _change(node, shadow, partial(set_raw_attribute, node, key, value))
        return
    if tree.journal is not None:
        tree.journal.attributes(node)
    tree.delivery.changing = True
    try:
        set_raw_attribute(node, key, value)
    except LXML_ERRORS:
        tree.delivery.changing = False
        raise
    now = value if type(value) is str else get_attribute(node, key)
    change_attribute(tree, node, shadow, key, now, tree.emit_alone)
    tree.delivery.changing = False


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
    return call() if shadow is None else _change(node, shadow, call)


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
            tree.delivery.changing = True
            refused = take_out_refused(node, now)
            change_attributes(tree, node, now)
            tree.end_edit()
            if refused is not None:
                raise refused


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
    if refused:  # all others are set anew: lxml does not find those in the namespace of declarations
        others = [(name, value) for name, value in attributes_of(node) if name not in refused]
        _attributes(node).clear()
        for name, value in others:
            set_raw_attribute(node, name, value)
    return next(iter(refused.values()), None)
