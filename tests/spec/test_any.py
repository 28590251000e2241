"""Some of several: any[m] in all contexts, with constraints, deferred, reused (S1, S2, Q1, D5)."""

from __future__ import annotations

import pytest

from tests.spec.tables import Case, cases, check, title

TABLE = """
# two of three, in every context: the arrival with every other, with the newest, with the oldest, all
event E {context=$context} = any[2](ins(item/price), ins(item/quantity), ins(item/comment))
    unrestricted | p1 q1 c1 p1.2       | 2: p1+q1; 3: p1+c1 q1+c1; 4: p1.2+q1 p1.2+c1
    recent       | p1 q1 c1 p1.2       | 2: p1+q1; 3: q1+c1; 4: p1.2+c1
    chronicle    | p1 q1 c1 p1.2       | 2: p1+q1; 4: p1.2+c1
    continuous   | p1 q1 c1 p1.2       | 2: p1+q1; 3: q1+c1; 4: p1.2+c1
    cumulative   | p1 q1 c1 p1.2       | 2: p1+q1; 4: p1.2+c1
    next         | p1 q1 c1 p1.2       | 2: p1+q1; 3: q1+c1; 4: p1.2+c1
    # several of one operand first: no two of them go together
    unrestricted | p1 p1.2 q1          | 3: p1+q1 p1.2+q1
    recent       | p1 p1.2 q1 c1       | 3: p1.2+q1; 4: q1+c1
    chronicle    | p1 p1.2 q1 c1       | 3: p1+q1; 4: p1.2+c1
    # the arrival again and again, with the newest of the others, until none has an event
    continuous   | p1 p1.2 q1          | 3: p1.2+q1 p1+q1
    cumulative   | p1 p1.2 q1          | 3: p1+p1.2+q1
    next         | p1 p1.2 q1          | 3: p1+q1 p1.2+q1
    # other items are other groups
    chronicle    | p1 q2 c1            | 3: p1+c1
# chronicle takes those whose oldest are the oldest, in the order in which they were stored, not of the operands
event E {context=chronicle} = any[2](ins(item/price), ins(item/quantity), ins(item/comment))
    c1 q1 p1 p1.2                      | 2: q1+c1
event E {context=$context} = any[3](ins(item/price), ins(item/quantity), ins(item/comment), ins(item))
    chronicle    | c1 q1 i1 p1 c1.2    | 3: q1+c1+i1
    unrestricted | c1 q1 i1 p1         | 3: q1+c1+i1; 4: p1+q1+c1 p1+q1+i1 p1+c1+i1
    recent       | c1 q1 i1 p1         | 3: q1+c1+i1; 4: p1+q1+i1
    cumulative   | c1 c1.2 q1 i1 p1    | 4: q1+c1+c1.2+i1
    continuous   | c1 c1.2 q1 i1 p1    | 4: q1+c1.2+i1; 5: p1+c1+i1
    next         | c1 q1 i1 p1         | 3: q1+c1+i1; 4: p1+q1+i1
# one of several: each arrival by itself
event E {context=$context} = any[1](ins(item/price), ins(item/quantity))
    unrestricted, recent, chronicle, continuous, cumulative, next | p1 q1 p1.2 | 1: p1; 2: q1; 3: p1.2
# all of them is the conjunction
event E {context=$context} = any[2](ins(item/price), ins(item/quantity))
    unrestricted | p1 p1.2 q1 q1.2     | 3: p1+q1 p1.2+q1; 4: p1+q1.2 p1.2+q1.2
    recent       | p1 p1.2 q1 q1.2     | 3: p1.2+q1; 4: p1.2+q1.2
    chronicle    | p1 p1.2 q1 q1.2     | 3: p1+q1; 4: p1.2+q1.2
    continuous   | p1 p1.2 q1 q1.2     | 3: p1.2+q1 p1+q1
    cumulative   | p1 p1.2 q1 q1.2     | 3: p1+p1.2+q1
# different events: one event in two operands is one, and what is used up in one operand is used up in all
event E {context=$context} = any[2](ins(item/price), *(item/price), ins(item/quantity))
    chronicle    | p1 q1 q1.2          | 2: p1+q1
    unrestricted | p1 q1               | 2: p1+q1 p1+q1
    recent       | p1 q1               | 2: p1+q1
    chronicle    | p1 p1! q1           | 2: p1+p1!
    recent       | q1 p1               | 2: p1+q1
    cumulative   | p1 q1               | 2: p1+q1
    continuous   | p1 q1 q1.2          | 2: p1+q1
    next         | p1 p1!              | 2: p1+p1!
# any[n] of n is the conjunction (S1): a1=4 is in no combination as $v, as there is no other $w
event E {context=cumulative} = any[3](*(item/@partNum) as $v, ins(item/price), ins(item/@partNum) as $w)
    a1=4 p1 a1=5                       | 3: a1=5+p1+a1=4{v=[5],w=[4]}
event E {context=cumulative, end=custom} = any[3](*(item/@partNum) as $v, ins(item/price), ins(item/@partNum) as $w)
    a1=4 p1 a1=5 flush                 | 3: a1=5+p1+a1=4{v=[5],w=[4]}
# with a window: of the combinations that there are chronicle takes the one stored earliest; recent tries one
event E {context=$context} = any[2]{within="3 changes"}(ins(item/price), ins(item/quantity), ins(item/comment))
    chronicle    | p1 i1 i1! q1 c1     | 5: q1+c1
    chronicle    | p1 q1 c1 c1.2       | 2: p1+q1
    chronicle    | p1 i1 q1 c1         | 3: p1+q1
    unrestricted | p1 i1 q1 c1         | 3: p1+q1; 4: q1+c1
    continuous   | p1 i1 q1 c1         | 3: p1+q1; 4: q1+c1
    cumulative   | p1 i1 i1! q1 c1     | 5: q1+c1
    recent       | p1 i1 q1 c1         | 3: p1+q1; 4: q1+c1
    recent       | p1 i1 i1! q1 c1     | 5: q1+c1
    next         | p1 i1 i1! q1 c1     | 5: q1+c1
# having: recent tries the newest only, unrestricted all
event E {context=$context} = any[2]{having="$x = 5"}(ins(item/price), ins(item/quantity), ins(item/@partNum) as $x)
    recent       | p1 a1=5 q1          | 2: p1+a1=5{x=[5]}; 3: q1+a1=5{x=[5]}
    recent       | a1=5 p1 q1          | 2: p1+a1=5{x=[5]}
    unrestricted | a1=5 p1 q1          | 2: p1+a1=5{x=[5]}; 3: q1+a1=5{x=[5]}
    chronicle    | p1 q1 a1=5          | 3: p1+a1=5{x=[5]}
    chronicle    | p1 q1 a1=4          |
    cumulative   | p1 a1=4 q1          |
# deferred: as a conjunction (D5)
event E {context=$context} = any[2]{end=custom}(ins(item/price), ins(item/quantity), ins(item/comment))
    unrestricted | p1 q1 c1 flush flush        | 3: p1+q1 p1+c1 q1+c1
    recent       | p1 q1 c1 flush flush        | 3: q1+c1
    chronicle    | p1 q1 c1 c1.2 flush flush   | 4: p1+q1
    continuous   | p1 q1 c1 flush flush        | 3: p1+q1 q1+c1
    cumulative   | p1 q1 c1 flush flush        | 3: p1+q1+c1
    next         | p1 q1 c1 flush flush        | 3: p1+q1 q1+c1
    unrestricted | p1 q1 flush c1 flush        | 2: p1+q1; 3: p1+c1 q1+c1
# what is not local is elsewhere
event E {context=chronicle} = any[2]{end=non-local}(ins(item/price), ins(item/quantity), ins(item/comment))
    p1 q1 c1 i2                        | 4: p1+q1
# other trees take what it raises; it takes what they raise
event E = any[2](ins(item/price), ins(item/quantity), ins(item/comment))
event F = E(item) ; ins(item/comment)
    p1 q1 c1 c1.2                      | 2: E:p1+q1; 3: F:(p1+q1)+c1
event E = any[2](P(item), ins(item/comment), ins(item))
event P = ins(item/price) & ins(item/quantity)
    p1 q1 c1                           | 2: P:p1+q1; 3: E:(p1+q1)+c1
# of one time point the last operand's is stored last (H3, S1)
event P(item) = ins(item/price)
event Q(item) = P(item)
event R(item) = Q(item)
event E {context=recent} = any[2](P(item), Q(item), R(item))
    p1 | 1: P:p1 Q:(p1) R:((p1)) E:((p1))+(((p1)))
event P(item) = ins(item/price)
event Q(item) = P(item)
event R(item) = Q(item)
event E {context=continuous, end=custom} = any[2](P(item), Q(item), R(item))
    p1 flush | 1: P:p1 Q:(p1) R:((p1)) E:(p1)+((p1)) E:((p1))+(((p1)))
# a multiplicity as operand: withdrawn while it is not consumed (M1), starting over when it is (M3)
event E {context=$context} = any[2](x[1,*]{name=M} ins(item/price), ins(item/quantity), ins(item/comment))
    chronicle    | p1 p1.2 q1 p1.3     | 1: M:p1; 2: M:p1+p1.2; 3: E:(p1+p1.2)+q1; 4: M:p1.3
    recent       | p1 q1 p1.2          | 1: M:p1; 2: E:(p1)+q1; 3: M:p1+p1.2 E:(p1+p1.2)+q1
# an empty one is no event of it (M5)
event E = any[2](x[0,1]{name=C} ins(item/comment), ins(item/price), ins(item/quantity))
    i1 p1 q1                           | 1: C:0; 3: E:p1+q1
# flat, by values
event E {flat} = any[2](ins(item/@partNum) as $n, ins(item/price/text()) as $n, ins(item/quantity/text()) as $n)
    a1=7 p2 t2=7 q1 u1=5               | 3: a1=7+t2=7{n=7}
"""


@pytest.mark.parametrize("case", cases(TABLE), ids=title)
def test_any(case: Case) -> None:
    check(*case)
