"""Windows that events open and close: aperiodic and aperiodic*, periodic and periodic* (W8 to W10, V4)."""

from __future__ import annotations

import pytest

from tests.spec.tables import Case, cases, check, title

APERIODIC = """
event E {context=$context} = aperiodic[ins(item/price), ins(item/quantity)] ins(item/comment)
    unrestricted, recent, chronicle, continuous, cumulative       | c1 p1 c1.2 q1 c1.3 | 3: p1+c1.2
    unrestricted, recent, chronicle, continuous, cumulative       | p1 c1 c1.2         | 2: p1+c1; 3: p1+c1.2
    unrestricted, recent, chronicle, continuous, cumulative       | p1 c2 q2 c1        | 4: p1+c1
    # several open windows
    unrestricted | p1 p1.2 c1          | 3: p1+c1 p1.2+c1
    recent       | p1 p1.2 c1          | 3: p1.2+c1
    chronicle    | p1 p1.2 c1          | 3: p1+c1
    continuous   | p1 p1.2 c1          | 3: p1+c1 p1.2+c1
    cumulative   | p1 p1.2 c1          | 3: p1+p1.2+c1
    # which of them c closes: all, but for chronicle, where it is the oldest
    unrestricted | p1 p1.2 q1 c1       |
    recent       | p1 p1.2 q1 c1       |
    chronicle    | p1 p1.2 q1 c1       | 4: p1.2+c1
    chronicle    | p1 p1.2 q1 q1.2 c1  |
    continuous   | p1 p1.2 q1 c1       |
    cumulative   | p1 p1.2 q1 c1       |
    # a window that is opened again
    unrestricted, recent, chronicle, continuous, cumulative       | p1 q1 c1 p1.2 c1.2 | 5: p1.2+c1.2
    unrestricted, recent, chronicle, continuous, cumulative       | q1 c1 p1 |
# at one time point c comes first, then b, then a
event E {context=unrestricted} = aperiodic[*(item/price), ins(item/quantity)] upd(item/price)
    p1 p1! p1!.2                       | 2: p1+p1!; 3: p1+p1!.2 p1!+p1!.2
event E {context=unrestricted} = aperiodic[ins(item/price), *(item/quantity)] *(item/quantity)
    p1 q1 q1!                          |
event E {context=unrestricted} = aperiodic[*(item/price), upd(item/price)] *(item/comment)
    p1 c1 p1! c1!                      | 2: p1+c1; 4: p1!+c1!
# b lies behind its a as a whole, and c closes what lies before it
event E {context=unrestricted} = aperiodic[ins(item/price), ins(item/quantity)] (ins(item/comment) & ins(item))
    p1 c1 i1                           | 3: p1+(c1+i1)
    c1 p1 i1                           |
event E {context=unrestricted} = aperiodic[ins(item/price), (ins(item/quantity) & ins(item))] ins(item/comment)
    p1 q1 i1 c1                        |
    q1 p1 i1 c1                        | 4: p1+c1
    q1 p1 c1 i1 c1.2                   | 3: p1+c1; 5: p1+c1.2
# what is used up (M3): b when it is raised or lies in no window, a when its window is closed, c always
event E = aperiodic[ins(item/price), ins(item/quantity)] x[1,*]{name=M} ins(item/comment)
    c1 p1 c1.2 c1.3                    | 1: M:c1; 3: M:c1.2 E:p1+(c1.2); 4: M:c1.3 E:p1+(c1.3)
event E = aperiodic[x[1,*]{name=M} ins(item/price), ins(item/quantity)] ins(item/comment)
    p1 p1.2 c1 q1 p1.3 c1.2            | 1: M:p1; 2: M:p1+p1.2; 3: E:(p1+p1.2)+c1; 5: M:p1.3; 6: E:(p1.3)+c1.2
event E = aperiodic[ins(item/price), x[2,*]{name=M} ins(item/quantity)] ins(item/comment)
    q1 q1.2 p1 q1.3 c1 q1.4 c1.2       | 2: M:q1+q1.2; 5: E:p1+c1; 6: M:q1.3+q1.4
# as an operand, and in another tree
event E = aperiodic[ins(item/price), ins(item/quantity)] ins(item/comment)
event F = E(item) & ins(item)
    p1 c1 i1                           | 2: E:p1+c1; 3: F:(p1+c1)+i1
event E = (aperiodic[ins(item/price), ins(item/quantity)] ins(item/comment) & ins(item)){end=custom}
    p1 c1 q1 i1 flush                  | 2: aperiodic1:p1+c1; 4: E:(p1+c1)+i1
# a guard: used up as if it had been raised
event E {if="quantity"} = aperiodic[ins(item/price), ins(item/comment)] *(item/quantity)
    i1 p1 q1 q1!                       | 3: p1+q1; 4: p1+q1!
    i1 p1 q1 q1-                       | 3: p1+q1
# by values: c without one closes the windows of all (V4)
event E {flat} = aperiodic[ins(item/@partNum) as $n, del(item/@partNum) as $n] ins(item/price/text()) as $n
    a1=7 a2=8 p3 t3=7 a1- p4 t4=7 p5 t5=8 | 4: a1=7+t3=7{n=7}; 9: a2=8+t5=8{n=8}
event E {flat} = aperiodic[ins(item/@partNum) as $n, ins(item/comment)] ins(item/price/text()) as $n
    a1=7 a2=8 p3 t3=7 c1 p4 t4=7 p5 t5=8 | 4: a1=7+t3=7{n=7}
event E = aperiodic[ins(item/@partNum) as $n, ins(item/comment)] ins(item/price) as $m = ($meta:user)
    a1=7 p1~ann p1.2                   | 2: a1=7+p1{m=[ann],n=[7]}; 3: a1=7+p1.2{m=[],n=[7]}
"""

