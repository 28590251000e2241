"""An expression means the same as Python functions and in libxml2."""

from __future__ import annotations

import math

from hypothesis import given, settings

from tests.xpath.random_expressions import ASSIGNMENTS, TEXTS, VARIABLES, expressions
from xmlcep.xpath import ENVIRONMENT, Environment, NodeKind
from xmlcep.xpath.checking import check, kind_of, outer_focus
from xmlcep.xpath.evaluation import by_closures, by_libxml2, nowhere
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
@settings(max_examples=400)
def test_without_a_node(text: str, variables: dict[str, object]) -> None:
    for a, b in both(text, Environment(variables), NodeKind.NONE):
        assert same(a, b), (a, b)


@given(expressions(own="node"), ASSIGNMENTS, TEXTS)
@settings(max_examples=400)
def test_of_a_text_node(text: str, variables: dict[str, object], value: str) -> None:
    for a, b in both(text, Environment(variables, value=value), NodeKind.TEXT):
        assert same(a, b), (a, b)
