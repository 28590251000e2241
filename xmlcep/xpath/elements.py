"""The elements that an expression selects: for people who say which node they mean."""

from __future__ import annotations

from collections.abc import Mapping

from lxml import etree

from .checking import check, kind_of, outer_focus
from .closures import Closures
from .environment import Environment
from .errors import ExpressionError
from .kinds import NodeKind, Scope, VariableKind
from .nodes import Attribute, Root, Text
from .parser import parse
from .sight import in_tree


def select(
    text: str, element: etree._Element, *, namespaces: Mapping[str, str] | None = None
) -> list[etree._Element]:
    """The elements that a path selects from an element, in document order; of text and attributes their elements.

    Names are read as in all expressions: without a prefix they are in the default namespace (``""``). Raises
    `ExpressionError` for what is wrong, and for an expression whose value is no nodes.

    >>> order = etree.fromstring("<order><item/><item id='b'/></order>")
    >>> [item.attrib for item in select("item[@id]", order)]
    [{'id': 'b'}]
    """
    given = namespaces or {}
    syntax = parse(text, given)
    check(text, syntax, NodeKind.ELEMENT, {})
    focus = outer_focus(NodeKind.ELEMENT)
    if kind_of(syntax, focus, {}) is not VariableKind.NODES:
        raise ExpressionError(text, 0, len(text), "this selects no nodes", "write a path, such as item[2]")
    nodes = Closures(in_tree(NodeKind.ELEMENT, Scope.DOCUMENT), {}, given).nodes(syntax, focus)
    found = [
        one.parent if isinstance(one, (Text, Attribute)) else one
        for one in nodes(Environment(element=element))
    ]
    return [one for one in dict.fromkeys(found) if not isinstance(one, Root)]