STAR = """
event E {context=$context} = aperiodic*[ins(item/price), ins(item/quantity)] ins(item/comment)
    unrestricted, recent, chronicle, continuous, cumulative       | c1 p1 c1.2 c1.3 q1 c1.4 q1.2 | 5: p1+c1.2+c1.3+q1
    # nothing in between, nothing raised, but the window is closed
    unrestricted, recent, chronicle, continuous, cumulative       | p1 q1 c1 q1.2      |
    unrestricted, recent, chronicle, continuous, cumulative       | p1 c1 c2 q2 q1     | 5: p1+c1+q1
    # several open windows, each with what is in it
    unrestricted | p1 c1 p1.2 c1.2 q1  | 5: p1+c1+c1.2+q1 p1.2+c1.2+q1
    recent       | p1 c1 p1.2 c1.2 q1  | 5: p1.2+c1.2+q1
    chronicle    | p1 c1 p1.2 c1.2 q1  | 5: p1+c1+c1.2+q1
    continuous   | p1 c1 p1.2 c1.2 q1  | 5: p1+c1+c1.2+q1 p1.2+c1.2+q1
    cumulative   | p1 c1 p1.2 c1.2 q1  | 5: p1+p1.2+c1+c1.2+q1
    # all used up; in chronicle the next c has the next window, with what came since
    chronicle    | p1 p1.2 c1 q1 q1.2      | 4: p1+c1+q1
    chronicle    | p1 p1.2 c1 q1 c1.2 q1.2 | 4: p1+c1+q1; 6: p1.2+c1.2+q1.2
    unrestricted | p1 p1.2 c1 q1 c1.2 q1.2 | 4: p1+c1+q1 p1.2+c1+q1
    recent       | p1 c1 p1.2 q1       |
# what is in no window any more is used up (M3)
event E = aperiodic*[ins(item/price), ins(item/quantity)] x[1,*]{name=M} ins(item/comment)
    c1 p1 c1.2 c1.3 q1 c1.4            | 1: M:c1; 3: M:c1.2; 4: M:c1.2+c1.3; 5: E:p1+(c1.2+c1.3)+q1; 6: M:c1.4
event E {context=recent} = aperiodic*[ins(item/price), ins(item/quantity)] x[1,*]{name=M} ins(item/comment)
    p1 c1 p1.2 c1.2 q1                 | 2: M:c1; 4: M:c1.2; 5: E:p1.2+(c1.2)+q1
# what integrates an a takes its place, with the b that lie in both windows (M1)
event E(/order) {context=$context} =
aperiodic*[x[0,*]{path=/order} ins(item/quantity), ins(billTo)] x[0,*] ins(item/price)
    unrestricted, recent, chronicle, continuous, cumulative       | o1 i1 q1 b1    |
    unrestricted, recent, chronicle, continuous, cumulative       | o1 p1 q1 q2 b1 |
event E(/order) {context=$context} =
aperiodic*[x[1,*]{path=/order} (ins(billTo)){path=/order, end=custom}, ins(item)] ins(item/price)
    unrestricted, recent, chronicle, continuous, cumulative       | b1 flush b2 p1 flush i1 | 4: ((b1)+(b2))+p1+i1
    unrestricted, recent, chronicle, continuous, cumulative       | b1 flush p1 b2 flush i1 |
# by values
event E {flat} = aperiodic*[ins(item/@partNum) as $n, ins(item/comment)] ins(item/price/text()) as $n
    a2=8 a1=7 p3 t3=7 p4 t4=8 c1       | 7: a1=7+t3=7+c1{n=7} a2=8+t4=8+c1{n=8}
# what closes is a constituent, and what it binds is bound (V5)
event E = aperiodic*[ins(item/price), ins(item/@partNum) as $n] ins(item/comment)
    p1 c1 a1=7                         | 3: p1+c1+a1=7{n=[7]}
"""

