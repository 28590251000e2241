"""Decisions of docs/semantics.md in the finer points, which no table of an operator shows by itself."""

from __future__ import annotations

import pytest

from tests.spec.tables import Case, cases, check, title
from xmlcep import RuleError, parse_rules

# Rules, and below them, indented, the rows they are run with: words, then what is raised.
TABLE = """
# H8: what a root raised stays an event for later trees when a later composite integrates it
event M(item) = x[1,2] ins(item/price)
event B(item) = x[2,2] M(item)
    p1 p1.2                    | 1: M:p1; 2: M:p1+p1.2 B:(p1)+(p1+p1.2)
# W3: what has dropped out is in no batch
event E {within="3 changes"} = x[1,2]{end=custom} ins(item/price) ; ins(item/comment)
    p1 p1.2 p1.3 p1.4 c1 flush | 5: (p1.4)+c1
# M3: what arrived while the condition was false was not integrated, and stays when the composite is consumed
event E = x[1,*]{name=M, when="quantity > 3"} ins(item/price) & ins(item/comment)
    i1 q1 u1=5 p1 u1=1 p1.2 c1 u1=7 | 4: M:p1; 7: E:(p1)+c1; 8: M:p1.2
# Q3: an operator may have another context than its event
event E = (ins(item/price) & ins(item/quantity)){context=recent, name=R} & ins(item/comment)
    p1 q1 p1.2 c1 c1.2         | 2: R:p1+q1; 3: R:p1.2+q1; 4: E:(p1+q1)+c1; 5: E:(p1.2+q1)+c1.2
# D4: when the combination ceases to exist the next one has not been asked yet
event E = (ins(item/price) ; ins(item/quantity)){context=recent, end=non-local, when="comment"}
    i1 p1 q1 i2 c1             |
    i1 p1 q1 i2 c1 i2!         | 6: p1+q1
    i1 p1 q1 i2 p1.2 c1 q1.2 i2! | 8: p1.2+q1.2
# D4: one that goes as another integrates it has ceased to exist; what integrates it comes to be when the condition holds
event E = x[1,*]{path=item, when="comment"} x[1,2]{name=M} ins(item/price)
    i1 p1 (p1.2 c1) p1.3       | 2: M:p1; 3: M:p1+p1.2 E:(p1+p1.2); 5: M:p1.3 E:(p1+p1.2)+(p1.3)
    i1 p1 (c1 p1.2) p1.3       | 2: M:p1; 3: E:(p1); 4: M:p1.2 E:(p1)+(p1.2); 5: M:p1.3 E:(p1)+(p1.2)+(p1.3)
    i1 c1 p1 p1.2 c1- p1.3 (p1.4 c1.2) p1.5 | 3: M:p1 E:(p1); 4: M:p1.2 E:(p1)+(p1.2); 6: M:p1.3; 7: M:p1.3+p1.4 E:(p1)+(p1.2)+(p1.3+p1.4); 9: M:p1.5 E:(p1)+(p1.2)+(p1.3+p1.4)+(p1.5)
# D4: what `having` refuses is no combination, and does not wait
event E = x[1,*]{when="comment", having="count($v) mod 2 = 0"} ins(item/price) as $v = ($op)
    i1 p1 (p1.2 c1) p1.3 p1.4  | 3: E:p1+p1.2{v=[ins,ins]}; 6: E:p1+p1.2+p1.3+p1.4{v=[ins,ins,ins,ins]}
    i1 p1 p1.2 c1 p1.3 p1.4    | 4: E:p1+p1.2{v=[ins,ins]}; 6: E:p1+p1.2+p1.3+p1.4{v=[ins,ins,ins,ins]}
    i1 p1 p1.2 (p1.3 c1) p1.4  | 6: E:p1+p1.2+p1.3+p1.4{v=[ins,ins,ins,ins]}
# V6: at u it starts over all the same, while the condition is false
event E = x[1,3]{when="comment", having="count($v) mod 2 = 0"} ins(item/price) as $v = ($op)
    i1 p1 p1.2 p1.3 p1.4 (p1.5 c1) p1.6 p1.7 | 6: E:p1.4+p1.5{v=[ins,ins]}
event E = x[1,2]{when="comment", having="count($v) = 3"} ins(item/price) as $v = ($op)
    i1 p1 p1.2 (p1.3 c1) p1.4  |
# D5: the empty one is nothing any more when something has accumulated
event E = x[0,*]{when="comment", having="count($v) = 1"} ins(item/price) as $v = ($op)
    i1 (p1 c1) p1.2            | 2: E:p1{v=[ins]}
# Q1: in continuous context several arrivals meet the same partners, each by itself
event A {context=unrestricted} = ins(item/price) & ins(item/quantity)
event E {context=continuous, flat} = A(item) & x[0,2]{name=C} ins(item/comment)
event O = E(item)
    c1 c1.2 c2 c2.2 p1 q1 p1.2 | 1: C:c1; 2: C:c1+c1.2; 3: C:c2; 4: C:c2+c2.2; 6: A:p1+q1 E:(p1+q1)+(c2+c2.2) E:(p1+q1)+(c1+c1.2) O:((p1+q1)+(c1+c1.2)); 7: A:p1.2+q1 E:(p1.2+q1) O:((p1.2+q1))
    c1 c1.2 c2 c2.2 p1 p1.2 q1 p1.3 | 1: C:c1; 2: C:c1+c1.2; 3: C:c2; 4: C:c2+c2.2; 7: A:p1+q1 A:p1.2+q1 E:(p1+q1)+(c2+c2.2) E:(p1.2+q1)+(c2+c2.2) E:(p1+q1)+(c1+c1.2) E:(p1.2+q1)+(c1+c1.2) O:((p1+q1)+(c1+c1.2)) O:((p1.2+q1)+(c1+c1.2)); 8: A:p1.3+q1 E:(p1.3+q1) O:((p1.3+q1))
# D5: by the operands' stored order; one per arrival in order of arrival; cumulative in order of operand
event E {context=unrestricted} = (ins(item/price) & ins(item/quantity)){end=custom}
    q1.2 q1 p1.2 p1 flush      | 4: p1.2+q1.2 p1.2+q1 p1+q1.2 p1+q1
event E = (ins(item/price) | ins(item/quantity)){end=custom}
    q1 p1 flush                | 2: q1 p1
event E {context=cumulative} = (ins(item/price) | ins(item/quantity)){end=custom}
    q1 p1 flush                | 2: p1+q1
# U6: a condition does not hold at a node that is gone
event E = (ins(item/price) & ins(item/quantity)){when="not(*)"}
    i1 p1 q1 q1- p1-           | 5: p1+q1
event E = (ins(item/price) & ins(item/quantity)){when="not(*) and comment"}
    i1 p1 q1 q1- p1- i1- flush |
# H1: elements of one name, at any depth
event E = (ins(item) ; not ins(item/price)) {end=custom}
    i1 p1 n1 r1 k1 flush       | 5: n1 k1
# G1: a leaf takes composites of a flat event, wherever their paths may be
event Two {flat} = ins(item/price) & ins(item/quantity)
event Used = Two(item)
    p1 q1                      | 2: p1+q1 (p1+q1)
    p1 q2                      | 2: p1+q2
# M4, M5: empty composites
event E {flat} = x[0,1] ins(item/comment)
    i1 c1                      | 2: c1
event E = x[0,1]{name=M} ins(item/comment) & ins(item/price)
    i1 p1 p1.2                 | 1: M:0; 2: E:p1; 3: E:p1.2
    i1 c1 p1 p1.2              | 1: M:0; 2: M:c1; 3: E:(c1)+p1; 4: E:p1.2
event E = x[0,1]{name=M} ins(item/comment) | ins(item/price)
    i1 p1 c1                   | 1: M:0; 2: E:p1; 3: M:c1 E:(c1)
event None = x[0,1] ins(item/comment)
event Early = None(item) before ins(item/price)
    i1 p1                      | 1: None:0; 2: Early:(0)+p1
# D4: what waits for a release is not asked between releases
event E = (ins(item/price) & ins(item/quantity)) {end=custom, when="price > 3"}
    i1 p1 q1 flush t1=5        |
    i1 p1 q1 flush t1=5 flush  | 4: p1+q1
# Q3: below not the default is unrestricted
event E {context=chronicle} = ins(item/price) ; not (ins(item/comment) & ins(item/quantity)) ; del(item/price)
    c1 p1 c1.2 q1 p1-          |
# A1: as Snoop writes it
event E = not(ins(item/comment))[ins(item/price), ins(item/quantity)]
    p1 q1                      | 2: p1+q1
    p1 c1 q1                   |
# A3: what is asked where more may come
event E {context=cumulative, end=custom, having="count($p) = 1"} = ins(item/price/text()) as $p ; not ins(item/comment)
    t1=5 flush t1.2=6 t1.3=7 flush | 1: t1=5{p=[5]}
# A6: before and behind
event E = all[2,*] ins(item/comment) ; ins(item/price)
    c1 p1 c1.2 p1.2 p1.3       | 4: c1+c1.2+p1.2
event E {end=custom} = ins(item/price) ; all[0,1] ins(item/comment)
    [p1 c1] [c1.2] [p1.2]      | 2: p1+c1; 4: p1.2
    [p1 c1 c1.2]               |
# A7: what the match has chosen does not count, and is collected by no other once it is consumed (H7)
event E {end=custom} = upd(item/price/text()) & not ins(item/comment)
    t1=3 [t1=4 c1] [c1.2 t1=5] [t1=6] | 6: t1=6
event E {within="3 changes"} = ins(item/price) & all[1,*] ins(item/comment)
    c1 c1.2 p1 c1.3 c1.4 c1.5 c1.6 | 6: p1+c1+c1.2+c1.3+c1.4
event E(item) {context=$context, end=custom} = ins(item/price) & all[1,*] *(item/price)
    chronicle, cumulative        | [p1 p1.2]      |
    unrestricted                 | [p1 p1.2]      | 2: p1+p1.2 p1.2+p1
    recent                       | [p1 p1.2]      | 2: p1.2+p1
    chronicle, cumulative        | [p1 p1- p1.2-] | 3: p1+p1-+p1.2-
# B2: nothing changed at the element itself
event E = becomes["count(../item) = 1"](item)
    o1 i1 i2 i2-               | 2: i1; 4: i2-
# W2, W3, W4, W5: words, what has dropped out, what is left out, windows of changes
event E {within="1 h 30 min"} = ins(item) ; ins(item/price)
    @0 i1 @5400 p1 @5401 i2 @10802 p2 | 2: i1+p1
event E = x[2,*]{within="3 changes", end=custom} ins(item/comment)
    c1 c1.2 b1 b1.2 c1.3 flush |
    c1 c1.2 b1 c1.3 flush      | 4: c1.2+c1.3
event E {gap="2 changes"} = ins(item/price) ; x[0,1] ins(item/quantity) ; ins(item/comment)
    p1 c1                      | 2: p1+c1
event E {within="2 changes"} = ins(item) ; not ins(item/price)
    i1 c1 p1                   | 3: i1
# W10: no beat
event E = periodic*[ins(item), "1 s", ins(item/price)]
    @0 i1 @0.5 p1              |
# F4: the context node of the whole expression
event E = becomes["not(../item[@partNum != current()/@partNum])"](item)
    o1 i1 a1=5 i2 a2=6 a2=5    | 2: i1; 4: i2; 6: a2=5 a2=5
# V2, V5: a disjunction joins nothing, and a variable may have no value
event E = ins(item/@partNum) as $n | ins(item/price/text()) as $n
    a1=7 t1=8                  | 1: a1=7{n=[7]}; 2: t1=8{n=[8]}
event E = ins(item/price/text()) as $p | ins(item/comment)
    t1=5 c1                    | 1: t1=5{p=[5]}; 2: c1{p=[]}
# V6: at a release it is consumed all the same
event E(/order) {having="sum($p) > 100"} = x[1,*]{end=custom} ins(item/price/text()) as $p
    t1=60 t2=50 flush          | 2: t1=60+t2=50{p=[60,50]}
    t1=60 flush t2=50 flush    |
# V10: several operands of one name
event E {context=cumulative} = ins(item/price) as amount & *(item/quantity) & ins(item/comment) as amount
    p1 p1.2 q1 c1              | 4: p1(amount)+p1.2(amount)+q1+c1(amount)
"""  # noqa: E501


@pytest.mark.parametrize("case", cases(TABLE), ids=title)
def test_decisions(case: Case) -> None:
    check(*case)


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        (
            "event E {flat} = (ins(a) & ins(b)) {end=non-local}",
            "end=non-local has no meaning in a flat event (D2)",
        ),
        ("event E = ins(a/@n) as $n & del(a/@n) as $n & ins(a/b)", "$n"),
        ("event E {across} = ins(a) ; ins(b/@n) as $n", "there is no variable that all its operands bind"),
        ('event E = opaque["xpath1", "b"](a)', "there is no language 'xpath1' (O1)"),
    ],
)
def test_what_is_refused(rules: str, message: str) -> None:
    with pytest.raises(RuleError) as caught:
        parse_rules(rules)
    assert message in str(caught.value)
