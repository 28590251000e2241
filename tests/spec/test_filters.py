"""Filters of leaves, what they know, their functions, and paths with // (F1 to F5, U2, V5, V8, O1)."""

# ruff: noqa: E501 (a row of a table is one line)

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

import pytest

from tests.reference import evaluate
from tests.reference.expressions import asks_document
from tests.spec.alphabet import steps_of
from tests.spec.tables import Case, cases, check, render, title
from xmlcep.language import parse_definitions

FILTERS = """
# of texts and attributes `.` is the value in the record, of a deleted one the value it had
event E = *(item/price/text())[. > 3]
    i1 p1 t1=5 t1=2 t1=7 t1-           | 3: t1=5; 5: t1=7; 6: t1-
event E = *(item/@partNum)[. = '7']
    i1 a1=7 a1=8 a1-                   | 2: a1=7
event E = upd(item/price/text())[number(.) > 1.1 * number($old)]
    i1 p1 t1=10 t1=11 t1=13            | 5: t1=13
event E = *(item/price/text())[$new != $old]
    i1 p1 t1=5 t1=6 t1-                | 3: t1=5; 4: t1=6; 5: t1-
event E = *(item/price)[$op = 'del']
    p1 p1! p1-                         | 3: p1-
event E = ins(item/price)[$ts > 1]
    p1 p1.2                            | 2: p1.2
event E = ins(item/price)[$txn = 2]
    p1 [p1.2] [p1.3]                   | 3: p1.3
event E = ins(item/price)[not($txn) and $old = '' and $new = '']
    [p1] p1.2                          | 2: p1.2
event E = ins(item/price)[$meta:user = 'ann']
    p1~ann p1.2~bob p1.3               | 1: p1
event E = ins(item/price)[$meta:user = '']
    p1~ann p1.2                        | 2: p1.2
event E = ins(item/price)[starts-with($at, '2026-01-01T00:01') and $doc = '']
    @59 p1 @60 p1.2                    | 2: p1.2
# whether it is true, not which number it is
event E = ins(item/price/text())[number(.)]
    i1 p1 t1=1 p1.2 t1.2=0 p1.3 t1.3=x p1.4 t1.4=2 | 3: t1=1; 9: t1.4=2
# ways through the document
event E = ins(item/price/text())[../../@partNum = '7']
    i1 a1=7 p1 t1=5                    | 4: t1=5
    i1 a1=8 p1 t1=5                    |
# the element at the top has no parent, and one of whose parent nothing is known has none either
event E = *(item/price)[count(../*) mod 2 = 1]
    p1 i2 p2 q2 p2-                    | 3: p2
event E = *(item/price)[count(..) = 0 and count(ancestor-or-self::node()) = 1]
    p1 i2 p2                           | 1: p1
event E = ins(order)[.. or ancestor::node() or ../*]
    o1                                 |
event E = x[1,1]{when="count(../*) = 0 and not(ancestor::node())"} ins(order/item/price)
    o1 i1 p1                           | 3: p1
event E = ins(item/price)[ancestor::order/billTo]
    o1 i1 p1 b1 p1.2                   | 5: p1.2
event E = ins(item/price)[/order/item/quantity]
    o1 i1 p1 q1 p1.2                   | 5: p1.2
event E = *(item)[. = 'ab']
    o1 i1 p1 t1=a q1 u1=b i1!          | 7: i1!
"""

