"""How far apart: windows, gaps, contiguity, in time, changes and transactions (W1 to W4, S3, Q1, Q4, U2)."""

# ruff: noqa: E501 (a row of a table is one line)

from __future__ import annotations

import pytest

from tests.reference import Evaluation
from tests.reference.clock import TimeUnknown, microseconds, written
from tests.spec.alphabet import steps_of
from tests.spec.tables import Case, cases, check, title
from xmlcep.language import parse_definitions

WITHIN = """
event E {context=$context, within="5 s"} = ins(item/price) & ins(item/quantity)
    unrestricted, recent, chronicle, continuous, cumulative, next | @0 p1 @5 q1            | 2: p1+q1
    unrestricted, recent, chronicle, continuous, cumulative, next | @0 q1 @5 p1            | 2: p1+q1
    unrestricted, recent, chronicle, continuous, cumulative, next | @0 p1 @5.000001 q1     |
    # too old is no combination: others are
    unrestricted, recent, chronicle, continuous, cumulative, next | @0 p1 @4 p1.2 @6 q1    | 3: p1.2+q1
    unrestricted | @0 p1 @4 p1.2 @5 q1 @9 q1.2 | 3: p1+q1 p1.2+q1; 4: p1.2+q1.2
    recent       | @0 p1 @4 p1.2 @5 q1 @9 q1.2 | 3: p1.2+q1; 4: p1.2+q1.2
    chronicle    | @0 p1 @4 p1.2 @5 q1 @9 q1.2 | 3: p1+q1; 4: p1.2+q1.2
    continuous   | @0 p1 @4 p1.2 @5 q1 @9 q1.2 | 3: p1.2+q1 p1+q1
    cumulative   | @0 p1 @4 p1.2 @5 q1 @9 q1.2 | 3: p1+p1.2+q1
    next         | @0 p1 @4 p1.2 @5 q1 @9 q1.2 | 3: p1+q1 p1.2+q1
    # recent has the newest of each, or nothing
    recent       | @0 q1 @6 p1 @7 q1.2         | 3: p1+q1.2
event E {context=$context, within="5 s"} = ins(item/price) ; ins(item/quantity) ; ins(item/comment)
    unrestricted, recent, chronicle, continuous, cumulative, next | @0 p1 @3 q1 @5 c1      | 3: p1+q1+c1
    unrestricted, recent, chronicle, continuous, cumulative, next | @0 p1 @3 q1 @6 c1      |
    chronicle    | @0 p1 @2 p1.2 @3 q1 @6 c1   | 4: p1.2+q1+c1
    continuous   | @0 p1 @2 p1.2 @3 q1 @6 c1   | 4: p1.2+q1+c1
    next         | @0 p1 @2 p1.2 @3 q1 @6 c1   | 4: p1.2+q1+c1
    cumulative   | @0 p1 @2 p1.2 @3 q1 @6 c1   | 4: p1.2+q1+c1
# a cumulative composite is made of several combinations and may be wider (Q1)
event E {context=$context, within="5 s", end=custom} = ins(item/price) & ins(item/quantity)
    cumulative   | @0 p1 @4 q1 @8 p1.2 flush   | 3: p1+p1.2+q1
    cumulative   | @0 p1 @4 q1 @10 p1.2 flush  | 3: p1+q1
    # deferred, what is chosen from are the combinations there are (D5)
    chronicle    | @0 p1 @4 p1.2 @6 q1 flush   | 3: p1.2+q1
    continuous   | @0 p1 @4 q1 @20 p1.2 flush  | 3: p1+q1
    recent       | @0 p1 @4 q1 @20 p1.2 flush  |
    unrestricted | @0 p1 @4 q1 @20 p1.2 flush  | 3: p1+q1
    next         | @0 p1 @4 q1 @20 p1.2 flush  | 3: p1+q1
# of composites, the first and the last primitive event count
event A(item) = ins(item/price) & ins(item/quantity)
event E {within="5 s"} = A(item) & ins(item/comment)
    @0 p1 @3 q1 @5 c1                  | 2: A:p1+q1; 3: E:(p1+q1)+c1
    @0 p1 @3 q1 @6 c1                  | 2: A:p1+q1
# in changes, and in transactions: within one is in the same one
event E {within="3 changes"} = ins(item/price) & ins(item/quantity)
    p1 i2 q1                           | 3: p1+q1
    p1 i2 i2! q1                       |
event E {within="1 transaction"} = ins(item/price) & ins(item/quantity)
    [p1 i2 q1]                         | 3: p1+q1
    [p1] [q1]                          |
    # the records of an edit without a transaction are one
    (p1 i2 q1)                         | 3: p1+q1
    p1 q1                              |
    [p1] q1                            |
    # a flush in between is none of its ends
    [p1 flush q1]                      | 2: p1+q1
event E {within="2 transactions"} = ins(item/price) & ins(item/quantity)
    [p1] [q1]                          | 2: p1+q1
    [p1] [c1] [q1]                     |
    [p1] q1                            | 2: p1+q1
    [p1] c1 q1                         |
# a clock that goes back stands still (W1); what has no time has that of the one before
event E {within="5 s"} = ins(item/price) & ins(item/quantity)
    @10 p1 @4 q1                       | 2: p1+q1
    @10 p1 @4 i2 @15 q1                | 3: p1+q1
    @10 p1 @4 i2 @16 q1                |
    # it stands still inside an edit (U2), and goes on with the next (U2)
    ( @0 p1 @9 q1 )                    | 2: p1+q1
    ( @0 p1 @9 c1 ) @9 q1              |
    # and when the application says what time it is (W6)
    @0 p1 >9 @3 q1                     |
    @9 p1 >3 @14 q1                    | 2: p1+q1
# absence, any and relations have windows as well
event E {within="5 s"} = ins(item/price) ; not ins(item/comment) ; ins(item/quantity)
    @0 p1 @4 q1                        | 2: p1+q1
    @0 p1 @6 q1                        |
"""

