"""Comparisons that are false whatever the document are warned of, and no others."""

from __future__ import annotations

import math

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from xmlcep import parse_rules
from xmlcep.checking.checks import check_rules
from xmlcep.checking.constant import falsehood
from xmlcep.checking.values import Held, never_true, of_variables, some_of
from xmlcep.cli.main import run
from xmlcep.xpath import NodeKind, VariableKind, compile_expression
from xmlcep.xpath.environment import Environment
from xmlcep.xpath.parser import parse_written
from xmlcep.xpath.syntax import Operation

NEVER = [
    (
        "event A = ins(item)[due < '2026-01-31']",
        "1:21",
        "'2026-01-31' is not a number, and < compares numbers",
    ),
    ("event A = ins(item)[due and 'b' >= @name]", "1:29", "'b' is not a number"),
    ("event A = *(item)[$op = 'insert']", "1:19", "$op is never 'insert'"),
    ("event A = upd(item/@n)[$op = 'ins']", "1:24", "$op is never 'ins'"),
    ("event A = ins(item)[count(price) < 0]", "1:21", "count(price) is never < 0"),
    ("event A {when=\"price > 'x'\"} = ins(item) ; ins(item/price)", "1:16", "'x' is not a number"),
    ("event A {if=\"price > 'x'\"} = ins(item) ; ins(item/price)", "1:14", "'x' is not a number"),
    ("event A {having=\"$n = 1 and $n < 'x'\"} = x[2,*] ins(item/@b) as $n", "1:29", "'x' is not a number"),
    ("event A {let m=\"$n < 'x'\"} = x[2,*] ins(item/@b) as $n", "1:17", "'x' is not a number"),
    ("event A = ins(item) as $n = (@n < 'x')", "1:30", "'x' is not a number"),
    ("event A = ins(item)[sum(price) = 'x']", "1:21", "'x' is not a number"),
    ("event A {having=\"$n = 'b'\"} = x[2,*] ins(item/b) as $n = ('a')", "1:18", "$n is never 'b'"),
    ('event A {let n="count($p)", having="$n = -1"} = x[2,*] ins(item/@b) as $p', "1:37", "$n is never -1"),
    ("event A = ins(item)\nevent B = A(item)[$op = 'ins']", "2:19", "$op is never 'ins'"),
    ('event A {having="count($n) > 2"} = x[1,2] ins(item/@b) as $n', "1:18", "count($n) is never > 2"),
    ('event A {if="count($n) = 3"} = x[1,2] ins(item/@b) as $n', "1:14", "count($n) is never 3"),
    (
        "event A = x[1,2] ins(item/@b) as $n\nevent B = A(item)[count($n) >= 4]",
        "2:19",
        "count($n) is never >= 4",
    ),
    ("event A = ins(item)[false()]", "1:21", "false() is never true"),
    ("event A = ins(item)[@n and (0 or '')]", "1:28", "(0 or '') is never true"),
    (
        'event A {when="price and not(1 < 2)"} = ins(item) ; ins(item/price)',
        "1:26",
        "not(1 < 2) is never true",
    ),
    ('event A {having="false()"} = x[2,*] ins(item/@b) as $n', "1:18", "false() is never true"),
    ('rule R on (ins(item)) if "false()" do delete "."', "1:27", "false() is never true"),
    ("rule R on (ins(item)) if \"@n < 'x'\" do delete \"b[c > 'y']\"", "1:27", "'x' is not a number"),
    ("rule R on (ins(item)[@n < 'x']) do delete \".\"", "1:22", "'x' is not a number"),
]


@pytest.mark.parametrize(("text", "place", "message"), NEVER)
def test_what_is_never_true(text: str, place: str, message: str) -> None:
    problem, *_ = check_rules(parse_rules(text)).of_values
    assert (f"{problem.line}:{problem.column}", message in problem.message) == (place, True), problem.message


@pytest.mark.parametrize(
    "filter_",
    [
        "due = '2026-01-31'",
        "$op = 'ins' or $op != 'upd'",
        "@n < '5'",
        "count(price) <= 0",
        "@n = true()",
        "$new < .",
        "true() <= .",
        "contains(., 'a') >= ../@b",
        "@a < @b",
        "@a or false()",
        "true()",
        "not(@a and false())",
        "@a[false()] or @b",
        "matches(., '^a')",
    ],
)
def test_what_can_be_true(filter_: str) -> None:
    assert check_rules(parse_rules(f"event A = *(item/@n)[{filter_}]")).of_values == []


