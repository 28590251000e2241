"""Snapshots: a document as XML text, with the ids of all its nodes."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from lxml import etree

from ...xml_parser import read_xml
from ...xml_writer import xml_text
from ..errors import RefusedError, WrapError
from ..lxml_access import (
    Element,
    Node,
    attribute_names,
    get_tag,
    is_element,
    iter_children,
    name_of,
    set_tail,
    set_text,
    walk,
)
from ..parsing import DEPTH_LIMIT
from .shadow import ShadowNode, ShadowTree, shadow_of

_COUNTS = [etree.XPath(f"count({what})") for what in ("//*", "//@*", "//text()")]


def take_snapshot(tree: ShadowTree) -> tuple[str, list[int]]:
    """XML text and ids in document order: element, attributes, then child nodes. Gives ids to nodes without.

    Raises `RefusedError` if the text cannot be parsed again as this document, naming the node where that can be found.
    """
    tree.open_all()
    ids: list[int] = []
    names: list[str] = []  # of elements, each followed by those of its attributes
    deepest = 0
    depth = 0
    stack: list[tuple[Node, ShadowNode, bool]] = [(tree.root, shadow_of(tree.root), True)]
    while stack:
        node, shadow, entering = stack.pop()
        if not entering:
            depth -= shadow.trie is not None
            if shadow.tail is not None and shadow.parent is not None:
                ids.append(shadow.tail_number)
            continue
        stack.append((node, shadow, False))
        if shadow.trie is None:
            continue
        depth += 1
        deepest = max(deepest, depth)
        ids.append(shadow.number)
        names.append(shadow.trie.name)
        attributes = shadow.attributes
        if attributes:
            for name in attribute_names(node):
                ids.append(attributes[name].number)
                names.append(name)
        if shadow.text is not None:
            ids.append(shadow.text_number)
        if shadow.last is not None:
            stack.extend((child, shadow_of(child), True) for child in iter_children(node, reversed=True))
    if deepest > DEPTH_LIMIT:
        raise RefusedError(
            f"the document {tree.name!r} is {deepest} elements deep; XML deeper than {DEPTH_LIMIT} cannot be "
            "parsed again, so no snapshot (and no log) of it is written"
        )
    text = _text(tree)
    _check(tree, text, len(ids), names)
    return text, ids


def restore_ids(tree: ShadowTree, ids: Sequence[int]) -> None:
    """Gives the nodes of a new document the ids of a snapshot; raises `WrapError` if there are not as many as nodes,
    which then have some of them."""
    tree.open_all()
    tree.index = None
    given = iter(ids)
    try:
        for entering, node in walk(tree.root):
            _number(shadow_of(node), given, entering=entering)
    except StopIteration:
        raise _misfit(ids, fewer=False) from None
    if next(given, None) is not None:
        raise _misfit(ids, fewer=True)
    tree.clock.next_id = max(ids, default=0) + 1


def _number(shadow: ShadowNode, given: Iterator[int], *, entering: bool) -> None:
    """Gives a node, its attributes and the text in it their ids; on leaving, the text behind it."""
    if not entering:
        if shadow.tail is not None:
            shadow.tail_number = next(given)
    elif shadow.trie is not None:
        shadow.number, shadow.ids = next(given), None
        for name, attribute in (shadow.attributes or {}).items():
            shadow.attributes[name] = attribute._replace(number=next(given))  # type: ignore[index]
        if shadow.text is not None:
            shadow.text_number = next(given)


def check_ids(tree: ShadowTree, ids: Sequence[int]) -> None:
    """Raises `WrapError` if there are not as many as nodes of the document, all of which then have ids of their own."""
    _, own = take_snapshot(tree)
    if len(own) != len(ids):
        raise _misfit(ids, fewer=len(own) < len(ids))


def _misfit(ids: Sequence[int], *, fewer: bool) -> WrapError:
    return WrapError(
        f"{len(ids)} ids were given for a document with {'fewer' if fewer else 'more'} nodes: "
        "they do not belong together"
    )


def _text(tree: ShadowTree) -> str:
    shown = tree.root
    if tree.ignore_whitespace:
        shown = copy.deepcopy(tree.root)
        _leave_out_white_space(tree, shown)
    return xml_text(shown)


def _leave_out_white_space(tree: ShadowTree, shown: Any) -> None:
    for copied, node in zip(shown.iter(), Element.iter(tree.root), strict=True):
        shadow = shadow_of(node)
        if shadow.trie is not None:
            set_text(copied, shadow.text)
        if shadow.parent is not None:
            set_tail(copied, shadow.tail)


def _check(tree: ShadowTree, text: str, nodes: int, names: list[str]) -> None:
    """Raises `RefusedError` unless the text can be parsed again, to the same."""
    reason = _fault(text, nodes, names)
    if reason is not None:
        raise RefusedError(
            f"the document {tree.name!r} cannot be parsed again, so no snapshot (and no log) of it is written: "
            f"{_culprit(tree.root)}{reason}"
        )


def _fault(text: str, nodes: int | None = None, names: list[str] | None = None) -> str | None:
    """Why a text cannot be parsed again, to as many nodes with these names; None if it can."""
    try:
        again = read_xml(text, huge=True)[0]
    except (etree.XMLSyntaxError, ValueError) as error:
        return str(error)
    counted = sum(int(count(again)) for count in _COUNTS)
    if nodes is not None and counted != nodes:
        return f"it would have {counted} nodes instead of {nodes}"
    if names is not None:
        read = chain.from_iterable((get_tag(node), *attribute_names(node)) for node in again.iter("*"))
        return next(
            (f"{was!r} would be {now!r}" for was, now in zip(names, read, strict=True) if was != now), None
        )
    return None


def _culprit(root: Node) -> str:
    """The innermost element whose text cannot be parsed again."""
    node = root
    while True:
        inner = next((child for child in _elements(node) if _fault(xml_text(child))), None)
        if inner is None:
            return "" if node is root else f"<{name_of(node)}> at {Element.getroottree(node).getpath(node)}: "
        node = inner


def _elements(node: Node) -> Iterator[Node]:
    return (child for child in iter_children(node) if is_element(child))
