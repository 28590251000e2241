"""Variables: binding, joins, by, having, what composites and findings carry (V1 to V7, Q1, S2, D4)."""

# ruff: noqa: E501 (a row of a table is one line)

from __future__ import annotations

import math

import pytest

from tests.reference.values import as_text, in_json
from tests.spec.alphabet import steps_of
from tests.spec.tables import EVALUATORS, Case, Runner, cases, check, title

BINDING = """
# the value of a text or attribute, of a deleted one the value it had; elements have none
event E = *(item/@partNum) as $n
    i1 a1=7 a1=8 a1-                   | 2: a1=7{n=[7]}; 3: a1=8{n=[8]}; 4: a1-{n=[8]}
event E = *(item/price/text()) as $n as $changed = (concat($old, '/', $new))
    i1 p1 t1=5 t1=6                    | 3: t1=5{changed=[/5],n=[5]}; 4: t1=6{changed=[5/6],n=[6]}
# of an expression: strings, numbers, booleans; of nodes the string of the first, of none no value
event E = ins(item/price) as $v = ($context)
    string(../@partNum) | i1 a1=7 p1   | 3: p1{v=[7]}
    ../@partNum         | i1 a1=7 p1   | 3: p1{v=[7]}
    ../@partNum         | i1 p1        | 2: p1{v=[]}
    ../@partNum + 1     | i1 a1=7 p1   | 3: p1{v=[8]}
    ../@partNum div 2   | i1 a1=7 p1   | 3: p1{v=[3.5]}
    ../@partNum = 7     | i1 a1=7 p1   | 3: p1{v=[True]}
    number(../@partNum) | i1 a1=x p1   | 3: p1{v=[NaN]}
    1 div 0             | i1 p1        | 2: p1{v=[Infinity]}
    //price             | i1 p1 t1=5 p1.2 | 2: p1{v=[]}; 4: p1.2{v=[5]}
    $meta:user          | i1 p1~ann p1.2 | 2: p1{v=[ann]}; 3: p1.2{v=[]}
# lists, in order of constituents, flattened; an event counts once (V5)
event E = *(item/price/text()) as $v & *(item/quantity/text()) as $w
    i1 p1 q1 t1=5 u1=6                 | 5: t1=5+u1=6{v=[5],w=[6]}
event E = x[2,*] *(item/price/text()) as $v
    i1 p1 t1=5 t1=5 t1=6               | 4: t1=5+t1=5{v=[5,5]}; 5: t1=5+t1=5+t1=6{v=[5,5,6]}
event E(item) = x[2,2] x[1,2]{name=M} *(item/price/text()) as $v
    i1 p1 t1=5 t1=6 t1=7 t1=8          | 3: M:t1=5{v=[5]}; 4: M:t1=5+t1=6{v=[5,6]}; 5: M:t1=7{v=[7]} E:(t1=5+t1=6)+(t1=7){v=[5,6,7]}; 6: M:t1=8{v=[8]}
event E {context=cumulative, end=custom} = *(item/price/text()) as $v | ins(item/price/text()) as $v
    i1 p1 t1=5 t1=6 flush              | 4: t1=5+t1=6{v=[5,6]}
event E = any[2](ins(item/@partNum) as $v, ins(item/price), ins(item/comment))
    p1 c1 a1=7 p1.2                    | 2: p1+c1{v=[]}; 4: a1=7+p1.2{v=[7]}
# let: from the variables there are, those before it included; without a value it is left out
event E {let twice="2 * $v", let more="$twice + 1", let none="$v[. > 7]"} = ins(item/@partNum) as $v & ins(item/price)
    a1=7 p1                            | 2: a1=7+p1{more=15,twice=14,v=[7]}
event M(item) {let total="sum($v)", let first="$v[1]", let last="$v[last()]", let many="count($v) > 1"} = x[2,*] ins(item/price/text()) as $v
    i1 p1 t1=5 p1.2 t1.2=6             | 5: t1=5+t1.2=6{first=5,last=6,many=True,total=11,v=[5,6]}
# a disjunction hands on what the alternative has bound that raised (V5)
event E {let known="count($n)"} = ins(item/@partNum) as $n | ins(item/price/text()) as $v
    a1=7 p1 t1=8                       | 1: a1=7{known=1,n=[7],v=[]}; 3: t1=8{known=0,n=[],v=[8]}
event E(/order) = (ins(item/@partNum) as $n | ins(item/price)){name=D} & ins(billTo)
    p1 a1=7 b1 b1.2                    | 1: D:p1{n=[]}; 2: D:a1=7{n=[7]}; 3: E:(p1)+b1{n=[]}; 4: E:(a1=7)+b1.2{n=[7]}
event E(/order) {context=cumulative, end=custom} = ins(item/@partNum) as $n | ins(item/price)
    p1 a1=7 flush                      | 2: a1=7+p1{n=[7]}
# above, it joins where it has a value (V2)
event E {flat} = (ins(item/@partNum) as $n | ins(item/price)){name=D, path=item} & ins(item/quantity/text()) as $n
    p1 a2=7 q3 u3=7                    | 1: D:p1{n=[]}; 2: D:a2=7{n=[7]}; 4: E:(a2=7)+u3=7{n=7}
event E = ins(item/@partNum) as $v as $w = ('a') | ins(item/price/text()) as $v
    a1=7 p1 t1=8                       | 1: a1=7{v=[7],w=[a]}; 3: t1=8{v=[8],w=[]}
# what is negated hands on nothing
event E = ins(item/@partNum) as $v ; not ins(item/comment) as $w = ('a') ; ins(item/price)
    a1=7 p1                            | 2: a1=7+p1{v=[7]}
"""

