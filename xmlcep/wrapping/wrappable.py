"""What can be wrapped: trees that can be written and parsed again as what they are."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import Any

from lxml import etree

from ..xml_parser import read_xml
from .errors import DocumentError, RefusedError
from .lxml_access import Element, Node, get_next
from .shadow.shadow import Tracked
from .xml_validity import check_incoming, check_parser, odd_names


def refuse_entities(kinds: Iterable[type]) -> None:
    """Raises `DocumentError` for entity references."""
    if any(issubclass(kind, etree._Entity) for kind in kinds):
        raise DocumentError("the tree has entity references: replace them by their text before wrapping")


def check_spelling(root: Node) -> None:
    """Raises `DocumentError` for a tree, made by whatever parser, that cannot be written and parsed again, or is
    not complete."""
    tree = Element.getroottree(root)
    _check(check_parser, root)
    if isinstance(tree.parser, etree.HTMLParser) or odd_names(root):
        _check(check_incoming, root)
    elif tree.docinfo.doctype and next(Element.iter(root, etree.Entity), None) is None:
        _refuse_entities_in_attributes(root)


def _check(check: Callable[[Node], None], root: Node) -> None:
    try:
        check(root)
    except RefusedError as error:
        raise DocumentError(str(error)) from error


def _refuse_entities_in_attributes(root: Node) -> None:
    """An entity in an attribute is not a node in lxml; its value is the text around it. Only writing shows it."""
    if _syntax_error(root) is None:
        return
    # Comments and declarations may also be what cannot be read; snapshots leave out what is wrong with these.
    elements = deepcopy(root)
    etree.strip_elements(elements, etree.Comment, etree.PI, with_tail=False)
    etree.cleanup_namespaces(elements)
    error = _syntax_error(elements)
    if error is not None:
        raise DocumentError(
            f"the tree cannot be parsed again without its document type: {error}; "
            "replace entities by their text (xmllint --noent does that) before wrapping"
        ) from error


def _syntax_error(root: Node) -> etree.XMLSyntaxError | None:
    """Why what lxml writes of an element cannot be read; None if it can."""
    try:
        read_xml(etree.tostring(root, encoding="utf-8", with_tail=False), huge=True)
    except etree.XMLSyntaxError as error:
        return error
    return None


def renewed_root(given: list[Any]) -> Node:
    """The root of an ElementTree, or the element, that is all ``given`` has; with a new proxy if nobody holds the old.

    An old one would stay of lxml's own class. An ElementTree keeps its root's proxy alive.
    """
    tree = given.pop()
    if isinstance(tree, etree._ElementTree):
        root = tree.getroot()
        if isinstance(root, Tracked):
            return root
        anchor = _anchor(root)
        tree._setroot(etree.Element("none"))
        del root
        root = _beside(anchor)
        tree._setroot(root)
        return root
    root = tree
    del tree
    if isinstance(root, Tracked) or sys.getrefcount(root) > 2:  # this variable and the argument
        return root
    anchor = _anchor(root)
    del root
    return _beside(anchor)


def _anchor(root: Node) -> Node:
    """A comment before the root, which leads back to it when its proxy has gone."""
    anchor = etree.Comment("")
    Element.addprevious(root, anchor)
    return anchor


def _beside(anchor: Node) -> Node:
    root = get_next(anchor)
    Element.append(etree.Element("none"), anchor)
    return root
