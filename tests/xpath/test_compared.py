"""What is shown of an expression that is false: the parts that are compared, as they are written (Y1)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.xpath.random_expressions import VARIABLES
from xmlcep.xpath import Environment, compile_expression
from xmlcep.xpath.parser import compared

ROWS = [
    ("price > 3", ["price"]),
    ("price/text() > 3 and ../@kind = 'a'", ["price/text()", "../@kind"]),
    ("$n mod 2 = 1", ["$n mod 2"]),
    ("3 < price * quantity", ["price * quantity"]),
    ("(a | b)[1] != -$n", ["(a | b)[1]", "-$n"]),
    ("not(( $n + 1 ) * 2 > 7 or //item[@k = ')']/x)", ["( $n + 1 ) * 2", "//item[@k = ')']/x"]),
    ("(($n)) = ( ($m) )", ["(($n))", "( ($m) )"]),
    ("contains(a, ')') = true()", ["contains(a, ')')", "true()"]),
    ("a = b = c", ["a", "b", "c"]),
    ("1 = '1'", []),
]


@pytest.mark.parametrize(("text", "parts"), ROWS)
def test_rows(text: str, parts: list[str]) -> None:
    assert compared(text) == parts


PARTS = st.recursive(
    st.sampled_from(
        ["$n", "$s", "$m - 1", "string-length($s)", "-$n", "$n * ($m + 2)", "($n)", "concat($s, ')')"]
    ),
    lambda inner: st.builds("({} + {})".format, inner, inner) | st.builds("string({})".format, inner),
    max_leaves=4,
)
COMPARISONS = st.tuples(PARTS, st.sampled_from([" = ", "!=", " <", ">= "]), PARTS)


@settings(max_examples=50, deadline=None)
@given(st.lists(COMPARISONS, min_size=1, max_size=3), st.sampled_from([" and ", " or "]), st.booleans())
def test_they_are_what_was_compared(
    comparisons: list[tuple[str, str, str]], join: str, negated: bool
) -> None:
    """All of them, in their order, each with its own value."""
    text = join.join(map("".join, comparisons))
    text = f"not({text})" if negated else text
    parts = list(dict.fromkeys(part for one, _, other in comparisons for part in (one, other)))
    environment = Environment({"n": 2.0, "m": 5.0, "s": "seven"})
    shown = list(compile_expression(text, variables=VARIABLES).compared(environment))
    assert [part for part, _ in shown] == parts
    for part, value in shown:
        assert value == compile_expression(part, variables=VARIABLES).string(environment)