MOVING = """
# what having was false of goes when it is older than the window: it is asked of what the window holds (Q5)
event E {context=cumulative, within="3 s", having="string($n) != '1'"} = *(item/@partNum) as $n & ins(item/quantity)
    @0 i1 a1=1 q1 @2 a1=5 @2.5 q1.2    |
    @0 i1 a1=1 q1 @8 a1=5 @9 q1.2      | 5: a1=5+q1.2{n=[5]}
    @0 i1 a1=1 q1 @3 a1=5 q1.2         |
    @0 i1 a1=1 q1 @3.001 a1=5          |
    @0 i1 a1=1 @1 q1 @3.001 a1=5       | 4: a1=5+q1{n=[5]}
event E {context=cumulative, within="4 changes", having="sum($n) > 6"} = *(item/@partNum) as $n ; *(item/price/text()) as $m
    @0 i1 p1 a1=4 t1=1 a1=4 t1=2       | 6: a1=4+a1=4+t1=1+t1=2{m=[1,2],n=[4,4]}
event E {context=cumulative, within="3 s", having="count($n) > 2"} = any[2](*(item/@partNum) as $n, ins(item/quantity), ins(item/comment))
    @0 i1 a1=1 q1 @2 a1=5 @4 a1=6      |
    @0 i1 a1=1 q1 @2 a1=5 @3 a1=6      | 5: a1=1+a1=5+a1=6+q1{n=[1,5,6]}
event E {context=cumulative, within="3 s", having="string($n) != '1'"} = not ins(item/price) ; *(item/@partNum) as $n
    @0 i1 a1=1 @2 a1=5 @4 a1=6         | 4: a1=5+a1=6{n=[5,6]}
event E {context=cumulative, within="3 s", having="string($n) != '1'"} = *(item/@partNum) as $n ; not ins(item/price)
    @0 i1 a1=1 @2 a1=5 @4 a1=6 @8 i2   | 5: a1=6{n=[6]}
event E {context=cumulative, within="3 s", having="string($n) != '1'"} = *(item/@partNum) as $n before ins(item/quantity)
    @0 i1 a1=1 q1 @8 a1=5 @9 q1.2      | 5: a1=5+q1.2{n=[5]}
# what waits for a release is kept, if there is something to be raised
event E {context=cumulative, within="3 s", end=custom, having="string($n) != '1'"} = *(item/@partNum) as $n & ins(item/quantity)
    @0 i1 a1=1 q1 @8 a1=5 @9 q1.2 flush | 5: a1=5+q1.2{n=[5]}
    @0 i1 a1=1 q1 @2 a1=5 @2.5 q1.2 flush |
    @0 i1 a1=5 q1 @8 a1=1 @9 q1.2 flush | 5: a1=5+a1=1+q1+q1.2{n=[5,1]}
    @0 i1 a1=5 q1 @20 c1 flush         | 4: a1=5+q1{n=[5]}
event E {context=cumulative, within="3 s", end=non-local, having="string($n) != '1'"} = *(item/@partNum) as $n & ins(item/quantity)
    @0 i1 a1=1 q1 @8 a1=5 @9 q1.2 i2   | 6: a1=5+q1.2{n=[5]}
event E {context=cumulative, within="3 s", when="comment", having="string($n) != '1'"} = *(item/@partNum) as $n & ins(item/quantity)
    @0 i1 a1=1 q1 @8 a1=5 @9 q1.2 @20 c1 | 6: a1=5+q1.2{n=[5]}
    @0 i1 a1=5 q1 @8 a1=1 @9 q1.2 @20 c1 | 6: a1=5+a1=1+q1+q1.2{n=[5,1]}
# what comes late is combined with what is as old
event E {context=cumulative, within="3 s", having="string($n) != '1'"} = *(item/@partNum) as $n & plus[ins(item/quantity), "5 s"]
    @0 i1 a1=1 q1 @1 a1=5 @9 a1=6      |
    @0 i1 a1=1 @4 a1=5 q1 @20 i2       | 5: a1=5+(q1){n=[5]}
    @0 i1 a1=1 @2 a1=5 q1 @20 i2       |
"""
MULTIPLICITIES = """
# what is older than the window before the newest drops out first (W3)
event E = x[2,*]{within="5 s"} ins(item/price)
    @0 p1 @3 p1.2 @5 p1.3              | 2: p1+p1.2; 3: p1+p1.2+p1.3
    @0 p1 @3 p1.2 @7 p1.3              | 2: p1+p1.2; 3: p1.2+p1.3
    @0 p1 @6 p1.2 @12 p1.3             |
    @0 p1 @6 p1.2 @11 p1.3             | 3: p1.2+p1.3
event E = x[1,2]{within="5 s"} ins(item/price)
    @0 p1 @1 p1.2 @2 p1.3 @9 p1.4      | 1: p1; 2: p1+p1.2; 3: p1.3; 4: p1.4
event E = x[2,*]{within="3 changes"} ins(item/price)
    p1 i2 p1.2 i2! i2!.2 p1.3          | 3: p1+p1.2
event E = x[2,*]{within="1 transaction"} ins(item/price)
    [p1 p1.2] [p1.3] [p1.4 p1.5]       | 2: p1+p1.2; 5: p1.4+p1.5
# the composite before stays until there is another one, and what came later stays counted when it is used up (W3)
event E = x[2,*]{name=M, within="5 s"} ins(item/price) & ins(item/quantity)
    @0 p1 @3 p1.2 @9 p1.3 q1 p1.4      | 2: M:p1+p1.2; 4: E:(p1+p1.2)+q1; 5: M:p1.3+p1.4
    @0 p1 @3 p1.2 @9 p1.3 p1.4 q1      | 2: M:p1+p1.2; 4: M:p1.3+p1.4; 5: E:(p1.3+p1.4)+q1
# a composite is as old as its start; one too wide by itself is not taken
event A(item) = ins(item/price) ; ins(item/quantity)
event E(item) = x[1,*]{within="5 s"} A(item)
    @0 p1 @6 q1                        | 2: A:p1+q1
    @0 p1 @2 q1 @3 p1.2 @5 q1.2        | 2: A:p1+q1 E:(p1+q1); 4: A:p1.2+q1.2 E:(p1+q1)+(p1.2+q1.2)
    @0 p1 @2 q1 @4 p1.2 @6 q1.2        | 2: A:p1+q1 E:(p1+q1); 4: A:p1.2+q1.2 E:(p1.2+q1.2)
# ... and nothing drops out for it
event A(item) = ins(item/price) ; ins(item/quantity)
event E(item) = x[2,*]{within="5 s"} A(item)
    @0 p1 q1 c1 p1.2 @4 p1.3 @6 q1.2 @6 p1.4 q1.3 | 2: A:p1+q1; 6: A:p1.2+q1.2; 8: A:p1.3+q1.3
    @0 p1 p1.2 @3 q1 @7 q1.2 @7 p1.3 q1.3 | 3: A:p1+q1; 4: A:p1.2+q1.2; 6: A:p1.3+q1.3
event E(item) = x[1,*]{within="5 s", end=custom} A(item)
event A(item) = ins(item/price) ; ins(item/quantity)
    @0 p1 q1 p1.2 @6 q1.2 flush        | 2: A:p1+q1; 4: A:p1.2+q1.2 E:(p1+q1)
# deferred: what has dropped out is gone
event E = x[$context]{within="5 s", end=custom} ins(item/price)
    2,*          | @0 p1 @1 p1.2 @9 p1.3 @10 p1.4 flush | 4: p1.3+p1.4
    2,*          | @0 p1 @9 p1.2 @10 p1.3 flush         | 3: p1.2+p1.3
    2,*          | @0 p1 @1 p1.2 @9 p1.3 flush p1.4 flush | 4: p1.3+p1.4
    1,*          | @0 p1 @3 p1.2 @7 p1.3 flush          | 3: p1.2+p1.3
    1,2          | @0 p1 @1 p1.2 @2 p1.3 @9 p1.4 flush  | 4: p1.4
    3,*          | @0 p1 @3 p1.2 @7 p1.3 @8 p1.4 flush  | 4: p1.2+p1.3+p1.4
# what was raised before and has dropped out while the condition was false is not raised again
event E = x[1,2]{within="3 changes", when="not(comment)"} ins(item/price)
    i1 p1 c1 b1 p1.2 c1-               | 2: p1; 6: p1.2
# nor what has been consumed (M3), or is too old for the operator above (Q4)
event E = x[$context]{name=M, when="not(comment)", within="4 changes"} ins(item/price) & ins(item/quantity)
    1,*          | i1 p1 c1 b1 b2 p1.2 q1 c1- q1.2 | 2: M:p1; 7: E:(p1)+q1; 8: M:p1.2; 9: E:(p1.2)+q1.2
    2,3          | i1 p1 p1.2 c1 b1 b2 p1.3 q1 p1.4 c1- q1.2 | 3: M:p1+p1.2; 8: E:(p1+p1.2)+q1; 10: M:p1.3+p1.4; 11: E:(p1.3+p1.4)+q1.2
event E {within="7 changes"} = x[1,*]{name=M, within="3 changes", when="not(comment)"} ins(item/price) & ins(item/quantity)
    i1 p1 p1.2 c1 b1 b1! b1!.2 b1!.3 b1!.4 p1.3 c1- | 2: M:p1; 3: M:p1+p1.2; 11: M:p1.3
    i1 p1 c1 b1 p1.2 b1! b1!.2 b1!.3 p1.3 c1-       | 2: M:p1; 10: M:p1.3
# what has dropped out was raised, and what came since is withdrawn: the group does not wait (D4)
event E(order) {when="count(.//price) mod 2 = 0", within="5 changes"} = x[1,*] x[1,*]{name=I, path=order} ins(order/item/price)
    o1 i1 p1 p1.2 b1 b1! b1!.2 b1!.3 p1.3 p1.4      | 3: I:p1; 4: I:p1+p1.2 E:(p1+p1.2); 9: I:p1.3; 10: I:p1.3+p1.4 E:(p1.3+p1.4)
# what a withdrawal leaves counts on
event E(order) {end=custom, within="6 changes"} = x[$context] x[1,*]{name=I} ins(order/item/price)
    2,2          | o1 i1 i2 i3 c2 p3 b1 b1! b1!.2 p1 p2 p1.2 flush      | 6: I:p3; 10: I:p1; 11: I:p2; 12: I:p1+p1.2 E:(p2)+(p1+p1.2)
    2,3          | o1 i1 i2 i3 c2 p3 b1 b1! b1!.2 p1 p2 p1.2 p3.2 flush | 6: I:p3; 10: I:p1; 11: I:p2; 12: I:p1+p1.2; 13: I:p3.2 E:(p2)+(p1+p1.2)+(p3.2)
# an operand of what has a window has that window (Q4)
event E {within="5 s"} = x[1,*]{name=M} ins(item/price) & ins(item/quantity)
    @0 p1 @6 p1.2 q1                   | 1: M:p1; 2: M:p1.2; 3: E:(p1.2)+q1
    @0 p1 @3 p1.2 @6 p1.3 q1           | 1: M:p1; 2: M:p1+p1.2; 3: M:p1.2+p1.3; 4: E:(p1.2+p1.3)+q1
event E {within="5 s"} = x[1,*]{name=M} x[1,1]{name=N} *(item/price/text()) & ins(item/quantity)
    @0 i1 p1 t1=1 @6 t1=2 q1           | 3: N:t1=1 M:(t1=1); 4: N:t1=2 M:(t1=2); 5: E:((t1=2))+q1
# but of its own it has its own, and starts over when its composite is too old for the other (Q4)
event E {within="5 s"} = x[1,*]{name=M, within="60 s"} ins(item/price) & ins(item/quantity)
    @0 p1 @2 p1.2 @6 p1.3 q1           | 1: M:p1; 2: M:p1+p1.2; 3: M:p1.3; 4: E:(p1.3)+q1
event E {within="60 s"} = x[1,*]{name=M, within="5 s"} ins(item/price) & ins(item/quantity)
    @0 p1 @2 p1.2 @6 p1.3 q1           | 1: M:p1; 2: M:p1+p1.2; 3: M:p1.2+p1.3; 4: E:(p1.2+p1.3)+q1
# with a condition that is true when something arrives it does not wait; empty ones have no age
event E {within="2 s", when="price"} = x[1,*] ins(item/comment)
    @0 i1 p1 c1 @1 c1.2 @3 c1.3        | 3: c1; 4: c1+c1.2; 5: c1.2+c1.3
event E {within="2 s", when="item"} = x[1,*]{path=order} x[0,1]{name=M, path=order/item} ins(order/item/comment)
    @0 o1 i1 i2 @1 c1 @9 c2            | 2: M:0; 3: M:0; 4: M:c1 E:(c1); 5: M:c2 E:(c2)
"""