JOINS = """
# the same place and the same value; each value by itself, in every context
event E {context=$context} = *(item/price/text()) as $v & *(item/quantity/text()) as $v
    unrestricted, recent, chronicle, continuous, cumulative, next | i1 p1 q1 t1=5 u1=6 t1=6 | 6: t1=6+u1=6{v=6}
    unrestricted, recent, chronicle, continuous, cumulative, next | i1 p1 q1 t1=5 u2=5      |
    unrestricted | i1 p1 q1 p1.2 t1=5 t1.2=5 u1=5 | 7: t1=5+u1=5{v=5} t1.2=5+u1=5{v=5}
    recent       | i1 p1 q1 p1.2 t1=5 t1.2=5 u1=5 | 7: t1.2=5+u1=5{v=5}
    chronicle    | i1 p1 q1 p1.2 t1=5 t1.2=5 u1=5 | 7: t1=5+u1=5{v=5}
    continuous   | i1 p1 q1 p1.2 t1=5 t1.2=5 u1=5 | 7: t1.2=5+u1=5{v=5} t1=5+u1=5{v=5}
    cumulative   | i1 p1 q1 p1.2 t1=5 t1.2=5 u1=5 | 7: t1=5+t1.2=5+u1=5{v=5}
    # the newest of a value, though another value is newer
    recent       | i1 p1 q1 t1=5 t1=6 u1=5        | 6: t1=5+u1=5{v=5}
event E {context=$context} = *(item/price/text()) as $v ; *(item/quantity/text()) as $v
    unrestricted, recent, chronicle, continuous, cumulative, next | i1 p1 q1 u1=5 t1=5 t1=6 u1=6 | 7: t1=6+u1=6{v=6}
# flat: the value alone; values are compared as strings
event E {flat} = del(item/@partNum) as $n ; ins(item/@partNum) as $n
    a1=7 a2=8 a1- a3=8 a4=7            | 5: a1-+a4=7{n=7}
event E {flat} = ins(item/@partNum) as $n & ins(item/price) as $n = (count(../comment))
    i1 c1 a2=1 a3=1.0 p1               | 5: a2=1+p1{n=1}
event E {flat} = ins(item/@partNum) as $n & ins(item/price) as $n = (2 = 2)
    i1 a2=true p1                      | 3: a2=true+p1{n=true}
# the value is that of the first constituent (V5)
event E {flat} = ins(item/price) as $n = (count(../comment)) & ins(item/@partNum) as $n
    i1 c1 a2=1 p1                      | 4: p1+a2=1{n=1}
# an event without a value takes no part
event E {flat} = ins(item/price) as $u = (../@partNum) & ins(item/comment) as $u = (../@partNum)
    i1 i2 p1 c2                        |
    i1 i2 a1=7 p1 c2 a2=7 c2.2         | 7: p1+c2.2{u=7}
# two variables; the composite's value joins on
event E {flat} = ins(item/@partNum) as $a as $u = (string($meta:user)) & ins(item/price/text()) as $a as $u = (string($meta:user))
    a1=7~ann p2 t2=7~bob p3 t3=7~ann   | 5: a1=7+t3=7{a=7,u=ann}
event E {flat} = (ins(item/@partNum) as $a ; ins(item/price/text()) as $a) & ins(item/quantity/text()) as $a
    a1=7 p2 t2=7 q3 u3=8 q4 u4=7       | 3: sequence1:a1=7+t2=7{a=7}; 7: E:(a1=7+t2=7)+u4=7{a=7}
# a list of one joins as that one
event E {flat} = (ins(item/@partNum) as $a ; ins(item/price)){name=S} & ins(item/quantity/text()) as $a
    a1=7 p2 q3 u3=7                    | 2: S:a1=7+p2{a=[7]}; 4: E:(a1=7+p2)+u3=7{a=7}
# termination and release group by group: nodes first, then values as strings (V7)
event E {end=custom} = *(item/price/text()) as $v & *(item/quantity/text()) as $v
    i1 p1 q1 t1=5 t1=10 u1=5 u1=10 flush | 7: t1=10+u1=10{v=10} t1=5+u1=5{v=5}
event E {flat, end=custom, context=cumulative} = ins(item/@partNum) as $v & ins(item/price/text()) as $v
    a1=b a2=a p3 t3=b p4 t4=a p5 t5=a flush | 8: a2=a+t4=a+t5=a{v=a} a1=b+t3=b{v=b}
# in findings, too, whichever came first
event P(item) = x[1,1] *(item/price/text()) as $v
event E(item) = x[2,2]{by="v"} P(item) as $v = ($v)
    i1 p1 t1=b t1=a t1=b t1=a          | 3: P:t1=b{v=[b]}; 4: P:t1=a{v=[a]}; 5: P:t1=b{v=[b]} E:(t1=b)+(t1=b){v=b}; 6: P:t1=a{v=[a]} E:(t1=a)+(t1=a){v=a}
"""

