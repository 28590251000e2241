"""What must not happen afterwards: candidates, until a window or a release (A3, A4, W5)."""

from __future__ import annotations

import pytest

from tests.spec.tables import Case, cases, check, title
from xmlcep import RuleError, parse_rules

RELEASED = """
event E {context=$context} = (ins(item/price) ; not ins(item/quantity)){end=custom}
    unrestricted, recent, chronicle, continuous, cumulative, next | p1 flush flush    | 1: p1
    unrestricted, recent, chronicle, continuous, cumulative, next | p1 q1 flush       |
    unrestricted, recent, chronicle, continuous, cumulative, next | q1 p1 q2 flush    | 3: p1
    unrestricted, recent, chronicle, continuous, cumulative, next | p1 q1 p1.2 flush  | 3: p1.2
    unrestricted, recent, chronicle, continuous, cumulative, next | p1 close          | 1: p1
    unrestricted, chronicle, continuous, next                     | p1 p1.2 flush     | 2: p1 p1.2
    recent                                                        | p1 p1.2 flush     | 2: p1.2
    cumulative                                                    | p1 p1.2 flush     | 2: p1+p1.2
    # all earlier candidates end, not only the oldest
    unrestricted, recent, chronicle, continuous, cumulative, next | p1 p1.2 q1 flush  |
# cumulative: in order of operand, also if one event is stored in several of which it is in one
event E {context=cumulative, end=custom} =
ins(item/quantity) ; not ins(item/comment) ; ins(item/quantity) ; not ins(item/price)
    q1 q1.2 c1 q1.3 q1.4 flush         | 5: q1+q1.3+q1.2+q1.4
# several operands before it, as a sequence of their own in the same context
event E {context=$context} = (ins(item) ; ins(item/price) ; not ins(item/quantity)){end=custom}
    unrestricted | i1 p1 q1 p1.2 flush | 4: i1+p1.2
    recent       | i1 p1 q1 p1.2 flush | 4: i1+p1.2
    # what is in a candidate is used up, whatever becomes of it
    chronicle    | i1 p1 q1 p1.2 flush |
    continuous   | i1 p1 q1 p1.2 flush |
    cumulative   | i1 p1 q1 p1.2 flush |
    next         | i1 p1 q1 p1.2 flush |
    unrestricted | i1 p1 p1.2 flush    | 3: i1+p1 i1+p1.2
    recent       | i1 p1 p1.2 flush    | 3: i1+p1.2
    chronicle    | i1 p1 p1.2 flush    | 3: i1+p1
# non-local: by the first event elsewhere
event E = (ins(item/price) ; not ins(item/quantity)){end=non-local}
    p1 c1 i2 i2!                       | 3: p1
    p1 c1 q1 i2                        |
    p1 flush i2                        | 1: p1
    p1 i2 q1 i2!                       | 2: p1
# several, none of which may happen; one before and one after
event E = (ins(item/price) ; not ins(item/quantity) ; not ins(item/comment)){end=custom}
    p1 flush                           | 1: p1
    p1 q1 flush                        |
    p1 c1 flush                        |
event E = (not ins(item/comment) ; ins(item/price) ; not ins(item/quantity)){end=custom}
    p1 c1 flush                        | 2: p1
    c1 p1 flush                        |
event E = (ins(item) ; not ins(item/comment) ; ins(item/price) ; not ins(item/quantity)){end=custom}
    i1 p1 c1 flush                     | 3: i1+p1
    i1 c1 p1 flush                     |
# enough of it (A1)
event E = (ins(item/price) ; not x[2,*] ins(item/quantity)){end=custom}
    p1 q1 flush                        | 2: p1
    p1 q1 q1.2 flush                   |
    q1 p1 q1.2 flush                   | 3: p1
event E = (ins(item/price) ; not x[2,2] ins(item/quantity)){end=custom}
    q1 p1 q1.2 q1.3 flush              |
# what is counted for several groups by values at a place (V4) goes on when one of them ends
event E {end=custom} = ins(item/price) as $v = ($ts) ; not x[2,2] ins(item/comment) ; not del(item) as $v = ($ts)
    p1 c1 p1.2 c1.2 flush              | 4: p1.2{v=3}
    p1 c1 p1.2 c1.2 c1.3 flush         |
# its own node's deletion, or another's (A4)
event E = (ins(item) ; not ins(item/price)){end=custom}
    i1 i1- flush                       | 2: i1
event E = (ins(item) ; not del(item)){end=custom}
    i1 i1- flush                       |
    i1 i2- flush                       | 2: i1
# counted in transactions: what the flush itself makes a candidate is over with it (W5)
event E {within="1 transaction"} = (ins(item/price) & ins(item/quantity)){end=custom} ; not ins(item/comment)
    [ p1 q1 ]                          | 2: (p1+q1)
    [ c1 p1 q1 ] [ c1.2 ]              | 3: (p1+q1)
    [ p1 q1 c1 ]                       |
    [ p1 ] [ q1 ]                      |
event A = (ins(item/price) & ins(item/quantity)){end=custom}
event E = ins(item/comment) & (A(item) ; not ins(item)){within="1 transaction"}
    c1 [ p1 q1 ]                       | 3: A:p1+q1 sequence1:(p1+q1) E:c1+((p1+q1))
    [ c1 p1 q1 ] [ i1 ]                | 3: A:p1+q1 sequence1:(p1+q1) E:c1+((p1+q1))
# by detection, or by intervals: b behind the whole of it
event E {flat} = ((ins(item/price) & ins(item/quantity)) ; not ins(item/comment)){end=custom}
    p1 c1 q1 flush                     | 3: (p1+q1)
    p1 q1 c1 flush                     |
event E {flat} = (ins(item/price) ; not (ins(item/quantity) & ins(item/comment))){end=custom}
    q1 p1 c1 flush                     | 3: p1
event E {flat, order=detection} = (ins(item/price) ; not (ins(item/quantity) & ins(item/comment))){end=custom}
    q1 p1 c1 flush                     |
# what comes too late ends nothing, and what is there already does (A3)
event E = (x[1,*]{end=custom} ins(item/price) ; not ins(item/quantity)){end=custom}
    p1 q1 flush flush                  |
    q1 p1 flush                        | 2: (p1)
# the values are those of the group (V4)
event E {flat} = (ins(item/@partNum) as $n ; not del(item/@partNum) as $n){end=custom}
    a1=7 a2=8 a1- flush                | 3: a2=8{n=8}
# `when` is asked at the release, and again at a later one (D4); `if` once
event E = (ins(item) ; not ins(item/price)){end=custom, when="comment"}
    i1 flush c1 flush                  | 2: i1
    i1 c1 flush                        | 2: i1
    i1 flush c1 p1 flush               |
event E = (ins(item) ; not ins(item/price)){end=custom, if="comment"}
    i1 c1 flush                        | 2: i1
    i1 flush c1 flush                  |
# `having` in every context
event E {context=$context} = (ins(item/@partNum) as $n ; not ins(item/price)){end=custom, having="$n = 5"}
    unrestricted, recent, chronicle, continuous, next, cumulative | a1=5 flush | 1: a1=5{n=[5]}
    unrestricted, recent, chronicle, continuous, next, cumulative | a1=4 flush |
# of what is raised: in cumulative context more may have joined (A3)
event E {context=$context, end=custom, having="count($p) = 1"} = ins(item/price) as $p = ('x') ; not ins(item/comment)
    unrestricted, chronicle, continuous, next | p1 p1.2 flush | 2: p1{p=[x]} p1.2{p=[x]}
    recent                                    | p1 p1.2 flush | 2: p1.2{p=[x]}
    cumulative                                | p1 p1.2 flush p1.3 flush | 3: p1.3{p=[x]}
event E {context=cumulative, end=custom, having="sum($p) > 10"} =
ins(item/price/text()) as $p ; ins(item/quantity) ; not ins(item/comment)
    t1=6 q1 t1.2=5 q1.2 flush         | 4: t1=6+t1.2=5+q1+q1.2{p=[6,5]}
    t1=6 q1 flush t1.2=5 q1.2 flush   |
event E {context=cumulative, within="3 changes", having="count($p) = 1"} =
ins(item/price) as $p = ('x') ; not ins(item/comment)
    p1 q1 q1.2 q1.3 p1.2 p1.3 q1.4 q1.5 | 4: p1{p=[x]}
"""