def test_check_says_so(capsys: pytest.CaptureFixture[str], tmp_path) -> None:  # type: ignore[no-untyped-def]
    file = tmp_path / "r.xcep"
    file.write_text(NEVER[0][0], encoding="utf-8")
    assert run(["check", "-q", str(file)]) == 0
    said = capsys.readouterr().err
    assert "1:21: warning: event A: '2026-01-31' is not a number" in said
    assert "translate(…, '-', '')" in said


TEXTS = ["", "1", "5", "5.5", " 7 ", "x", "2026-01-31", "-3", "+5", "1e3", "ins"]
VALUES = st.one_of(
    st.sampled_from(TEXTS),
    st.sampled_from([0.0, 5.0, -3.0, 7.5, math.inf, math.nan]),
    st.booleans(),
    st.none(),
)
OPERANDS = st.one_of(
    st.sampled_from(
        ["$a", "$b", "$l", "string($a)", "number($a)", "- 3", "5", "5.5", "string-length($a)", "count($l)"]
    ),
    st.sampled_from(["max($l)", "true()", "not($a)", "$a + 1", "contains($a, 'x')"]),
    st.sampled_from(TEXTS).map(lambda text: f"'{text}'"),
)


@given(
    first=OPERANDS,
    second=OPERANDS,
    sign=st.sampled_from(["=", "!=", "<", "<=", ">", ">="]),
    known=st.one_of(st.none(), st.lists(st.sampled_from(TEXTS), min_size=1, max_size=3)),
    a=VALUES,
    b=VALUES,
    values=st.lists(VALUES, max_size=3),
)
def test_no_values_make_it_true(
    first: str, second: str, sign: str, known: list[str] | None, a: object, b: object, values: list[object]
) -> None:
    """Of the variable ``a`` all values are known, or none."""
    question = f"{first} {sign} {second}"
    written = parse_written(question)
    assert isinstance(written.syntax, Operation)
    look = of_variables({} if known is None else {"a": Held(some_of(known))})
    never = never_true(written, written.syntax, look)
    kinds = {"a": VariableKind.VALUE, "b": VariableKind.VALUE, "l": VariableKind.LIST}
    asked = compile_expression(question, variables=kinds, node=NodeKind.NONE)
    given_values = [a] if known is None else known
    outcomes = {asked.boolean(Environment({"a": each, "b": b, "l": tuple(values)})) for each in given_values}
    event(f"never: {never is not None}, true: {True in outcomes}")
    if never is not None and "!= always" not in never.message:
        assert True not in outcomes, never.message
    if never is not None and "!= always" in never.message and "$l" not in question:
        assert False not in outcomes, never.message


def test_as_many_as_there_can_be() -> None:
    of_two = 'event A {having="count($n) >= 2"} = x[1,2] ins(item/@b) as $n'
    open_ended = 'event B {having="count($n) > 2"} = x[1,*] ins(item/@b) as $n'
    values = 'rule R on (ins(item)) do set "@n" = "false()"'
    assert check_rules(parse_rules("\n".join([of_two, open_ended, values]))).of_values == []


CONDITIONS = st.recursive(
    st.sampled_from(
        ["$a", "$b", "true()", "false()", "0", "1", "''", "'x'", "1 > 2", "1 < 2", "$a = $a", "- 1"]
    ),
    lambda parts: st.one_of(
        st.tuples(parts, st.sampled_from(["and", "or"]), parts).map(lambda given: f"({' '.join(given)})"),
        st.tuples(st.sampled_from(["not", "boolean"]), parts).map(lambda given: f"{given[0]}({given[1]})"),
    ),
    max_leaves=6,
)


@given(CONDITIONS)
def test_what_makes_a_condition_false_does(condition: str) -> None:
    part = falsehood(parse_written(condition))
    kinds = {"a": VariableKind.BOOLEAN, "b": VariableKind.BOOLEAN}
    asked = compile_expression(condition, variables=kinds, node=NodeKind.NONE)
    outcomes = {asked.boolean(Environment({"a": a, "b": b})) for a in (False, True) for b in (False, True)}
    event(f"false for all that is known: {part is not None}, true: {True in outcomes}")
    assert part is None or outcomes == {False}
    assert "$" in condition or outcomes != {False} or part is not None
