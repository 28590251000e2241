"""Trees whose elements are of an application's own classes: objectify, lxml.html, python-docx and the like.

Such a class may read what it likes where lxml reads the tree. Who only compares such a tree reads a copy of it, in
lxml's own classes.
"""

from __future__ import annotations

import gc
from typing import Any

from lxml import etree

from .xml_parser import read_xml
from .xml_writer import xml_file, xml_text

_Element: Any = etree._Element
_OTHER_NODE = etree._Comment.__mro__[1]  # comments, processing instructions, entity references
_OURS = __name__.partition(".")[0]


def own_lookup(root: Any) -> Any:
    """The class lookup of the parser of a tree, if an application has set one that gives other classes than lxml's."""
    parser = _Element.getroottree(root).parser
    lookup = None if parser is None else lookup_of(parser)
    if type(lookup) is etree.ElementDefaultClassLookup and lookup.element_class in (None, etree._Element):
        return None
    return lookup


def lookup_of(parser: Any) -> Any:
    """The class lookup of a parser, None if it has none of its own: lxml has a way to set it and none to ask for it."""
    return next(
        (each for each in gc.get_referents(parser) if isinstance(each, etree.ElementClassLookup)), None
    )


def given_root(given: Any) -> Any:
    """The root element of what was given as a document: a tree, an element, what has a ``root``; None if it is none.

    If it is of an application's classes: of a copy.
    """
    if isinstance(given, etree._ElementTree):
        root = given.getroot()
    else:
        root = given if isinstance(given, etree._Element) else getattr(given, "root", None)
    if not isinstance(root, etree._Element) or isinstance(root, _OTHER_NODE):
        return None
    return root if _is_plain(root) else _copy(root)


def _is_plain(root: Any) -> bool:
    lookup = own_lookup(root)
    if lookup is not None and not type(root).__module__.startswith(_OURS):
        return False  # its error, if it has one, would come from whatever node is looked at
    return all(
        kind.__module__ == "lxml.etree" or kind.__module__.partition(".")[0] == _OURS
        for kind in set(map(type, _Element.iter(root)))
    )


def _copy(root: Any) -> Any:
    tree = _Element.getroottree(root)
    text = xml_file(tree) if tree.getroot() is root else xml_text(root)
    return read_xml(text, huge=True)[0]
