"""Decisions of docs/semantics.md in the finer points, which no table of an operator shows by itself."""

from __future__ import annotations

import pytest

from tests.spec.tables import Case, cases, check, title

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
"""  # noqa: E501


@pytest.mark.parametrize("case", cases(TABLE), ids=title)
def test_decisions(case: Case) -> None:
    check(*case)