MULTIPLICITIES = """
event E {context=$context} = (x[1,*]{name=M} ins(item/price) ; not ins(item/quantity)){end=custom}
    # consumed when the candidate comes to be, so counting starts over (M3)
    chronicle    | p1 p1.2 flush       | 1: M:p1; 2: M:p1.2 E:(p1) E:(p1.2)
    continuous   | p1 p1.2 flush       | 1: M:p1; 2: M:p1.2 E:(p1) E:(p1.2)
    cumulative   | p1 p1.2 flush       | 1: M:p1; 2: M:p1.2 E:(p1)+(p1.2)
    # not consumed: withdrawn by the next, so the candidate is given up, and there is another
    unrestricted | p1 p1.2 flush       | 1: M:p1; 2: M:p1+p1.2 E:(p1+p1.2)
    recent       | p1 p1.2 flush       | 1: M:p1; 2: M:p1+p1.2 E:(p1+p1.2)
    next         | p1 p1.2 flush       | 1: M:p1; 2: M:p1.2 E:(p1) E:(p1.2)
    # behind what ends it counting starts over, too (Q4)
    unrestricted | p1 q1 p1.2 flush    | 1: M:p1; 3: M:p1.2 E:(p1.2)
    # where nothing has been before it, too
event E {context=$context} = (ins(item) ; x[1,3]{name=M} ins(item/price) ; not ins(item/quantity)){end=custom}
    chronicle, continuous, cumulative, unrestricted | p1 q1 i1 p1.2 flush | 1: M:p1; 4: M:p1.2 E:i1+(p1.2)
# of nothing at all
event E = (x[0,1]{name=C} ins(item/comment) ; not ins(item/price)){end=custom}
    i1 flush                           | 1: C:0
    i1 p1 flush                        | 1: C:0
event E {context=cumulative} = (x[0,1]{name=C} ins(item/comment) ; not ins(item/price)){end=custom}
    # of what is left out nothing starts over (Q4)
    i1 p1 c1 flush                     | 1: C:0; 3: C:c1 E:(c1)
"""

