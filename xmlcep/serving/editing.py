"""Edits as JSON objects, made on a wrapped document: an XPath, and what becomes of the nodes it leads to.

``{"set": "item[1]/price", "to": "12"}`` writes a text or attribute, ``{"insert": "/order", "xml": "<item/>", "at": 0}``
puts an element (without ``at`` as the last child), ``{"delete": "item[2]"}`` takes a node out.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from lxml import etree

from ..actions.nodes import keep_tail
from ..actions.performing import write
from ..errors import XmlCepError
from ..wrapping import Document
from ..xml_parser import read_xml
from ..xpath import Environment, ExpressionError, Selected, Selection, compile_selection
from .errors import RequestError

_FIELDS = {"set": {"to"}, "insert": {"xml", "at"}, "delete": set[str]()}


def edit(document: Document, given: Any, namespaces: Mapping[str, str]) -> None:
    """Makes an edit; raises `RequestError` for what is none, and for an XPath that does not lead to one node."""
    kind = next((each for each in _FIELDS if isinstance(given, dict) and each in given), None)
    if kind is None or not given.keys() <= {kind, *_FIELDS[kind]} or not isinstance(given[kind], str):
        raise RequestError(
            400, f'{given!r:.100} is not an edit: expected {{"set": XPATH, "to": TEXT}}, {{"insert": XPATH, "xml":'
            ' XML} or {"delete": XPATH}',
        )  # fmt: skip
    try:
        selection = _compiled(given[kind], frozenset(namespaces.items()))
        if kind == "set":
            _set(document, selection, given)
        elif kind == "insert":
            _insert(_one(document, selection, given[kind]), given)
        else:
            _delete(document, _one(document, selection, given[kind]))
    except ExpressionError as error:
        raise RequestError(400, f"{given[kind]!r}: {error}") from error
    except (ValueError, TypeError) as error:  # names and characters that XML has none for
        if isinstance(error, XmlCepError):
            raise
        raise RequestError(400, f"{given[kind]!r}: {error}") from error


def _nodes(document: Document, selection: Selection, *, owners: bool = False) -> list[Selected]:
    environment = Environment(element=document.root)
    if owners and selection.attribute is not None and selection.owners is not None:
        return list(selection.owners(environment))
    return selection.nodes(environment)


def _only(found: list[Selected], path: str) -> Selected:
    if len(found) != 1:
        said = "no node" if not found else f"{len(found)} nodes"
        raise RequestError(409, f"{path!r} leads to {said}: an edit is about one")
    return found[0]


@lru_cache(maxsize=1000)
def _compiled(path: str, namespaces: frozenset[tuple[str, str]]) -> Selection:
    return compile_selection(path, namespaces=dict(namespaces))


def selected(document: Document, path: str, namespaces: Mapping[str, str]) -> Selected:
    """The node that an XPath leads to; raises `RequestError` if that is none, or several, and `ExpressionError`."""
    return _one(document, _compiled(path, frozenset(namespaces.items())), path)


def _one(document: Document, selection: Selection, path: str) -> Selected:
    return _only(_nodes(document, selection), path)


def _set(document: Document, selection: Selection, given: Mapping[str, Any]) -> None:
    text = given.get("to")
    if not isinstance(text, str):
        raise RequestError(400, f"to is {text!r:.60}: expected the text to be written")
    node: Any = _only(_nodes(document, selection, owners=True), given["set"])
    if selection.attribute is not None and isinstance(node, etree._Element):
        node.set(selection.attribute, text)
    elif isinstance(node, etree._Element) and len(node):
        raise RequestError(
            409, f"{given['set']!r} has elements in it: set the text of one, or {given['set']}/text()"
        )
    else:
        write(node, text)


def _insert(parent: Any, given: Mapping[str, Any]) -> None:
    xml, at = given.get("xml"), given.get("at")
    if not isinstance(xml, str) or (at is not None and (type(at) is not int or at < 0)):
        raise RequestError(
            400, 'an insert needs "xml", an element as text, and "at", if given, counts from 0'
        )
    if not isinstance(parent, etree._Element):
        raise RequestError(409, f"{given['insert']!r} is not an element, so nothing goes into it")
    element = read_xml(xml)[0]
    parent.insert(len(parent) if at is None else at, element)


def _delete(document: Document, node: Any) -> None:
    if not isinstance(node, etree._Element):
        if node.is_attribute:
            del node.getparent().attrib[node.attrname]
        else:
            write(node, "")
    elif node is document.root:
        raise RequestError(409, "the root element stays: put another document in its place")
    else:
        keep_tail(node)
        parent: Any = node.getparent()
        parent.remove(node)
