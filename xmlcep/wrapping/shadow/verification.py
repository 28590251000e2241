"""Comparing a whole document with its shadow: what no call of ours has seen, and nobody has observed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..lxml_access import (
    Element,
    Node,
    attributes_of,
    get_parent,
    get_previous,
    get_tail,
    get_text,
    is_element,
    iter_children,
    last_child,
    name_of,
    place,
)
from .baseline import First
from .shadow import ShadowNode, ShadowTree, entry_of, nodes_of, visible


def differences(tree: ShadowTree) -> list[str]:
    """How the tree differs from its shadow, and where nothing was ever emitted, from the tree as it was wrapped."""
    muted, tree.muted = tree.muted, True
    try:
        return list(_differences(tree))
    finally:
        tree.muted = muted


def _differences(tree: ShadowTree) -> Iterator[str]:
    present = list(Element.iter(tree.root))
    for node in present:
        entry = entry_of(node)
        if entry is None or entry.tree is not tree:
            yield f"{place(node)}: was put into the tree unseen"
        elif type(entry) is ShadowNode:
            for problem in _problems(tree, node, entry):
                yield f"{place(node)}: {problem}"
    inside = set(present)
    for node in (*nodes_of(tree), *tree.original.lost):
        if node not in inside:
            yield f"{node!r}: has left the tree unseen"
    yield from tree.original.differences(
        tree.name, lambda node: _first(tree, node), lambda node: _shown(tree, node)
    )


def _first(tree: ShadowTree, node: Node) -> First | None:
    """What a node was when events first told of it, if that has not been kept; None if no event has told of it."""
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


def _problems(tree: ShadowTree, node: Node, shadow: ShadowNode) -> Iterator[str]:
    parent = get_parent(node)
    if parent is not None:
        above = entry_of(parent)
        if shadow.parent is not above:
            yield "stands below another parent than told"
        elif get_previous(node) is not shadow.prev:
            yield "stands behind another sibling than told"
        element_only = tree.has_element_only_content(parent)
        yield from _compared("the text behind it", visible(get_tail(node), element_only), shadow.tail)
    if shadow.trie is None:
        return
    element_only = tree.has_element_only_content(node)
    text = visible(get_text(node), element_only)
    attributes = {name: attribute.value for name, attribute in (shadow.attributes or {}).items()}
    yield from _compared("its name", name_of(node), shadow.trie.name)
    yield from _compared("its text", text, shadow.text)
    yield from _compared("its attributes", dict(attributes_of(node)), attributes)
    if last_child(node) is not shadow.last:
        yield "its last child is another than told"
    children = list(iter_children(node))
    texts = sum(visible(each, element_only) is not None for each in map(get_tail, children)) + (
        text is not None
    )
    yield from _compared("the number of its texts", texts, shadow.texts)
    yield from _compared(
        "the number of its child nodes", texts + sum(map(is_element, children)), shadow.count
    )


def _compared(what: str, now: Any, told: Any) -> Iterator[str]:
    if now != told:
        yield f"{what} is {now!r}, told was {told!r}"