PERIODIC = """
event E {context=$context} = periodic[ins(item/price), "5 s", ins(item/quantity)]
    unrestricted, recent, chronicle, continuous, cumulative       | @0 p1 @6 i2 @11 i3 @12 q1 @30 i4 | 2: p1; 3: p1
    unrestricted, recent, chronicle, continuous, cumulative       | @0 p1 @16 i2 | 2: p1 p1 p1
    unrestricted, recent, chronicle, continuous, cumulative       | @0 p1 >10 >11 >15 | 1: p1 p1 p1
    # c exactly then is in time
    unrestricted, recent, chronicle, continuous, cumulative       | @0 p1 @5 q1 @9 i2 |
    unrestricted, recent, chronicle, continuous, cumulative       | @0 p1 @6 q1 @20 i2 | 2: p1
    # several windows
    unrestricted, continuous | @0 p1 @3 p1.2 @9 i2  | 3: p1 p1.2
    recent                   | @0 p1 @3 p1.2 @9 i2  | 3: p1.2
    chronicle                | @0 p1 @3 p1.2 @9 i2  | 3: p1
    cumulative               | @0 p1 @3 p1.2 @11 i2 | 3: p1+p1.2 p1+p1.2
    # in chronicle the next is the oldest when the oldest is closed; what it missed is left out (W10)
    chronicle                | @0 p1 @3 p1.2 @9 q1 @14 i2 | 3: p1; 4: p1.2
    chronicle                | @0 p1 @3 p1.2 @13 q1 @14 i2 | 3: p1 p1; 4: p1.2
    # its node is deleted
    unrestricted, recent, chronicle, continuous, cumulative       | @0 i1 p1 @6 i1- @60 i2 | 3: p1
# a late one beats from now on (W10)
event E = periodic[(ins(item/price)){end=custom, name=D}, "5 s", ins(item/quantity)]
    @0 p1 @12 c1 flush @14 i2 @16 i3   | 2: D:p1; 4: E:(p1)
# what opens it may be the deletion, which closes it as well
event E = periodic[del(item), "5 s", ins(item/quantity)]
    @0 i1 i1- @20 i2                   |
# an empty a has no end: it beats from when it was detected, also if it is the oldest later (W10)
event E {context=$context} = periodic[x[0,1]{name=M, path=order/item} ins(item/price), "5 s", ins(order/billTo)]
    unrestricted             | @0 i1 @3 i2 @9 o1!           | 1: M:0; 2: M:0
    chronicle                | @0 i1 @3 i2 @14 b1 @19 o1!   | 1: M:0; 2: M:0
# used up when its window is closed (M3)
event E = periodic[x[1,*]{name=M} ins(item/price), "5 s", ins(item/quantity)]
    @0 p1 @6 p1.2 @8 i2 @12 q1 p1.3    | 1: M:p1; 2: M:p1+p1.2 E:(p1); 4: E:(p1+p1.2); 5: M:p1.3
# a guard is asked at every beat
event E {if="comment"} = periodic[ins(item), "5 s", ins(item/quantity)]
    @0 i1 @6 c1 @11 o1! @12 c1- @16 o1!.2 | 3: i1
"""

