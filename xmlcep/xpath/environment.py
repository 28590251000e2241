"""What an evaluation sees."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from lxml import etree

from .table_nodes import Place
from .values import Value

NO_VARIABLES: Mapping[str, Value | etree._Element] = MappingProxyType({})
"""No variable has a value."""


class Environment(NamedTuple):
    """What an expression is asked of.

    ``variables``: the values of the variables by name, ``meta:user`` included; one that is not there, or None, has
    no value. A reference document is its root element (V8), nodes of the document are a list of elements: themselves,
    or those that the texts or attributes are in.

    ``element``: the context node, or the parent of the context node that is a text or attribute node; only
    expressions that need a document look at it. Comments and processing instructions are passed over.

    ``place``: the same in tables, which need no ``element`` then.

    ``value``: the text of the context node that is a text or attribute node.
    ``attribute``: its name in Clark notation, if it is an attribute. ``text``: its number (from 1) among the text nodes
    of ``element``, if it is a text node; 0: all of them, in a variable that has text nodes.
    """

    variables: Mapping[str, Value | etree._Element | list[etree._Element]] = NO_VARIABLES
    element: etree._Element | None = None
    value: str = ""
    attribute: str = ""
    text: int = 1
    place: Place | None = None