COMPOSITES = """
# of a composite: its variables, its node, where and when it was raised (F2)
event P(item) = ins(item/@partNum) as $n & ins(item/price)
event E = P(item)[$n = 7]
    a1=7 p1 a2=8 p2                    | 2: P:a1=7+p1{n=[7]} E:(a1=7+p1); 4: P:a2=8+p2{n=[8]}
event P(item) = ins(item/@partNum) as $n & ins(item/price)
event E(order) = ?(item)[$n = 7]
event Q(item) = ins(item/comment)
    a1=7 p1 c1                         | 2: P:a1=7+p1{n=[7]} E:(a1=7+p1); 3: Q:c1
event P(item) = ins(item/price)
event E = P(item)[@partNum and $op = '' and $new = '']
    i1 p1 a1=7 p1.2                    | 2: P:p1; 4: P:p1.2 E:(p1.2)
event P(item) = ins(item/price)
event E = P(item)[$meta:user = 'ann' and $ts > 1]
    p1~ann p1.2~ann p1.3~bob           | 1: P:p1; 2: P:p1.2 E:(p1.2); 3: P:p1.3
# a node set: any, all of them, how many
event M(item) = x[2,*] ins(item/price/text()) as $p
event E = M(item)[$p > 3 and count($p) = 2 and sum($p) = 6 and $p[1] = 1 and $p[last()] = 5 and max($p) = 5]
    i1 p1 t1=1 p1.2 t1.2=5             | 5: M:t1=1+t1.2=5{p=[1,5]} E:(t1=1+t1.2=5)
# a node that is gone (U2); a firing has no user
event P(item) = del(item)
event E = P(item)[. = '']
    i1 i1-                             | 2: P:i1-
event P(item) = plus[ins(item/price), "5 s"]
event E = P(item)[$meta:user = '' and $at = '2026-01-01T00:00:05Z']
    @0 p1~ann @9 i2~bob                | 2: P:p1 E:(p1)
"""

SCOPES = """
# below, and at or below (F5)
event E(item) = ins(item//*)
    i1 p1 t1=5 q1                      | 2: p1; 3: t1=5; 4: q1
event E(item) = ins(item//)
    i1 p1 t1=5                         | 1: i1; 2: p1; 3: t1=5
event E = ins(item//*)
    i1 p1 i2 p2                        | 2: p1; 4: p2
# of several nodes with that path the nearest (P10)
event E = x[2,*] ins(item//*)
    i1 n1 m1 r1 p1                     | 4: m1+r1; 5: n1+p1
event E = x[2,*] ins(item//)
    i1 n1 m1 p1                        | 3: n1+m1; 4: i1+p1
# a multiplicity has the path as a whole (T2)
event E = x[2,2] ins(item//*)
    i1 p1 i2 q2 q1                     | 5: p1+q1
event E = x[2,2] ins(order//*)
    o1 i1 i2                           | 3: i1+i2
# of composites; it does not use the tree it stands in (G1)
event P = ins(item/price) & ins(item/quantity)
event E(order) = ?(order//*)
    p1 q1                              | 2: P:p1+q1 E:(p1+q1)
event P(/order) = ins(item)
event E(order) = ?(order//*)
event F(order) = P(order//)
    i1                                 | 1: P:i1 F:(i1)
# a value where there is one (F5)
event E(item) = ins(item//*) as $v
    i1 p1 t1=5                         | 2: p1{v=[]}; 3: t1=5{v=[5]}
"""


@pytest.mark.parametrize("case", cases(FILTERS) + cases(COMPOSITES) + cases(SCOPES), ids=title)
def test_filters(case: Case) -> None:
    check(*case)


@pytest.mark.parametrize(
    ("filter_", "text"),
    [
        ("ends-with(., '5') and not(ends-with(., '1'))", "15"),
        pytest.param(
            "matches(., '^[0-9]+$') and not(matches(., '^[a-z]+$'))",
            "15",
            marks=pytest.mark.skipif(find_spec("re2") is None, reason="needs the extra regex"),
        ),
        ("upper-case(.) = 'AB' and lower-case('A') = 'a'", "ab"),
        ("abs(.) = 5 and abs(5) = 5", "-5"),
        ("max(../../price) = 5 and min(../../price) = 5 and max(//price/text()) = min(.)", "5"),
        ("avg(//price/text()) > 4 and string(avg(//nothing)) = ''", "5"),
        (
            "not(max(//quantity) > 0) and string(min(//comment)) = ''",
            "5",
        ),
        ("string(max(//price)) = 'NaN' and string(avg(//price)) = 'NaN'", "ab"),
        ("count(distinct-values(//price | //price/text())) = 1", "5"),
        (
            "time($at) = time('2026-01-01T00:00:09Z') and time($at) - time('2026-01-01T00:00:08.5Z') = 0.5",
            "5",
        ),
        ("time('1970-01-02T00:00:00Z') = 86400 and string(time(.)) = 'NaN'", "5"),
    ],
)
def test_functions(filter_: str, text: str) -> None:
    """F4."""
    check(f"event E = ins(item/price/text())[{filter_}]", f"@9 i1 p1 t1={text}", f"3: t1={text}")
    check(f"event E = ins(item/price/text())[not({filter_})]", f"@9 i1 p1 t1={text}", "")