GAPS = """
event E {context=$context, gap="2 s"} = ins(item/price) ; ins(item/quantity) ; ins(item/comment)
    unrestricted, recent, chronicle, continuous, cumulative, next | @0 p1 @2 q1 @4 c1 | 3: p1+q1+c1
    unrestricted, recent, chronicle, continuous, cumulative, next | @0 p1 @3 q1 @4 c1 |
    unrestricted, recent, chronicle, continuous, cumulative, next | @0 p1 @2 q1 @5 c1 |
    chronicle    | @0 p1 @1 p1.2 @3 q1 @4 c1    | 4: p1.2+q1+c1
    unrestricted | @0 p1 @1 q1 @2 q1.2 @4 c1    | 4: p1+q1.2+c1
    continuous   | @0 p1 @1 q1 @2 q1.2 @4 c1    | 4: p1+q1.2+c1
    cumulative   | @0 p1 @1 q1 @2 q1.2 @3 c1    | 4: p1+q1+q1.2+c1
    cumulative   | @0 p1 @1 q1 @2 q1.2 @4 c1    | 4: p1+q1.2+c1
    # the run took the first that fits, and waits for what fits to that
    next         | @0 p1 @1 q1 @2 q1.2 @4 c1    |
event E {gap="2 changes"} = ins(item/price) ; ins(item/quantity)
    p1 q1                              | 2: p1+q1
    p1 i2 q1                           |
event E {gap="1 transaction"} = ins(item/price) ; ins(item/quantity)
    [p1 q1]                            | 2: p1+q1
    [p1] [q1]                          |
# from the end of one to the start of the next; an empty one is passed over (W3)
event E {gap="2 s"} = (ins(item/price) & ins(item/quantity)) ; (ins(item/comment) & ins(item))
    @0 p1 @5 q1 @7 c1 @20 i1           | 4: (p1+q1)+(c1+i1)
    @0 p1 @5 q1 @8 c1 @9 i1            |
event E {gap="2 s"} = ins(item) ; x[0,1] ins(item/comment) ; ins(item/price)
    @0 i1 @2 p1                        | 2: i1+p1
    @0 i1 @3 p1                        |
    @0 i1 @2 c1 @4 p1                  | 3: i1+(c1)+p1
"""

