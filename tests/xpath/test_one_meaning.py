"""An expression means the same as Python functions and in libxml2."""

from __future__ import annotations

import math
import re

from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from tests.xpath.random_expressions import ASSIGNMENTS, TEXTS, VARIABLES, expressions
from xmlcep.xpath import ENVIRONMENT, Environment, NodeKind, VariableKind, compile_expression
from xmlcep.xpath.checking import check, kind_of, outer_focus
from xmlcep.xpath.evaluation import by_closures, by_libxml2, nowhere
from xmlcep.xpath.extensions import string_of
from xmlcep.xpath.parser import parse


def both(text: str, environment: Environment, node: NodeKind) -> list[tuple[object, object]]:
    """Boolean, string, number and value, in both ways."""
    syntax = parse(text)
    assert not check(text, syntax, node, VARIABLES).nodes
    focus = outer_focus(node)
    kind = kind_of(syntax, focus, VARIABLES)
    closures = by_closures(syntax, focus, kind, VARIABLES, ENVIRONMENT)
    libxml2 = by_libxml2(syntax, focus, kind, VARIABLES, {}, nowhere)
    return [(f(environment), g(environment)) for f, g in zip(closures, libxml2, strict=True)]


def same(a: object, b: object) -> bool:
    if isinstance(a, float) and isinstance(b, float):
        return (math.isnan(a) and math.isnan(b)) or (a == b and math.copysign(1, a) == math.copysign(1, b))
    return a == b and type(a) is type(b)


@given(expressions(), ASSIGNMENTS)
@settings(max_examples=200)
def test_without_a_node(text: str, variables: dict[str, object]) -> None:
    for a, b in both(text, Environment(variables), NodeKind.NONE):
        assert same(a, b), (a, b)


@given(expressions(own="node"), ASSIGNMENTS, TEXTS)
@settings(max_examples=200)
def test_of_a_text_node(text: str, variables: dict[str, object], value: str) -> None:
    for a, b in both(text, Environment(variables, value=value), NodeKind.TEXT):
        assert same(a, b), (a, b)


PATHS = (
    "a",
    "a/@x",
    "a/b",
    "a/b/text()",
    "@x",
    ".//text()",
    "none",
    "..",
    "../a[last()]",
    "a[b]",
    "a/b[. != '1']",
    "//@x",
)
XML_TEXTS = TEXTS.map(lambda text: re.sub("[\x00-\x1f\ud800-\udfff\ufffe\uffff]", " ", text))


@st.composite
def elements(draw: st.DrawFn) -> etree._Element:
    """An element with a few below it, their texts the same odd ones."""
    top = etree.Element("top")
    etree.SubElement(top, "a").text = draw(XML_TEXTS)
    element = etree.SubElement(top, "a", x=draw(XML_TEXTS))
    for _ in range(draw(st.integers(0, 3))):
        child = etree.SubElement(element, "a", x=draw(XML_TEXTS))
        child.text = draw(XML_TEXTS)
        for _ in range(draw(st.integers(0, 2))):
            below = etree.SubElement(child, "b")
            below.text, below.tail = draw(XML_TEXTS), draw(XML_TEXTS)
    return element


@given(
    expressions(paths=st.sampled_from([f"$path{number}" for number in range(len(PATHS))]), named=False),
    ASSIGNMENTS,
    elements(),
)
@settings(max_examples=150)
def test_nodes_are_lists_of_their_texts(
    text: str, variables: dict[str, object], element: etree._Element
) -> None:
    """What libxml2 says of nodes is what Python says of a list of the nodes' texts."""
    texts = {}
    for number, path in enumerate(PATHS):
        found = element.xpath(path, smart_strings=False)
        texts[f"path{number}"] = [node if isinstance(node, str) else string_of(node) for node in found]
    of_nodes = re.sub(r"\$path(\d+)", lambda match: f"({PATHS[int(match[1])]})", text)
    kinds = {**VARIABLES, **dict.fromkeys(texts, VariableKind.LIST)}
    python = compile_expression(text, variables=kinds, node=NodeKind.NONE)
    libxml2 = compile_expression(of_nodes, variables=VARIABLES)
    assert not python.needs_nodes
    for kind in ("boolean", "string", "number", "value"):
        a = getattr(python, kind)(Environment({**variables, **texts}))
        b = getattr(libxml2, kind)(Environment(variables, element))
        assert same(a, b), (kind, a, b)