BY = """
event E(/order) = x[2,2]{by="n"} ins(item/@partNum) as $n
    a1=7 a2=8 a3=7 a4=8 a5=7           | 3: a1=7+a3=7{n=7}; 4: a2=8+a4=8{n=8}
event E(/order) = x[2,2] ins(item/@partNum) as $n
    a1=7 a2=8 a3=7                     | 2: a1=7+a2=8{n=[7,8]}
event E(item) = x[2,*]{by="u, v"} *(item/price/text()) as $v as $u = ($meta:user)
    i1 p1 t1=5~ann t1=6~ann t1=5~bob t1=5~ann | 6: t1=5+t1=5{u=ann,v=5}
event E = (*(item/price/text()) as $v | *(item/quantity/text()) as $v){by="v", end=custom, context=cumulative, path=item}
    i1 p1 q1 t1=5 u1=6 u1=5 t1=6 flush | 7: t1=5+u1=5{v=5} t1=6+u1=6{v=6}
# what it joins on above is one value
event E(/order) {flat} = x[2,2]{by="n", path=/order, name=M} ins(item/@partNum) as $n & ins(item/price/text()) as $n
    a1=7 a2=8 a3=7 p4 t4=7             | 3: M:a1=7+a3=7{n=7}; 5: E:(a1=7+a3=7)+t4=7{n=7}
# withdrawn and consumed by itself
event E(/order) = x[1,*]{by="n", path=/order, name=M} ins(item/@partNum) as $n & ins(billTo)
    a1=7 a2=8 a3=7 b1 a4=7 a5=8        | 1: M:a1=7{n=7}; 2: M:a2=8{n=8}; 3: M:a1=7+a3=7{n=7}; 4: E:(a2=8)+b1{n=[8]}; 5: M:a1=7+a3=7+a4=7{n=7}; 6: M:a5=8{n=8}
"""

