"""The elements that an expression selects: for people who say which node they mean."""

from __future__ import annotations

from collections.abc import Mapping

from lxml import etree

from ..language import PREDECLARED
from .checking import check, outer_focus
from .environment import NO_VARIABLES, Environment
from .errors import ExpressionError
from .evaluation import in_place
from .kinds import NodeKind
from .libxml2 import Translator
from .parser import parse


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
    translator = Translator({}, {**PREDECLARED, **given})
    raw = translator.compile(translator.raw(syntax, outer_focus(NodeKind.ELEMENT)), in_place)
    found = raw(Environment(NO_VARIABLES, element))
    if not isinstance(found, list):
        raise ExpressionError(text, 0, len(text), "this selects no nodes", "write a path, such as item[2]")
    elements = [one if isinstance(one, etree._Element) else one.getparent() for one in found]
    return list(dict.fromkeys(one for one in elements if one is not None))