PERIODIC_STAR = """
event E {context=$context} = periodic*[ins(item/price), "5 s", ins(item/quantity)]
    unrestricted, recent, chronicle, continuous, cumulative       | @0 p1 @12 q1           | 2: p1+q1{times=2}
    unrestricted, recent, chronicle, continuous, cumulative       | @0 p1 @5 q1            |
    unrestricted, recent, chronicle, continuous, cumulative       | @0 p1 @6 q1 @20 q1.2   | 2: p1+q1{times=1}
    unrestricted, recent, chronicle, continuous, cumulative       | @0 p1 @4 q1 @20 q1.2   |
    unrestricted, continuous | @0 p1 @3 p1.2 @12 q1 | 3: p1+q1{times=2} p1.2+q1{times=1}
    recent                   | @0 p1 @3 p1.2 @12 q1 | 3: p1.2+q1{times=1}
    chronicle                | @0 p1 @3 p1.2 @12 q1 @14 q1.2 | 3: p1+q1{times=2}; 4: p1.2+q1.2{times=2}
    cumulative               | @0 p1 @3 p1.2 @12 q1 | 3: p1+p1.2+q1{times=2}
    # the deletion of its node may be what closes it
event E = periodic*[ins(item), "5 s", del(item)]
    @0 i1 @12 i1-                      | 2: i1+i1-{times=2}
# an empty a has no end: times are counted from when it was detected (W10)
event E = periodic*[x[0,*]{name=M} ins(item/price), "5 s", del(item)]
    @0 i1 @12 i1-                      | 1: M:0
    @0 i1 c1 @12 (c1- i1-)             | 1: M:0
    @0 i1 @4 i1-                       | 1: M:0
event E {context=$context} = periodic*[x[0,1]{name=M, path=order/item} ins(item/price), "5 s", ins(order/billTo)]
    recent                   | @0 i1 @3 i2 @12 b1           | 1: M:0; 2: M:0
    cumulative               | @0 i1 @3 i2 @12 b1           | 1: M:0; 2: M:0
    chronicle        | @0 i1 @3 i2 @12 b1 @19 b1.2 | 1: M:0; 2: M:0
# how often is a variable like others
event E = (periodic*[ins(item/price), "5 s", ins(item/quantity)] & ins(item/comment)){having="$times > 1"}
    @0 p1 c1 @6 q1                     | 3: periodic_star1:p1+q1{times=1}
    @0 p1 c1 @12 q1                    | 3: periodic_star1:p1+q1{times=2} E:(p1+q1)+c1{times=[2]}
"""


@pytest.mark.parametrize("case", cases(APERIODIC) + cases(STAR), ids=title)
def test_aperiodic(case: Case) -> None:
    check(*case)


@pytest.mark.parametrize("case", cases(PERIODIC) + cases(PERIODIC_STAR), ids=title)
def test_periodic(case: Case) -> None:
    check(*case)
