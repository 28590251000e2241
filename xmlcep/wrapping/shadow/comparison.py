"""A tree against its shadow: where they differ, and how. Whatever looks for edits that nobody has seen asks here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ..lxml_access import (
    Element,
    Node,
    attribute_names,
    attributes_of,
    get_next,
    get_parent,
    get_previous,
    get_tag,
    get_tail,
    get_text,
    is_element,
    iter_children,
    last_child,
    name_of,
    place,
)
from .baseline import First
from .shadow import ShadowNode, ShadowTree, entry_of, nodes_of, shadow_of, tree_of, visible


def differences(tree: ShadowTree) -> list[str]:
    """How the tree differs from its shadow, and where nothing was ever emitted, from the tree as it was wrapped."""
    muted, tree.muted = tree.muted, True
    try:
        return list(_differences(tree))
    finally:
        tree.muted = muted


def _differences(tree: ShadowTree) -> Iterator[str]:
    present = list(Element.iter(tree.root))
    if not has_its_name(tree.root):
        yield f"{place(tree.root)}: {_name_told(tree.root)}"
    for node in present:
        entry = entry_of(node)
        if entry is None or entry.tree is not tree:
            if (
                node is tree.root or type(entry_of(get_parent(node))) is not ShadowNode
            ):  # else its parent says so
                yield f"{place(node)}: {_UNSEEN}"
        elif type(entry) is ShadowNode and entry.trie is not None:
            for where, problem in differences_of(tree, node, entry):
                yield f"{place(where)}: {problem}"
    inside = set(present)
    for node in (*nodes_of(tree), *tree.original.lost):
        if node not in inside:
            yield f"{node!r}: has left the tree unseen"
    yield from tree.original.differences(
        tree.name, lambda node: _first(tree, node), lambda node: _shown(tree, node)
    )


def _first(tree: ShadowTree, node: Node) -> First | None:
    """What a node was when events first reported it, if that has not been kept; None if no event has reported of it."""
    entry = entry_of(node)
    return First.of(entry) if type(entry) is ShadowNode and entry.tree is tree and entry.pristine else None


def _shown(tree: ShadowTree, node: Node) -> tuple[Any, ...]:
    """Name, text, tail and attributes of a node, without what is left out (`ignore_whitespace`)."""
    parent = get_parent(node)
    tail = None if parent is None else visible(get_tail(node), tree.has_element_only_content(parent))
    name = name_of(node)
    if name is None:
        return (tail,)
    text = visible(get_text(node), tree.has_element_only_content(node))
    return (name, text, tail, dict(attributes_of(node)))


# --- one element

_UNSEEN = "was put into the tree unseen"


def differences_of(tree: ShadowTree, node: Node, shadow: ShadowNode) -> Iterator[tuple[Node, str]]:
    """How the contents of an element, and the list of its children, differ from what events have reported of them."""
    element_only = shadow.element_only
    text = visible(get_text(node), element_only)
    if text != shadow.text:
        yield node, _told("its text", text, shadow.text)
    elif contents_differ(node, shadow):
        yield node, _told("its attributes", attributes_of(node), shadow.values())
    count = int(text is not None)
    previous: Node = None
    for child in iter_children(node):
        known, tail = entry_of(child), get_tail(child) or None
        if element_only:
            tail = visible(tail, element_only)
        if tail is not None:
            count += 1
        if type(known) is ShadowNode and known.parent is shadow and known.prev is previous:
            if tail != known.tail:
                yield child, _told("the text behind it", tail, known.tail)
            trie = known.trie
            if trie is not None:
                count += 1
                if trie.name != get_tag(child) and trie.name != name_of(child):
                    yield child, _name_told(child)
        else:
            count += is_element(child)
            if type(known) is ShadowNode and known.tree is tree:
                yield (
                    child,
                    f"is {'behind another sibling' if known.parent is shadow else 'elsewhere'} than the events say",
                )
            elif known is not tree:
                yield child, _UNSEEN
        previous = child
    if shadow.last is not previous:
        yield node, "its last child is not the one that the events say"
    if shadow.count != count:
        yield node, _told("the number of its child nodes", count, shadow.count)
    if tree.ignore_whitespace and tree.has_element_only_content(node) != element_only:
        yield node, "white space in it is a text where it was none, or the other way round"


def differs(tree: ShadowTree, node: Node, shadow: ShadowNode) -> bool:
    """Whether an element, or the list of its children, is other than its shadow."""
    assert shadow.trie is not None
    return shadow.trie.name != name_of(node) or next(differences_of(tree, node, shadow), None) is not None


def contents_differ(node: Node, shadow: ShadowNode) -> bool:
    """Whether the text before the first child, or the attributes, of an element are other than in its shadow."""
    if visible(get_text(node), shadow.element_only) != shadow.text:
        return True
    names = attribute_names(node)
    return bool(names or shadow.attributes) and shadow.values() != attributes_of(node)


def ends_differ(node: Node, shadow: ShadowNode) -> bool:
    """Whether another child than told is the first or the last one: what can be said without looking at all of them."""
    first = next(iter_children(node), None)
    return last_child(node) is not shadow.last or (first is not None and not _is_behind(first, None))


def has_its_name(node: Node) -> bool:
    """Whether a node that has a shadow node is called what events have reported."""
    shadow = entry_of(node)
    if type(shadow) is not ShadowNode or shadow.trie is None:
        return True
    return bool(shadow.trie.name == name_of(node))


def has_its_place(node: Node, shadow: ShadowNode) -> bool:
    """Whether a node (no root) is where events have reported, and has the text behind it that they have told."""
    above = shadow.parent
    if above is None or is_elsewhere(node, shadow):
        return False
    behind = get_next(node)
    return (
        get_previous(node) is shadow.prev
        and (above.last is node if behind is None else _is_behind(behind, node))
        and visible(get_tail(node), above.element_only) == shadow.tail
    )


def is_elsewhere(node: Node, shadow: ShadowNode) -> bool:
    """Whether somebody has taken ``node`` from where events have reported it to be."""
    return shadow.parent is not None and entry_of(get_parent(node)) is not shadow.parent


def _is_behind(node: Node, prev: Node) -> bool:
    entry = entry_of(node)
    return type(entry) is ShadowNode and entry.prev is prev


def _name_told(node: Node) -> str:
    return _told("its name", name_of(node), shadow_of(node).trie.name)  # type: ignore[union-attr]


def _told(what: str, now: Any, told: Any) -> str:
    return f"{what} is {now!r}; the events say {told!r}"


# --- many nodes


def different(tree: ShadowTree, nodes: Iterable[Node]) -> list[Node]:
    """The elements that differ from their shadow, and the parents of those that have another name than there.

    With another name they are other nodes now.
    """
    found: dict[Node, None] = {}
    for node in nodes:
        shadow = entry_of(node)
        if type(shadow) is ShadowNode:
            if shadow.trie is None or not differs(tree, node, shadow):
                continue
        elif shadow is None or not is_element(node):
            continue
        if node is not tree.root and not has_its_name(node):
            parent = get_parent(node)
            if tree_of(parent) is tree:  # else it has gone
                tree.open_children(parent)
                found[parent] = None
        found[node] = None
    return list(found)