STRICT = """
event E {context=$context, strict} = ins(item/price) ; ins(item/quantity)
    unrestricted, recent, chronicle, continuous, cumulative, next | p1 q1    | 2: p1+q1
    unrestricted, recent, chronicle, continuous, cumulative, next | p1 c1 q1 |
    # what is below counts, what is elsewhere or above does not
    unrestricted, recent, chronicle, continuous, cumulative, next | p1 t1=5 q1    |
    unrestricted, recent, chronicle, continuous, cumulative, next | p1 c2 o1! q1  | 4: p1+q1
    unrestricted, recent, chronicle, continuous, cumulative, next | p1 n1 q1      |
    unrestricted, recent, chronicle, continuous, cumulative, next | m1 p1 r1      | 3: m1+r1
    unrestricted, recent, chronicle, continuous, cumulative, next | p1 p1.2 q1 q1.2 | 3: p1.2+q1
event E {strict} = ins(item/price) ; ins(item/quantity) ; ins(item/comment)
    p1 q1 c1                           | 3: p1+q1+c1
    p1 q1 p2 c1                        | 4: p1+q1+c1
    p1 q1 p1! c1                       |
# between an end and a start; an empty one is passed over
event E {strict} = (ins(item/price) & ins(item/quantity)) ; ins(item/comment)
    p1 p1! q1 c1                       | 4: (p1+q1)+c1
    p1 q1 p1! c1                       |
event E {strict} = ins(item) ; x[0,1] ins(item/comment) ; ins(item/price)
    i1 p1                              | 2: i1+p1
    i1 q1 p1                           |
# flat: everything in the document counts
event E {flat, strict} = ins(item/price) ; ins(item/quantity)
    p1 q2                              | 2: p1+q2
    p1 o1! q2                          |
event E {flat, order=detection, strict} = ins(item/price) ; (ins(item/quantity) & ins(item/comment))
    p1 q1 c1                           | 3: p1+(q1+c1)
    q1 p1 c1                           | 3: p1+(q1+c1)
    p1 o1! q1 c1                       |
# with values it is the place that counts (V2)
event E {strict} = ins(item/price/text()) as $n ; ins(item/quantity/text()) as $n
    i1 p1 q1 t1=5 u1=5                 | 5: t1=5+u1=5{n=5}
    i1 p1 q1 t1=5 c1 u1=5              |
    i1 p1 q1 p1.2 t1.2=7 t1=5 u1=5     | 7: t1=5+u1=5{n=5}
# with an absence
event E {strict} = ins(item/price) ; not ins(item/comment) ; ins(item/quantity)
    p1 q1                              | 2: p1+q1
"""


@pytest.mark.parametrize(
    "case", cases(WITHIN) + cases(MOVING) + cases(MULTIPLICITIES) + cases(GAPS) + cases(STRICT), ids=title
)
def test_distances(case: Case) -> None:
    check(*case)


def test_a_rule_with_durations_needs_a_time() -> None:
    """W1: as soon as it takes a record."""
    definitions = parse_definitions(
        'event E {within="5 s"} = ins(item/price) & ins(item/quantity)', []
    ).definitions
    evaluation = Evaluation(definitions)
    steps, _ = steps_of("i1 c1 p1")
    assert [evaluation.take(step) for step in steps[:2]] == [[], []]
    with pytest.raises(TimeUnknown, match="E has durations"):
        evaluation.take(steps[2])


@pytest.mark.parametrize(
    "time", ["2026-01-01T00:00:00Z", "2026-01-01T00:00:00.500Z", "1969-12-31T23:59:59.000001Z"]
)
def test_times_are_written_with_as_many_digits_as_needed(time: str) -> None:
    """W5."""
    assert written(microseconds(time)) == time
