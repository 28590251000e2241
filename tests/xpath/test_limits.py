"""Long and deep expressions: whatever is accepted evaluates, and what would not is refused when it is read."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable

import pytest
from lxml import etree

from xmlcep.xpath import Environment, ExpressionError, NodeKind, VariableKind, compile_expression
from xmlcep.xpath.parser import MAX_NESTED, MAX_PREDICATES_NESTED
from xmlcep.xpath.tokens import MAX_LENGTH, MAX_TOKENS

DOCUMENT = etree.fromstring("<z><a b='1'><a/></a><a/></z>")
KINDS = {
    "v": VariableKind.VALUE,
    "l": VariableKind.LIST,
    "s": VariableKind.STRING,
    "parts": VariableKind.NODES,
}
ENVIRONMENT = Environment(
    {"v": "1", "l": ("1", 2.0), "s": "x", "parts": etree.fromstring("<z><a/></z>")},
    element=DOCUMENT,
    value="1",
)

# name: an expression of n parts, and how many tokens each part has
LONG: dict[str, tuple[Callable[[int], str], int]] = {
    "or": (lambda n: " or ".join(["z"] * n), 2),
    "and": (lambda n: " and ".join(["1"] * n), 2),
    "plus": (lambda n: "+".join(["1"] * n), 2),
    "minus": (lambda n: " - ".join(["z"] * n), 2),
    "minuses": (lambda n: "-" * n + "1", 1),
    "times": (lambda n: "*".join(["$v"] * n), 2),
    "div": (lambda n: " div ".join(["z"] * n), 2),
    "equals": (lambda n: " = ".join(["1"] * n), 2),
    "equals lists": (lambda n: " != ".join(["$l"] * n), 2),
    "less": (lambda n: " < ".join(["$v"] * n), 2),
    "less nodes": (lambda n: " < ".join(["z"] * n), 2),
    "texts": (lambda n: " > ".join(["$s"] * n), 2),
    "steps": (lambda n: "/".join(["a"] * n), 2),
    "descendants": (lambda n: "." + "//a" * n, 2),
    "parents": (lambda n: "/".join([".."] * n), 2),
    "absolute": (lambda n: "/a" * n, 2),
    "anything": (lambda n: "/".join(["descendant-or-self::node()"] * n), 6),
    "odd names": (lambda n: "/".join(["\u0219"] * n), 2),
    "up and down": (lambda n: "/".join(["a/.."] * n), 4),
    "predicates": (lambda n: "a" + "[1]" * n, 3),
    "predicates of nodes": (lambda n: "(a)" + "[1]" * n, 3),
    "predicates of values": (lambda n: "$l" + "[1]" * n, 3),
    "predicates by name": (lambda n: "a" + "[a]" * n, 3),
    "union": (lambda n: " | ".join(["a"] * n), 2),
    "concat": (lambda n: f"concat({', '.join(['1'] * n)})", 2),
    "concat nodes": (lambda n: f"concat({', '.join(['a'] * n)})", 2),
}

# name: an expression of n parts in each other, and how deep each part makes the tree
DEEP: dict[str, tuple[Callable[[int], str], int]] = {
    "parentheses": (lambda n: "(" * n + "1" + ")" * n, 1),
    "predicates": (lambda n: "a[" * n + "1" + "]" * n, 1),
    "not": (lambda n: "not(" * n + "1" + ")" * n, 1),
    "string": (lambda n: "string(" * n + "$v" + ")" * n, 1),
    "sum": (lambda n: "sum(a[" * n + "1" + "])" * n, 2),
    "names": (lambda n: "a[name() = name(" * n + "a" + ")]" * n, 2),
    "all operators": (lambda n: "(1 or 1 and 1 = 1 < 1 + 1 * -" * n + "$v" + ")" * n, 1),
    "filters": (lambda n: "$l[" * n + "1" + "]" * n, 1),
    "nodes": (lambda n: "(" * n + "a" + ")[1]" * n, 1),
    "paths": (lambda n: "(" * n + "a" + ")/a" * n, 1),
    "constants": (lambda n: "(" * n + "1" + "+1)" * n, 1),
    "comparisons": (lambda n: "($v = " * n + "$v" + ")" * n, 1),
    "reference": (lambda n: "$parts//a[" * n + "1" + "]" * n, 1),
}


def evaluate(text: str, *nodes: NodeKind) -> None:
    for node in nodes:
        expression = compile_expression(text, variables=KINDS, node=node)
        assert expression.boolean(ENVIRONMENT) in (True, False)
        expression.string(ENVIRONMENT)
        expression.number(ENVIRONMENT)
        expression.value(ENVIRONMENT)
        expression.reads.touched_by(())
        expression.reads.keeps(())


@pytest.mark.parametrize("name", LONG)
def test_as_long_as_it_may_be(name: str) -> None:
    make, tokens = LONG[name]
    most = min(MAX_TOKENS // tokens - 2, (MAX_LENGTH - 10) // (len(make(100)) // 100 + 1))
    evaluate(make(most), NodeKind.ELEMENT)
    evaluate(make(most // 20), NodeKind.TEXT, NodeKind.ATTRIBUTE)


@pytest.mark.parametrize("name", LONG)
def test_longer(name: str) -> None:
    with pytest.raises(ExpressionError, match=r"more than (4000 names|20,000)") as caught:
        compile_expression(LONG[name][0](MAX_TOKENS), variables=KINDS)
    assert "reference document" in caught.value.hint
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize("name", DEEP)
def test_as_deep_as_it_may_be(name: str) -> None:
    """As deep as is accepted; that is deep enough for people."""
    make, depth = DEEP[name]

    def is_refused(number: int) -> bool:
        try:
            compile_expression(make(number), variables=KINDS)
        except ExpressionError as error:
            assert "in each other" in error.message
            return True
        return False

    accepted = bisect_left(range(1, MAX_NESTED + 2), True, key=is_refused)
    assert MAX_PREDICATES_NESTED // depth <= accepted <= MAX_NESTED
    evaluate(make(accepted), NodeKind.ELEMENT, NodeKind.TEXT, NodeKind.ATTRIBUTE)


def test_many_open_strings_and_braces_take_no_time() -> None:
    for text in (
        "'" * 19_999,
        '"' + "'" * 19_000,
        "{" * 19_999,
        "{a" * 9_000,
        "$" * 19_999,
        "-" * 3_999,
        "a:" * 1_999,
        "." * 19_999,
    ):
        with pytest.raises(ExpressionError):
            compile_expression(text)