HAVING = """
# on combinations: what it is false of is none, so the contexts choose others
event E {context=$context, having="$a < $b"} = *(item/price/text()) as $a ; *(item/quantity/text()) as $b
    unrestricted | i1 p1 q1 t1=5 t1=3 u1=4 u1=9 | 6: t1=3+u1=4{a=[3],b=[4]}; 7: t1=5+u1=9{a=[5],b=[9]} t1=3+u1=9{a=[3],b=[9]}
    recent       | i1 p1 q1 t1=3 t1=5 u1=4 u1=9 | 7: t1=5+u1=9{a=[5],b=[9]}
    chronicle    | i1 p1 q1 t1=5 t1=3 u1=4 u1=9 | 6: t1=3+u1=4{a=[3],b=[4]}; 7: t1=5+u1=9{a=[5],b=[9]}
    continuous   | i1 p1 q1 t1=3 t1=5 u1=4      | 6: t1=3+u1=4{a=[3],b=[4]}
    next         | i1 p1 q1 t1=5 u1=4 u1=9      | 6: t1=5+u1=9{a=[5],b=[9]}
    # cumulative: asked of the whole, and any of $a is less than any of $b
    cumulative   | i1 p1 q1 t1=5 t1=3 u1=4      | 6: t1=5+t1=3+u1=4{a=[5,3],b=[4]}
    cumulative   | i1 p1 q1 t1=5 u1=4 t1=4 u1=2 u1=7 | 8: t1=5+t1=4+u1=4+u1=2+u1=7{a=[5,4],b=[4,2,7]}
event E {context=$context, having="$a = $b"} = *(item/price/text()) as $a & *(item/quantity/text()) as $b
    chronicle    | i1 p1 q1 t1=5 t1=3 u1=4 u1=3 u1=5 | 7: t1=3+u1=3{a=[3],b=[3]}; 8: t1=5+u1=5{a=[5],b=[5]}
    continuous   | i1 p1 q1 t1=5 p1.2 t1.2=5 t1=3 u1=5 | 8: t1.2=5+u1=5{a=[5],b=[5]} t1=5+u1=5{a=[5],b=[5]}
    recent       | i1 p1 q1 t1=5 t1=3 u1=5      |
    unrestricted | i1 p1 q1 t1=5 t1=3 u1=5      | 6: t1=5+u1=5{a=[5],b=[5]}
# cumulative: of the whole; while it is false nothing is raised or used up
event E {context=cumulative, having="sum($a) > 10"} = *(item/price/text()) as $a & ins(item/comment)
    i1 p1 t1=5 c1 t1=4 t1=3            | 6: t1=5+t1=4+t1=3+c1{a=[5,4,3]}
event E {context=cumulative, having="sum($a) > 10"} = *(item/price/text()) as $a ; ins(item/comment)
    i1 p1 t1=5 c1 t1=6 c1.2            | 6: t1=5+t1=6+c1+c1.2{a=[5,6]}
# let is seen
event E {let sum="$a + $b", having="$sum > 5"} = *(item/price/text()) as $a & *(item/quantity/text()) as $b
    i1 p1 q1 t1=2 u1=3 u1=4            | 6: t1=2+u1=4{a=[2],b=[4],sum=6}
# about no variable
event E {having="2 > 3"} = ins(item/price) & ins(item/quantity)
    i1 p1 q1                           |
event E = x[2,*]{having="2 > 3"} ins(item/price)
    i1 p1 p1.2 p1.3                    |
event E = x[2,*]{within="10 s", having="2 > 3"} ins(item/price)
    @0 i1 @1 p1 @2 p1.2 @3 p1.3        |
event E = x[2,*]{within="10 s", having="2 < 3"} ins(item/price)
    @0 i1 @1 p1 @2 p1.2                | 3: p1+p1.2
# on a multiplicity: what was raised before stays
event E = x[1,*]{name=M, having="sum($v) < 10"} *(item/price/text()) as $v & ins(item/comment)
    i1 p1 t1=4 t1=7 c1                 | 3: M:t1=4{v=[4]}; 5: E:(t1=4)+c1{v=[4]}
    # and what was not in it stays counted when it is used up (W3)
    i1 p1 t1=4 t1=7 c1 t1=2            | 3: M:t1=4{v=[4]}; 5: E:(t1=4)+c1{v=[4]}; 6: M:t1=7+t1=2{v=[7,2]}
event E = x[3,*]{having="count($v) >= 3 and sum($v) > 10"} *(item/price/text()) as $v
    i1 p1 t1=1 t1=2 t1=3 t1=6          | 6: t1=1+t1=2+t1=3+t1=6{v=[1,2,3,6]}
# at u it starts over all the same
event E = x[1,2]{having="sum($v) > 5"} *(item/price/text()) as $v
    i1 p1 t1=1 t1=2 t1=3 t1=4 t1=6     | 6: t1=3+t1=4{v=[3,4]}; 7: t1=6{v=[6]}
# of nothing at all (V6)
event E = x[0,*]{having="count($v) != 1"} *(item/price/text()) as $v
    i1 p1 t1=1 t1=2                    | 2: 0{v=[]}; 4: t1=1+t1=2{v=[1,2]}
event E = x[0,*]{name=M, having="count($v) > 0"} *(item/price/text()) as $v & ins(item/comment)
    i1 c1 p1 t1=1 c1.2                 | 2: E:c1{v=[]}; 4: M:t1=1{v=[1]}; 5: E:(t1=1)+c1.2{v=[1]}
# deferred: a full batch of which it is false is dropped, the rest stays
event E = x[1,2]{end=custom, having="sum($v) > 5"} *(item/price/text()) as $v
    i1 p1 t1=1 t1=2 t1=3 flush t1=4 flush |
    i1 p1 t1=1 t1=2 t1=9 t1=2 t1=3 flush | 7: t1=9+t1=2{v=[9,2]}
# not asked again later
event E {having="$n = 7"} = ins(item/@partNum) as $n & ins(item/price)
    a1=8 p1 a1=7                       |
# by time and value: three changes by one user within ten seconds
event E(item) = x[3,*]{by="u", within="10 s", having="sum($v) > 10"} *(item/price/text()) as $v as $u = ($meta:user)
    @0 i1 p1 t1=3~ann @2 t1=4~bob @4 t1=2~ann @9 t1=6~ann @11 t1=1~ann @12 t1=5~ann | 6: t1=3+t1=2+t1=6{u=ann,v=[3,2,6]}; 8: t1=2+t1=6+t1=1+t1=5{u=ann,v=[2,6,1,5]}
"""


