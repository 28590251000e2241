"""What cannot be written as XML and parsed again: names and characters that only HTML or recovering parsers let in."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from lxml import etree

from path_types import PathSyntaxError, PathType, Step

from ..xml_names import is_namespace
from ..xml_parser import NOT_XML
from .errors import RefusedError
from .lxml_access import (
    Element,
    Node,
    attributes_of,
    get_tail,
    get_text,
    is_element,
    line_of,
    name_of,
    root_tree,
)

_XMLNS = "{http://www.w3.org/2000/xmlns/}"  # of namespace declarations, which are no attributes
_PULLING = (etree.XMLPullParser, etree.HTMLPullParser)  # iterparse has one of them, too
_ODD_NAMES = etree.XPath(
    "descendant-or-self::*[contains(local-name(), ':')] | descendant-or-self::*/@*[contains(local-name(), ':')]"
)


@lru_cache(maxsize=10_000)
def is_name(name: str) -> bool:
    """Whether this is the name of an element or attribute in Clark notation (Namespaces in XML)."""
    try:
        path = PathType.parse(f"/{name}")
    except PathSyntaxError:
        return False
    uri = name[1 : name.index("}")] if name.startswith("{") else ""
    return len(path) == 1 and path.last == Step.element(name) and (not uri or is_namespace(uri))


def check_name(name: str, kind: str) -> None:
    """Raises `RefusedError` for a name that no XML document can have."""
    declares = name.startswith(_XMLNS) or (kind == "attribute" and name == "xmlns")
    if declares or not is_name(name):
        raise RefusedError(
            f"the {kind} name {name!r} cannot be parsed again: it is not a name that XML has (lxml, or an HTML or "
            "recovering parser, takes it): rename it before it becomes part of a wrapped document"
        )


def check_text(text: str | None, what: str) -> None:
    """Raises `RefusedError` for a text with characters that XML does not have."""
    if text:
        found = NOT_XML.search(text)
        if found:
            raise RefusedError(
                f"{what} has the character {found.group()!r}, which XML cannot hold, so that it cannot be parsed "
                "again: take it out before it becomes part of a wrapped document"
            )


def check_incoming(top: Node) -> None:
    """Raises `RefusedError` if something at or below ``top`` cannot be tracked or parsed again, naming it."""
    check_parser(top)
    for node in Element.iter(top):
        check_node(node)


def check_parser(top: Node) -> None:
    """Raises `RefusedError` for an element of a parser that gives out elements before it is done with them."""
    if line_of(top) is not None and isinstance(root_tree(top).parser, _PULLING):
        raise RefusedError(
            f"<{name_of(top)}> comes from an XMLPullParser, or from iterparse, whose parser may still add to it "
            "unseen: use etree.fromstring(etree.tostring(element)) instead"
        )


def check_node(node: Node) -> None:
    """Raises `RefusedError` if a node, what is below it apart, cannot be tracked or parsed again."""
    _check_identity(node)
    check_contents(node)


def check_contents(node: Node) -> None:
    """Raises `RefusedError` if a node, what is below it apart, cannot be parsed again."""
    if not is_element(node):
        if isinstance(node, etree._Entity):
            raise RefusedError(
                f"the entity reference {node.text} cannot be part of a wrapped document: put its text there"
            )
        check_text(get_tail(node), f"the text behind {node!r}")
        return
    name = str(name_of(node))
    check_name(name, "element")
    check_text(get_text(node), f"the text of <{name}>")
    check_text(get_tail(node), f"the text behind <{name}>")
    for key, value in attributes_of(node):
        check_name(key, "attribute")
        check_text(value, f"the attribute {key} of <{name}>")


def _check_identity(node: Node) -> None:
    """Raises `RefusedError` for an element that may equal another: objectify's are compared by their values."""
    kind = type(node)
    if kind.__hash__ is not Element.__hash__ or kind.__eq__ is not Element.__eq__:
        raise RefusedError(
            f"<{name_of(node)}> is of class {kind.__module__}.{kind.__qualname__}, whose objects are compared by "
            "value, so identity cannot be tracked: put etree.fromstring(etree.tostring(element)) there instead"
        )


def odd_names(root: Node) -> list[Any]:
    """Elements and attributes with undeclared prefixes, as HTML and recovering parsers make them."""
    found = _ODD_NAMES(root)
    assert isinstance(found, list)
    return found