WINDOWS = """
event E {context=$context} = (ins(item/price) ; not ins(item/quantity)){within="5 s"}
    # at the first record that is later than what is due; an event exactly then is in time
    unrestricted, recent, chronicle, continuous, cumulative, next | @0 p1 @5 i2 @6 i3       | 3: p1
    unrestricted, recent, chronicle, continuous, cumulative, next | @0 p1 @5 q1 @6 i3       |
    unrestricted, recent, chronicle, continuous, cumulative, next | @0 p1 @6 q1 @7 i3       | 2: p1
    unrestricted, recent, chronicle, continuous, cumulative, next | @0 p1 @4 q1 @9 p1.2 @15 i2 | 4: p1.2
    # or when it is said that the time has passed (W6); neither a flush nor the end of the log says so
    unrestricted, recent, chronicle, continuous, cumulative, next | @0 p1 >5                | 1: p1
    unrestricted, recent, chronicle, continuous, cumulative, next | @0 p1 >4.9 flush close  |
    unrestricted, chronicle, continuous, next | @0 p1 @3 p1.2 @6 i2 @9 i3 | 3: p1; 4: p1.2
    recent                                    | @0 p1 @3 p1.2 @6 i2 @9 i3 | 4: p1.2
    cumulative                                | @0 p1 @3 p1.2 @6 i2 @9 i3 | 3: p1+p1.2
    cumulative                                | @0 p1 @3 p1.2 @4 q1 @9 i3 |
# counted from the first event in it; the window holds for the operands before, too
event E = (ins(item) ; ins(item/price) ; not ins(item/quantity)){within="5 s"}
    @0 i1 @3 p1 @6 i2                  | 3: i1+p1
    @0 i1 @6 p1 @20 i2                 |
# its node may be gone by then (A4)
event E = (ins(item) ; not ins(item/price)){within="5 s"}
    @0 i1 @1 i1- @9 i2                 | 3: i1
# all that is due at one time is one round, in order of the nodes; each time is a round
event E = (ins(item) ; not ins(item/price)){within="5 s"}
    @0 i2 i1 @1 i3 @9 i4               | 4: i1 i2 i3
# `when` is asked when it is due; false, it waits, and nothing ends it any more (A3). `if` is asked once
event E = (ins(item) ; not ins(item/price)){within="5 s", when="comment"}
    @0 i1 c1 @6 o1!                    | 3: i1
    @0 i1 @6 o1! @7 c1                 | 3: i1
    @0 i1 @6 o1! @7 p1 @8 c1           | 4: i1
    @0 i1 @6 c1                        | 2: i1
    @0 i1 @1 i1- @9 i2                 |
event E = (ins(item) ; not ins(item/price)){within="5 s", if="comment"}
    @0 i1 c1 @6 o1!                    | 3: i1
    @0 i1 @6 o1! @7 c1                 |
# in changes: before the first record whose ts is more than so many behind
event E = (ins(item/price) ; not ins(item/quantity)){within="3 changes"}
    p1 i2 i2! i3                       | 4: p1
    p1 i2 q1 i3                        |
    p1 i2 i2! q1                       | 4: p1
    p1 i2 i2! >9 flush                 |
# in transactions: at the flush that ends the last of them, else before the first record of a later one
event E = (ins(item/price) ; not ins(item/quantity)){within="1 transaction"}
    [p1 c1] [q1]                       | 2: p1
    [p1 q1]                            |
    p1 q1                              | 2: p1
    (p1 q1) i2                         |
    (p1 c1) i2                         | 3: p1
    p1 flush                           | 1: p1
event E = (ins(item/price) ; not ins(item/quantity)){within="2 transactions"}
    [p1] [c1]                          | 2: p1
    [p1] [q1]                          |
    [p1] c1 q1                         | 3: p1
# other trees take what a timer raises, at its time; what waits for a flush goes on waiting
event E = (ins(item) ; not ins(item/price)){within="5 s"}
event F = E(item) & ins(item/comment)
event G = (E(item) & ins(item/comment)){end=custom}
    @0 i1 c1 @6 i2                     | 3: E:i1 F:(i1)+c1
    @0 i1 c1 @6 i2 flush               | 3: E:i1 F:(i1)+c1 G:(i1)+c1
    @0 i1 @6 c1                        | 2: E:i1 F:(i1)+c1
# its interval is that of what is in it, in the past
event E = (ins(item) ; not ins(item/price)){within="5 s"}
event F = E(item) ; ins(item/comment)
    @0 i1 @1 c1 @6 i2                  | 3: E:i1 F:(i1)+c1
# due in the past: at once, with the time point that comes (W5); only what happened in time is in its way
event E = (plus[ins(item), "1 s"] ; not ins(item/price)){within="2 changes"}
    @0 i1 c1 @2 p1                     | 3: plus1:i1 E:(i1)
    @0 i1 p1 c1 @2 c1.2                | 4: plus1:i1
event E = (plus[ins(item), "9 s"] ; not ins(item/price)){within="5 s"}
    @0 i1 @20 i2                       | 2: plus1:i1 E:(i1)
    @0 i1 @7 p1 @20 i2                 | 3: plus1:i1 E:(i1)
    @0 i1 @4 p1 @20 i2                 | 3: plus1:i1
# of nothing at all it is due so long after it was detected, which a timer does when it is due (A3, W7)
event E {within="5 s"} = x[0,1]{name=C} ins(item/price) ; not ins(item/comment)
    @0 i1 @5 o1! @6 o1!.2              | 1: C:0
event E {within="5 s"} = plus[x[0,1]{name=C} ins(item/price), "2 s"]{name=P} ; not ins(item/comment)
    @0 i1 @7 o1! @8 o1!.2              | 1: C:0
    @0 i1 @10 o1!                      | 1: C:0
    @0 i1 @10 c1                       | 1: C:0
"""


@pytest.mark.parametrize("case", cases(RELEASED) + cases(MULTIPLICITIES) + cases(WINDOWS), ids=title)
def test_trailing_absence(case: Case) -> None:
    check(*case)


@pytest.mark.parametrize("options", ["", "{end=earliest}", '{within="5 s", end=custom}'])
def test_it_needs_one_end(options: str) -> None:
    with pytest.raises(RuleError, match=r"\(A3\)"):
        parse_rules(f"event E = (ins(item/a) ; not ins(item/b)){options}")
