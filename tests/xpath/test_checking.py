"""What an expression may be is told from its text alone, and told precisely."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from xmlcep.xpath import Environment, Expression, ExpressionError, Scope, compile_expression


def condition_of(text: str, **given: Any) -> Expression:
    return compile_expression(text, scope=Scope.SUBTREE, **given)


REFUSED = [
    # expression, the part that is marked, what is said about it
    ("", "", "nothing"),
    ("  ", "", "nothing"),
    ("price >", "", "it ends too early"),
    ("price > > 3", ">", "unexpected '>'"),
    ("price price", "price", "unexpected 'price'"),
    ("(price", "", "it ends too early: expected ')'"),
    ("price)", ")", "unexpected ')'"),
    ("price[", "", "it ends too early"),
    ("price[1", "", "it ends too early: expected ']'"),
    ("price/", "", "it ends too early: expected a step of a path"),
    ("a//", "", "it ends too early: expected a step of a path"),
    ("a///b", "/", "unexpected '/': expected a step of a path"),
    ("@", "", "it ends too early: expected a step of a path"),
    ("price = 'x", "'x", "a string without an end"),
    ("price == 3", "=", "unexpected '='"),
    ("price && quantity", "&", "unexpected '&'"),
    ("price ! 3", "!", "unexpected '!'"),
    ("price = $limit", "$limit", "the unknown variable $limit"),
    ("price = $ limit", "$", "a variable without a name"),
    ("price = $1", "$", "a variable without a name"),
    ("foo()", "foo", "the unknown function foo()"),
    ("true() or foo(1)", "foo", "the unknown function foo()"),
    ("false() and price[sum(foo(.))]", "foo", "the unknown function foo()"),
    ("position()", "position", "position() outside of […]"),
    ("last() = 1", "last", "last() outside of […]"),
    ("document('x.xml')", "document", "the unknown function document()"),
    ("id('x')", "id", "the unknown function id()"),
    ("re:test(price, 'x')", "re:test", "the unknown function re:test()"),
    ("{urn:f}f()", "{urn:f}f", "the unknown function {urn:f}f()"),
    ("price/count()", "count", "the function count() as a step"),
    ("comment()", "comment", "comment()"),
    (".//comment()", "comment", "comment()"),
    ("processing-instruction('x')", "processing-instruction", "processing-instruction()"),
    ("text('x')", "'x'", "unexpected \"'x'\": expected ')'"),
    ("po:price", "po:price", "the unknown prefix 'po'"),
    ("@po:price", "@po:price", "the unknown prefix 'po'"),
    ("price or po:*", "po:*", "the unknown prefix 'po'"),
    ("sibling::price", "sibling", "the unknown axis 'sibling'"),
    ("namespace::po", "namespace", "the unknown axis 'namespace'"),
    ("count()", "count", "count() with 0 arguments"),
    ("not(price, quantity)", "not", "not() with 2 arguments"),
    ("concat(price)", "concat", "concat() with 1 arguments"),
    ("substring(price, 1, 2, 3)", "substring", "substring() with 4 arguments"),
    ("true(1)", "true", "true() with 1 arguments"),
    ("count('x')", "'x'", "an argument of count() that is neither a path nor a list"),
    ("sum(price + 1)", "price", "an argument of sum() that is neither a path nor a list"),
    ("price | 1", "1", "an operand of '|' that is not a path"),
    ("'a' | price", "'a'", "an operand of '|' that is not a path"),
    ("'a'[1]", "'a'", "a predicate […] of something that is not a path"),
    ("string(.)/price", "string", "a path after '/' of something that is not a path"),
    ("..[price]", "[", "a predicate of '..'"),
    ("(" * 60 + "price" + ")" * 60, "(", "more than 50 parentheses and brackets in each other"),
    ("price = '\x00'", "\x00", "bad XPath"),
    ("price = '\ud800'", "\ud800", "bad XPath"),
]  # fmt: skip

ACCEPTED = [
    "price", "price >= 0 and quantity > 0", "not(comment)", "count(item) mod 2 = 1", "-price < - 3",
    "3 - -3", "..", "* * *", "div div div", "and and or or mod", "item[last()]/price[position() = 1]",
    "@a | @b | text()", "(//item)[1]/@x", "child::item/descendant-or-self::node()/@*",
    "ancestor-or-self::node()", "price[. > ../quantity]", "/", "/item", "//item", "/item[1]//price", ".",
    ".//.", "self::item", 'concat(\'a\', "b", 3, .5, 1.)', "{urn:x}item/{urn:x}*", "@xml:lang = 'en'",
    "lang('en')", "text", "node/comment", "div", "position", "(price)", "((price))[1]", "name() = 'item'",
    "item/text()", "string-length(normalize-space(.)) > substring-before('a-b', '-')", "größe",
    "a-b - b.c", "following::x/preceding::y",
]  # fmt: skip


@pytest.mark.parametrize(
    ("expression", "marked", "problem"), REFUSED, ids=[str(row[0])[:40] for row in REFUSED]
)
def test_refused(expression, marked, problem):
    with pytest.raises(ExpressionError) as caught:
        condition_of(expression)
    error = caught.value
    assert error.problem.startswith(problem)
    assert expression[error.offset : error.offset + error.width] == marked.removeprefix("@")
    assert error.message in str(error)
    assert str(error).count("^") == error.width


@pytest.mark.parametrize("expression", ACCEPTED)
def test_accepted(expression):
    element = etree.fromstring("<order><item x='1'><price>3</price><quantity/></item></order>")
    assert condition_of(expression).boolean(Environment(element=element)) in (True, False)


def test_hints():
    hints = {
        "prize()": "",
        "cuont(x)": "did you mean count?",
        "exists(a)": "a path alone is true",
        "document('a.xml')": "declare a reference document",
    }
    for expression, hint in hints.items():
        with pytest.raises(ExpressionError) as caught:
            condition_of(expression)
        assert caught.value.hint.startswith(hint)
        assert caught.value.hint


def test_names_are_resolved_as_in_paths():
    """Elements without a prefix have the default namespace, attributes have none (as PathType.parse)."""
    namespaces = {"": "urn:d", "p": "urn:p"}
    element = etree.fromstring(
        '<i xmlns="urn:d"><item xmlns:q="urn:p"><q:price n="price"/></item><b xmlns=""/></i>'
    )
    assert condition_of("item/p:price/@n", namespaces=namespaces).boolean(Environment(element=element))
    assert not condition_of("item/price", namespaces=namespaces).boolean(Environment(element=element))
    assert condition_of("{}b", namespaces=namespaces).boolean(Environment(element=element))
    assert not condition_of("b", namespaces=namespaces).boolean(Environment(element=element))
    assert condition_of("{urn:p}*", namespaces=namespaces).boolean(Environment(element=element)) is False
    assert condition_of("count({}*) = 1", namespaces=namespaces).boolean(Environment(element=element))
    assert condition_of("count(item/child::p:*) = 1", namespaces=namespaces).boolean(
        Environment(element=element)
    )


_PIECES = st.sampled_from([
    "price", "item", "*", "@", "/", "//", ".", "..", "(", ")", "[", "]", "and", "or", "div", "mod",
    "not(", "count(", "last()", "position()", "'x'", "1", ".5", "-", "+", "|", "=", "!=", "<", "<=", ",",
    "::", "child::", "ancestor-or-self::", "parent::", "node()", "text()", "p:", "p:x", "{urn:x}y", "$",
    " ", "string(", "concat(", "lang(", "comment()", "id(", "sum(",
])  # fmt: skip
_DOCUMENT = etree.fromstring(
    "<order a='1'><item x='1'><price>3</price><item/>tail</item><item><price>4</price></item>tail</order>"
)


@given(st.lists(_PIECES, max_size=12))
def test_what_is_accepted_evaluates_without_errors_and_libxml2_agrees(pieces):
    """Whatever passes the check never raises; whatever libxml2 cannot compile never passes."""
    expression = " ".join(pieces)
    try:
        condition = condition_of(expression, namespaces={"p": "urn:p"})
    except ExpressionError as error:
        assert not error.problem.startswith("bad XPath"), expression
        assert 0 <= error.offset <= len(expression)
        return
    for element in _DOCUMENT.iter():
        assert condition.boolean(Environment(element=element)) in (True, False)


@st.composite
def _expressions(draw, depth: int = 3) -> str:
    """Correct expressions."""
    kind = draw(st.integers(0, 5 if depth else 1))
    if kind == 0:
        return draw(
            st.sampled_from(
                ["price", "item", "*", "@x", ".", "..", "text()", "/item", "//price", "parent::node()"]
            )
        )
    if kind == 1:
        return draw(st.sampled_from(["1", "'3'", "true()", "count(*)", "name()", "string(.)"]))
    inner = draw(_expressions(depth - 1))
    if kind == 2:
        return f"({inner})"
    if kind == 3:
        return f"item[{inner}]"
    if kind == 4:
        return f"{draw(st.sampled_from(['not', 'string', 'number', 'boolean']))}({inner})"
    sign = draw(st.sampled_from(["and", "or", "=", "!=", "<", ">=", "+", "-", "*", "div", "mod"]))
    return f"{inner} {sign} {draw(_expressions(depth - 1))}"


@given(_expressions())
def test_correct_expressions_pass(expression):
    assert compile_expression(expression).text == expression