@pytest.mark.parametrize("case", cases(BINDING) + cases(JOINS) + cases(BY) + cases(HAVING), ids=title)
def test_values(case: Case) -> None:
    check(*case)


@pytest.mark.parametrize("run", EVALUATORS)
def test_values_in_findings(run: Runner) -> None:
    """V1, V7: whole numbers without a point, NaN and infinities as strings; nothing without variables."""
    expressions = {
        "w": "3.0",
        "f": "1 div 4",
        "n": "number('x')",
        "i": "-1 div 0",
        "b": "1 = 1",
        "s": "'5'",
        "z": "-0",
    }
    bound = " ".join(f"as ${name} = ({text})" for name, text in expressions.items())
    (record,) = run(f"event E = ins(item/price) {bound}", steps_of("p1")[0])
    assert record["bindings"] == {
        "b": [True], "f": [0.25], "i": ["-Infinity"], "n": ["NaN"], "s": ["5"], "w": [3], "z": [0],
    }  # fmt: skip
    assert list(record["bindings"]) == sorted(record["bindings"])
    (record,) = run("event E = ins(item/price)", steps_of("p1")[0])
    assert "bindings" not in record


@pytest.mark.parametrize(
    ("value", "text", "json"),
    [
        (5.0, "5", 5), (0.5, "0.5", 0.5), (-0.0, "0", 0), (True, "true", True), ("x", "x", "x"), ("", "", ""),
        (1e20, "100000000000000000000", 100000000000000000000), (math.inf, "Infinity", "Infinity"),
    ],
)  # fmt: skip
def test_values_as_text_and_in_json(value: object, text: str, json: object) -> None:
    assert as_text(value) == text  # type: ignore[arg-type]
    assert in_json(value) == json  # type: ignore[arg-type]
    assert type(in_json(value)) is type(json)  # type: ignore[arg-type]