@pytest.mark.parametrize(
    ("expression", "of_a_value", "of_an_element"),
    [
        (". > 3", False, True),
        ("number($new) > 1.1 * number($old)", False, False),
        ("$op = 'ins' and $meta:user = './/x'", False, False),
        ("string() = 'a'", False, True),
        ("string-length(.) > 2 or normalize-space() = ''", False, True),
        ("..", True, True),
        ("../quantity > .", True, True),
        ("@n", True, True),
        ("/order", True, True),
        ("count(*) > 1", True, True),
        ("2 * 3 = 6", False, False),
        ("$a * $b > 1", False, False),
        ("price", True, True),
        ("text()", True, True),
        ("ancestor::order", True, True),
        ("$parts/part[@n = 1]/@status = $n", False, False),
        ("$parts//part[@n = current] or @n", True, True),
        ("$v[last()] > 3 and not($v div 2 = 1)", False, False),
        ("lang('en')", True, True),
        ("true()", False, False),
    ],
)
def test_which_expressions_ask_the_document(expression: str, of_a_value: bool, of_an_element: bool) -> None:
    """F3, V8."""
    assert asks_document(expression, dot_does=False) is of_a_value
    assert asks_document(expression, dot_does=True) is of_an_element


PARTS = "<parts><part n='7' status='old'/><part n='8' status='new'/></parts>"


def raised(rules: str, words: str, **named: Any) -> str:
    """What the reference evaluator raises, as text."""
    steps, names = steps_of(words)
    records = evaluate(parse_definitions(rules, []).definitions, steps, **named).findings()
    return render(records, names)


def test_reference_documents() -> None:
    """V8: the root of the document, so its element is the first step."""
    rules = "reference parts = 'parts.xml' event E = ins(item/@partNum)[$parts/parts/part[@n = '7']/@status = 'old']"
    references = {"parts": PARTS}
    assert raised(rules, "a1=7", references=references) == "1: a1=7"
    for text, expected in (("$parts//part[@n = '8']", "1: a1=7 ; 2: a2=8"), ("$parts/part", "")):
        rules = f"reference parts = 'parts.xml' event E = ins(item/@partNum)[{text}]"
        assert raised(rules, "a1=7 a2=8", references=references) == expected.replace(" ;", ";")
    rules = "reference parts = 'parts.xml' event E = (ins(item/@partNum) as $n & ins(item/price)){having=\"$parts//part[@n = $n]/@status = 'old'\"}"
    assert raised(rules, "a1=7 p1 a2=8 p2", references=references) == "2: a1=7+p1{n=[7]}"


class Odd:
    """A language whose text is a regular expression; its groups are variables."""

    def __init__(self, text: str) -> None:
        self.pattern = re.compile(text)
        self.variables = tuple(self.pattern.groupindex)

    needs_document = False

    def __call__(self, event: Any, document: Any) -> Mapping[str, str] | bool:
        found = self.pattern.search(event.value or "")
        return {name: value for name, value in found.groupdict().items() if value} if found else False


def test_opaque_leaves() -> None:
    """O1: asked before the filter; what is declared is bound, what is returned is seen."""
    languages = {"odd": Odd}
    leaf = 'opaque["odd", "^(?P<head>[a-z])(?P<tail>[0-9]*)"](item/price/text())'
    assert raised(f"event E = {leaf}", "i1 p1 t1=a5 t1=7 t1=b", languages=languages) == (
        "3: t1=a5{head=[a],tail=[5]}; 5: t1=b{head=[b],tail=[]}"
    )
    assert raised(f"event E = {leaf}[$tail > 3]", "i1 p1 t1=a5 t1=a1", languages=languages) == (
        "3: t1=a5{head=[a],tail=[5]}"
    )
    joined = f"event E {{flat}} = {leaf} & ins(item/@partNum) as $tail"
    assert raised(joined, "a1=5 p2 t2=x5", languages=languages) == "3: t2=x5+a1=5{head=[x],tail=5}"
