"""Skip till next match: the context next (S2)."""

# ruff: noqa: E501 (a row of a table is one line)

from __future__ import annotations

import pytest

from tests.spec.tables import Case, cases, check, title

TABLE = """
# every first event begins a run, which takes the next of each; runs share events
event E {context=next} = ins(item/price) ; ins(item/quantity)
    p1 p1.2 q1 q1.2                    | 3: p1+q1 p1.2+q1
    p1 q1 q1.2                         | 2: p1+q1
    q1 p1 q1.2                         | 3: p1+q1.2
    p1 q2 p2 q1                        | 4: p1+q1
    p1 q1 p1.2 q1.2                    | 2: p1+q1; 4: p1.2+q1.2
event E {context=next} = ins(item/price) ; ins(item/quantity) ; ins(item/comment)
    p1 q1 p1.2 q1.2 c1 c1.2            | 5: p1+q1+c1 p1.2+q1.2+c1
    p1 c1 q1 c1.2                      | 4: p1+q1+c1.2
    p1 q1 q1.2 c1                      | 4: p1+q1+c1
# in a conjunction each arrival goes into all runs that lack its operand, and begins one of its own
event E {context=next} = ins(item/price) & ins(item/quantity)
    p1 p1.2 q1 q1.2                    | 3: p1+q1 p1.2+q1
    p1 q1 p1.2                         | 2: p1+q1; 3: p1.2+q1
    p1 q1 p1.2 q1.2                    | 2: p1+q1; 3: p1.2+q1; 4: p1.2+q1.2
event E {context=next} = ins(item/price) & ins(item/quantity) & ins(item/comment)
    p1 q1 c1                           | 3: p1+q1+c1
    p1 q1 c1 p1.2                      | 3: p1+q1+c1; 4: p1.2+q1+c1
    p1 p1.2 q1 c1                      | 4: p1+q1+c1 p1.2+q1+c1
# the first that satisfies the constraints with what the run has
event E {context=next, within="5 s"} = ins(item/price) ; ins(item/quantity)
    @0 p1 @6 p1.2 @8 q1                | 3: p1.2+q1
event E {context=next, having="$a < $b"} = *(item/price/text()) as $a ; *(item/quantity/text()) as $b ; ins(item/comment)
    i1 p1 q1 t1=5 u1=3 u1=7 c1         | 7: t1=5+u1=7+c1{a=[5],b=[7]}
event E {context=next, having="$a = $b"} = *(item/price/text()) as $a & *(item/quantity/text()) as $b & ins(item/comment)
    i1 p1 q1 t1=5 u1=3 c1 u1=5         | 7: t1=5+u1=5+c1{a=[5],b=[5]}
event E {context=next} = ins(item/price) ; not upd(item/price) ; ins(item/quantity)
    p1 p1! p1.2 q1                     | 4: p1.2+q1
# deferred: the complete runs (D5)
event E {context=next, end=custom} = ins(item/price) ; ins(item/quantity)
    p1 p1.2 q1 flush q1.2 flush        | 3: p1+q1 p1.2+q1
    p1 flush q1 flush                  | 2: p1+q1
event E {context=next, end=non-local} = ins(item/price) ; ins(item/quantity)
    p1 q1 c1 i2                        | 4: p1+q1
event E {context=next, when="comment"} = ins(item/price) ; ins(item/quantity)
    i1 p1 q1 p1.2 q1.2 c1              | 6: p1+q1 p1.2+q1.2
# several arrivals of one time point, one after the other
event A(item) {context=unrestricted} = ins(item/price) & ins(item/quantity)
event E {context=next} = ins(item) ; A(item)
    i1 p1 p1.2 q1                      | 4: A:p1+q1 A:p1.2+q1 E:i1+(p1+q1)
event E {context=next} = A(item) & ins(item/comment)
event A(item) {context=unrestricted} = ins(item/price) & ins(item/quantity)
    p1 p1.2 q1 c1                      | 3: A:p1+q1 A:p1.2+q1; 4: E:(p1+q1)+c1 E:(p1.2+q1)+c1
# consumed once it is raised, so a multiplicity starts over (H7, M3); it has no runs itself
event E {context=next} = x[1,*]{name=M} ins(item/price) ; ins(item/quantity)
    p1 p1.2 q1 p1.3 q1.2               | 1: M:p1; 2: M:p1+p1.2; 3: E:(p1+p1.2)+q1; 4: M:p1.3; 5: E:(p1.3)+q1.2
# withdrawn before (M1), it leaves its run with what is behind it, and the run takes what came instead
event E {context=next} = ins(item) ; x[1,*]{name=M} ins(item/price) ; ins(item/quantity)
    i1 p1 p1.2 q1                      | 2: M:p1; 3: M:p1+p1.2; 4: E:i1+(p1+p1.2)+q1
event E {context=next} = ins(item) ; x[1,*]{name=M} ins(item/price) ; ins(item/quantity) ; ins(item/comment)
    i1 p1 q1 p1.2 c1                   | 2: M:p1; 4: M:p1+p1.2
    i1 p1 q1 p1.2 q1.2 c1              | 2: M:p1; 4: M:p1+p1.2; 6: E:i1+(p1+p1.2)+q1.2+c1
event E {context=next} = x[1,*]{name=M} ins(item/price) & ins(item/quantity) & ins(item/comment)
    q1 p1 p1.2 c1                      | 2: M:p1; 3: M:p1+p1.2; 4: E:(p1+p1.2)+q1+c1
# a run of a sequence takes an empty one whenever it was stored (S2), and gives it back when there is another
event E {context=next} = ins(item/price) ; x[0,1]{name=C} ins(item/comment) ; ins(item/quantity)
    i1 p1 q1                           | 1: C:0; 3: E:p1+q1
    i1 p1 c1 q1                        | 1: C:0; 3: C:c1; 4: E:p1+(c1)+q1
    i1 p1 q1 p1.2 q1.2                 | 1: C:0; 3: E:p1+q1; 5: E:p1.2+q1.2
    i1 c1 p1 q1                        | 1: C:0; 2: C:c1; 4: E:p1+q1
event E {context=next} = x[0,1]{name=C} ins(item/comment) ; ins(item/quantity)
    i1 q1 q1.2                         | 1: C:0; 2: E:q1; 3: E:q1.2
event E {context=next} = x[0,1]{name=C} ins(item/comment) & ins(item/quantity)
    i1 q1 q1.2                         | 1: C:0; 2: E:q1; 3: E:q1.2
# with a `not` at the end every complete run is a candidate
event E {context=next} = (ins(item) ; ins(item/price) ; not ins(item/quantity)){end=custom}
    i1 p1 p1.2 flush                   | 3: i1+p1
# what has no runs is as chronicle
event E {context=next} = (ins(item/price) | ins(item/quantity)){end=custom}
    q1 p1 flush                        | 2: q1 p1
# by values
event E {flat, context=next} = ins(item/@partNum) as $n ; ins(item/price/text()) as $n
    a1=7 a2=8 a3=7 p4 t4=7 p5 t5=8     | 5: a1=7+t4=7{n=7} a3=7+t4=7{n=7}; 7: a2=8+t5=8{n=8}
"""


@pytest.mark.parametrize("case", cases(TABLE), ids=title)
def test_next(case: Case) -> None:
    check(*case)
