"""What lxml's own XPath says, asked as rules ask: no node above the top element, no comments."""

from __future__ import annotations

import re
from typing import Any

from lxml import etree

from tests.xpath.random_paths import NAMESPACES

_NODE = "node()[not(self::comment() or self::processing-instruction())]"


def as_lxml_reads_it(text: str) -> str:
    """The parent of the top element is none to us, and comments are nothing (U2)."""
    text = text.replace("//", "/descendant-or-self::node()/")
    text = re.sub(r"(?<![\w.\-])\.\.(?![\w.])", "parent::*", text)
    text = re.sub(r"\bparent::node\(\)", "parent::*", text)
    text = re.sub(r"\bancestor(-or-self)?::node\(\)", r"ancestor\1::node()[parent::node()]", text)
    return re.sub(r"(?<!attribute::)\bnode\(\)(?!\[parent)", _NODE, text)


def nodes_in_lxml(element: etree._Element, step: str, path: str) -> list[Any]:
    """The nodes of a path: elements, and strings that know where they are from.

    ``step`` leads from the element to a text or attribute node, where the path starts.
    """
    path = as_lxml_reads_it(path)
    if step and not path.startswith(("/", "current()")):
        path = f"{step}/{path}"
    asked = etree.XPath(
        _from_current(path, step),
        namespaces=_PREFIXES,
        extensions={("urn:c", "current"): lambda _: [element]},
    )
    return asked(element)  # type: ignore[no-any-return]


_PREFIXES = {**NAMESPACES, "c": "urn:c"}


def _from_current(text: str, step: str) -> str:
    """The context node of the whole expression, which XPath alone has no word for."""
    return text.replace("current()", f"c:current()/{step}" if step else "c:current()")


def value_in_lxml(element: etree._Element, step: str, text: str) -> Any:
    """The value of an expression: of nodes the first as a string, None without one."""
    text = as_lxml_reads_it(text)
    found = _evaluated(element, step, text)
    if isinstance(found, list):  # which lack the root node
        there = _evaluated(element, step, f"boolean({text})")
        found = _evaluated(element, step, f"string({text})") if there else None
    return str(found) if isinstance(found, str) else found


def _evaluated(element: etree._Element, step: str, text: str) -> Any:
    caught: list[Any] = []

    def catch(_: Any, value: Any) -> bool:
        caught.append(value)
        return True

    asked = etree.XPath(
        f"{step or 'self::node()'}[c:catch({_from_current(text, step)})]", namespaces=_PREFIXES,
        extensions={("urn:c", "catch"): catch, ("urn:c", "current"): lambda _: [element]},
    )  # fmt: skip
    asked(element)
    return caught[0]


def text_in_lxml(node: Any) -> str:
    """The string-value of a node."""
    return str(node) if isinstance(node, str) else str(node.xpath("string()"))
