"""XML text that is read again as the tree it was written from.

lxml writes some trees, which calls make and no parser, as XML of other trees or as no XML: an element in no namespace
below a default namespace without the ``xmlns=""`` that would say so, a carriage return in a CDATA section as it stands,
declarations of the prefixes ``xml`` and ``xmlns``, of what these stand for and of what is not a URI, a comment or
processing instruction with its own end in its text or with no text or name that XML has, and an element of a document
with an XHTML document type with a namespace it has not. Such a tree is written from a copy that is put right (an empty
comment for such a comment: it keeps texts apart), every other as lxml writes it.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from copy import deepcopy
from html import unescape
from itertools import count
from typing import Any

from lxml import etree

from path_types.names import is_ncname, namespace_of

from .xml_names import as_name, is_namespace
from .xml_parser import read_xml

_IN_NO_NAMESPACE = etree.XPath("boolean(descendant-or-self::*[not(namespace-uri())])")
_ODD_COMMENTS = etree.XPath(
    "descendant::comment()[contains(., '--') or substring(., string-length(.)) = '-' or not(string())]"
)
_INSTRUCTIONS = etree.XPath("descendant::processing-instruction()")
_RESERVED = ("http://www.w3.org/2000/xmlns/", "http://www.w3.org/XML/1998/namespace")
_WITH_RESERVED = (" xmlns:xmlns=", *(f'="{uri}"' for uri in _RESERVED))
_DECLARED = re.compile(' xmlns:?([^ =]*)="([^"]*)"')


def xml_text(element: etree._Element) -> str:
    """An element with all that is below it, without the text behind it."""
    doctype = element.getroottree().docinfo.doctype
    text = _text(deepcopy(element) if "xhtml" in (doctype or "").lower() else element)
    return _text(_put_right(element)) if _is_wrong(text, element) else text


def xml_file(tree: etree._ElementTree[Any]) -> bytes:
    """A whole document as UTF-8: an XML declaration, its document type, what is beside the root element."""
    root, doctype = tree.getroot(), None
    if _is_wrong(_text(root), root):
        shown = _put_right(root)
        for node in list(root.itersiblings(preceding=True))[::-1]:
            shown.addprevious(deepcopy(node))
        for node in list(root.itersiblings())[::-1]:
            shown.addnext(deepcopy(node))
        doctype = tree.docinfo.doctype or None
        tree = shown.getroottree()
    return etree.tostring(tree, encoding="UTF-8", xml_declaration=True, doctype=doctype)


def _text(element: etree._Element) -> str:
    return etree.tostring(element, encoding="unicode", with_tail=False)


def _is_wrong(text: str, element: etree._Element) -> bool:
    """Whether what lxml has written may be read as something else."""
    return (
        ("<![CDATA[" in text and "\r" in text)
        or any(reserved in text for reserved in _WITH_RESERVED)
        or _has_other_names(text, element)
        or bool(_ODD_COMMENTS(element))
        or ("<?" in text and not all(map(_can_be_read, _INSTRUCTIONS(element))))
    )


def _has_other_names(text: str, element: etree._Element) -> bool:
    """Whether a name would be read in another namespace, because a declaration hides another, or not be read at all.

    That can only be where there is a default namespace, or a prefix with two meanings.
    """
    declared = set(_DECLARED.findall(text))
    if not all(is_namespace(unescape(uri)) for _, uri in declared):
        return True
    prefixes = {prefix for prefix, _ in declared}
    if len(prefixes) == len(declared) and not ("" in prefixes and _IN_NO_NAMESPACE(element)):
        return False
    try:
        again = read_xml(text, huge=True)[0]
    except etree.XMLSyntaxError:
        return True
    return any(
        as_name(node.tag) != read.tag or node.keys() != read.keys()
        for node, read in zip(element.iter("*"), again.iter("*"), strict=True)
    )


def _can_be_read(node: Any) -> bool:
    """Whether a comment or processing instruction is read as what is written of it."""
    text, target = node.text or "", getattr(node, "target", None)
    if target is None:
        return bool(text) and "--" not in text and not text.endswith("-")
    return "?>" not in text and is_ncname(target) and target.lower() != "xml"


def _put_right(top: Any) -> Any:
    """A copy in which what has no namespace says so, no declaration hides one that is used, and no text is in a CDATA
    section. Made node by node: lxml copies a node into the namespace that its prefix has where it is."""
    copies: dict[Any, Any] = {}
    hidden: dict[Any, set[str]] = {}  # the namespaces whose declarations are hidden by others, by copies
    for node in top.iter():
        parent: Any = None if node is top else copies[node.getparent()]
        if not isinstance(node, etree._Element) or callable(node.tag):
            copied = deepcopy(node) if _can_be_read(node) else etree.Comment("")
            parent.append(copied)
        else:
            name, above = as_name(node.tag), {} if parent is None else parent.nsmap
            declared = {
                prefix: uri
                for prefix, uri in node.nsmap.items()
                if above.get(prefix) != uri
                and prefix not in ("xml", "xmlns")
                and uri not in _RESERVED
                and is_namespace(uri)
            }
            if not name.startswith("{"):
                declared.pop(None, None)
                if above.get(None):
                    declared[None] = ""
            out_of_view = {uri for prefix, uri in above.items() if declared.get(prefix, uri) != uri}
            out_of_view |= hidden.get(parent, set())
            used = {uri for each in (name, *node.keys()) if (uri := namespace_of(each))}
            for number, uri in enumerate(sorted(used & out_of_view)):
                declared[_free_prefix(number, {**above, **declared})] = uri
            if parent is None:
                copied = etree.Element(name, node.attrib, declared)
            else:
                copied = etree.SubElement(parent, name, node.attrib, declared)
            copied.text = node.text
            copies[node] = copied
            hidden[copied] = out_of_view
        copied.tail = None if node is top else node.tail
    return copies[top]


def _free_prefix(number: int, taken: Collection[str | None]) -> str:
    return next(prefix for each in count(number) if (prefix := f"n{each}") not in taken)
