"""What is taken along: all in between (A6), what stands aside in any order (A7), and filters that compare it (A8)."""

from __future__ import annotations

import pytest

from tests.spec.tables import Case, cases, check, title
from xmlcep import RuleError, parse_rules

IN_BETWEEN = """
# in every context what lies between the neighbours, and nothing else
event E {context=$context} = ins(item/price) ; all[1,*] ins(item/comment) ; ins(item/quantity)
    unrestricted, recent, chronicle, continuous, cumulative, next | c1 p1 c1.2 c1.3 q1 c1.4 | 5: p1+c1.2+c1.3+q1
    unrestricted, recent, chronicle, continuous, cumulative, next | p1 q1 c1                |
    # chosen as if it were not there, of the combinations in which there is enough of it
    unrestricted | p1 c1 p1.2 c1.2 q1      | 5: p1+c1+c1.2+q1 p1.2+c1.2+q1
    recent       | p1 c1 p1.2 c1.2 q1      | 5: p1.2+c1.2+q1
    chronicle    | p1 c1 p1.2 c1.2 q1      | 5: p1+c1+c1.2+q1
    continuous   | p1 c1 p1.2 c1.2 q1      | 5: p1.2+c1.2+q1 p1+c1+c1.2+q1
    cumulative   | p1 c1 p1.2 c1.2 q1      | 5: p1+p1.2+c1+c1.2+q1
    next         | p1 c1 p1.2 c1.2 q1      | 5: p1+c1+c1.2+q1 p1.2+c1.2+q1
    unrestricted | p1 c1 p1.2 q1           | 4: p1+c1+q1
    recent       | p1 c1 p1.2 q1           |
    chronicle    | p1 c1 p1.2 q1           | 4: p1+c1+q1
    continuous   | p1 c1 p1.2 q1           | 4: p1+c1+q1
    cumulative   | p1 c1 p1.2 q1           | 4: p1+c1+q1
    next         | p1 c1 p1.2 q1 c1.2 q1.2 | 4: p1+c1+q1; 6: p1.2+c1.2+q1.2
    # used up where what is chosen is
    unrestricted | p1 c1 q1 c1.2 q1.2      | 3: p1+c1+q1; 5: p1+c1+c1.2+q1.2
    recent       | p1 c1 q1 c1.2 q1.2      | 3: p1+c1+q1; 5: p1+c1.2+q1.2
    recent       | p1 c1 q1 q1.2           | 3: p1+c1+q1
    chronicle    | p1 p1.2 c1 q1 q1.2      | 4: p1+c1+q1
    continuous   | p1 p1.2 c1 q1 q1.2      | 4: p1.2+c1+q1 p1+c1+q1
    chronicle    | p1 p1.2 c1 q1 c1.2 q1.2 | 4: p1+c1+q1; 6: p1.2+c1.2+q1.2
    next         | p1 p1.2 c1 q1 q1.2      | 4: p1+c1+q1 p1.2+c1+q1
# bounds
event E = ins(item/price) ; all[1,2] ins(item/comment) ; ins(item/quantity)
    p1 q1                                  |
    p1 c1 q1                               | 3: p1+c1+q1
    p1 c1 c1.2 q1                          | 4: p1+c1+c1.2+q1
    p1 c1 c1.2 c1.3 q1                     |
    p1 c1 p1.2 c1.2 c1.3 q1                | 6: p1.2+c1.2+c1.3+q1
event E = ins(item/price) ; all[0,1] ins(item/comment) ; ins(item/quantity)
    p1 q1                                  | 2: p1+q1
    p1 c1 c1.2 q1                          |
event E = ins(item/price) ; all[0,0] ins(item/comment) ; ins(item/quantity)
    p1 q1                                  | 2: p1+q1
    p1 c1 q1                               |
# several, each by itself, beside what must not be there
event E = ins(item/price) ; all[1,*] ins(item/comment) ; not ins(item/@partNum) ; all[0,*] upd(item/price/text()) ;
ins(item/quantity)
    t1=1 p1 c1 t1=2 c1.2 t1=3 q1           | 7: p1+c1+c1.2+t1=2+t1=3+q1
    t1=1 p1 c1 a1=1 q1                     |
    t1=1 p1 t1=2 q1                        |
event E = ins(item/price) ; all[1,*] ins(item/comment) ; ins(item/quantity) ; all[1,*] ins(item/comment) ;
del(item/price)
    p1 c1 q1 c1.2 p1-                      | 5: p1+c1+q1+c1.2+p1-
    p1 c1 q1 p1-                           |
# before the others: since the group began, or within the window
event E {context=$context} = all[1,*] ins(item/comment) ; ins(item/price)
    unrestricted                           | c1 p1 c1.2 p1.2 | 2: c1+p1; 4: c1+c1.2+p1.2
    recent                                 | c1 p1 c1.2 p1.2 | 2: c1+p1; 4: c1+c1.2+p1.2
    chronicle, continuous, cumulative, next | c1 p1 c1.2 p1.2 | 2: c1+p1; 4: c1.2+p1.2
event E {within="3 changes"} = all[1,*] ins(item/comment) ; ins(item/price)
    c1 c1.2 i2 p1                          | 4: c1.2+p1
    c1 i2 i3 p1                            |
    c1 i2 i3 p1 p1.2                       |
event E {within="4 changes"} = all[2,*] ins(item/comment) ; ins(item/price) ; ins(item/quantity)
    c1 c1.2 p1 q1                          | 4: c1+c1.2+p1+q1
    c1 c1.2 p1 i2 q1                       |
# the place, and the values, as of any other operand
event E = ins(item/price) ; all[1,*] ins(item/comment) ; ins(item/quantity)
    p1 c2 q1                               |
    p1 p2 c1 c2 q2 q1                      | 5: p2+c2+q2; 6: p1+c1+q1
event E(order) = ins(item/price) as $n = (../@partNum) ; all[1,*] ins(item/comment) as $n = (../@partNum) ;
ins(item/quantity) as $n = (../@partNum)
    o1 i1 a1=7 i2 a2=8 p1 c2 c1 q1         | 9: p1+c1+q1{n=7}
    o1 i1 a1=7 i2 a2=8 p1 c2 q1            |
event E(order) = ins(item/price) ; all[1,*] ins(item/comment) as $n = (../@partNum) ; ins(item/quantity)
    o1 i1 a1=7 i2 a2=8 p1 c2 c1 q1         | 9: p1+c2+c1+q1{n=[8,7]}
# its values are lists, which having and let see
event E {having="count($$c) > 1"} = ins(item/price) ; all[0,*] ins(item/comment) as $c = ($$meta:user) ;
ins(item/quantity)
    p1 c1~ann q1                           |
    p1 c1~ann c1.2~bob q1                  | 4: p1+c1+c1.2+q1{c=[ann,bob]}
event E {let who="count($$c)"} = ins(item/price) ; all[0,*] ins(item/comment) as $c = ($$meta:user) ; ins(item/quantity)
    p1 c1~ann c1.2~bob q1                  | 4: p1+c1+c1.2+q1{c=[ann,bob],who=2}
# from each that lies in between to the next
event E {gap="2 changes"} = ins(item/price) ; all[1,*] ins(item/comment) ; ins(item/quantity)
    p1 c1 c1.2 q1                          | 4: p1+c1+c1.2+q1
    p1 c1 i2 q1                            |
    p1 i2 c1 q1                            |
event E {strict} = ins(item/price) ; all[1,*] ins(item/comment) ; ins(item/quantity)
    p1 c1 c1.2 q1                          | 4: p1+c1+c1.2+q1
    p1 c1 a1=7 c1.2 q1                     |
    p1 c1 c2 c1.2 q1                       | 5: p1+c1+c1.2+q1
event E {strict} = all[1,*] ins(item/comment) ; ins(item/price) ; ins(item/quantity)
    c1 a1=7 c1.2 p1 q1                     | 5: c1+c1.2+p1+q1
# what has several itself, and takes it back
event E = ins(item/price) ; all[1,*] x[2,*] ins(item/comment) ; ins(item/quantity)
    p1 c1 c1.2 c1.3 q1                     | 5: p1+(c1+c1.2+c1.3)+q1
    p1 c1 q1                               |
    p1 c1 c1.2 q1 p1.2 c1.3 q1.2           | 4: p1+(c1+c1.2)+q1
    p1 c1 c1.2 q1 p1.2 c1.3 c1.4 q1.2      | 4: p1+(c1+c1.2)+q1; 8: p1.2+(c1.3+c1.4)+q1.2
# what comes late completes it
event E = ins(item/price) ; all[1,*] (ins(item/comment) ; ins(item/@partNum)){end=custom} ; ins(item/quantity)
    p1 c1 a1=7 q1 flush                    | 4: p1+(c1+a1=7)+q1
    p1 c1 q1 a1=7 flush                    |
# where the neighbour is left out, or empty, the next one that is not
event E = ins(item/price) ; all[1,*] ins(item/comment) ; x[0,1] ins(item/@partNum) ; ins(item/quantity)
    p1 c1 q1                               | 3: p1+c1+q1
    p1 c1 a1=7 q1                          | 4: p1+c1+(a1=7)+q1
    p1 a1=7 c1 q1                          | 4: p1+c1+q1
# at a release, in order of detection, and where all is one group
event E = (ins(item/price) ; all[1,*] ins(item/comment) ; ins(item/quantity)){end=custom}
    p1 c1 q1 flush                         | 3: p1+c1+q1
    [p1 c1] [q1 p1.2] [q1.2]               | 4: p1+c1+q1
event E {order=detection} = ins(item/price) ; all[1,*] ins(item/comment) ; ins(item/quantity)
    p1 c1 c1.2 q1                          | 4: p1+c1+c1.2+q1
event E {flat} = ins(item/price) ; all[1,*] ins(item/comment) ; ins(item/quantity)
    p1 c2 c3 q1                            | 4: p1+c2+c3+q1
# one event in several operands: used up in one, it is in all
event E = ins(item//*) ; all[1,*] ins(item/comment) ; ins(item//*)
    p1 c1 q1                               | 3: p1+c1+q1
    p1 c1 c1.2 q1                          | 3: p1+c1+c1.2
    p1 c1 c1.2 c1.3 q1                     | 3: p1+c1+c1.2
event E = ins(item//*) ; all[1,*] ins(item/comment) ; ins(item/quantity)
    p1 c1 c1.2 q1 q1.2                     | 4: p1+c1+c1.2+q1
# beside a condition, which is asked when it would be raised
event E = (ins(item/price) ; all[1,*] ins(item/comment) ; ins(item/quantity)){when="@partNum"}
    i1 p1 c1 q1 a1=7                       | 5: p1+c1+q1
"""

BEHIND = """
event E {context=$context, end=custom} = ins(item/price) ; all[1,*] ins(item/comment)
    unrestricted, recent, chronicle, continuous, cumulative, next | [c1 p1 c1.2] | 3: p1+c1.2
    unrestricted, recent, chronicle, continuous, cumulative, next | [p1] [c1]    |
    unrestricted | [p1 c1 p1.2 c1.2]       | 4: p1+c1+c1.2 p1.2+c1.2
    recent       | [p1 c1 p1.2 c1.2]       | 4: p1.2+c1.2
    chronicle    | [p1 c1 p1.2 c1.2]       | 4: p1+c1+c1.2
    continuous   | [p1 c1 p1.2 c1.2]       | 4: p1+c1+c1.2 p1.2+c1.2
    cumulative   | [p1 c1 p1.2 c1.2]       | 4: p1+p1.2+c1.2
    next         | [p1 c1 p1.2 c1.2]       | 4: p1+c1+c1.2 p1.2+c1.2
event E {end=custom} = ins(item/price) ; all[0,1] ins(item/comment)
    [p1 c1] [c1.2] [p1.2]                  | 2: p1+c1; 4: p1.2
    [p1 c1 c1.2]                           |
event E {end=non-local} = ins(item/price) ; all[1,*] ins(item/comment)
    p1 c1 i2                               | 3: p1+c1
    p1 i2 c1                               |
# until the window is over, counted from the first
event E {within="5 s"} = ins(item/price) ; all[1,*] ins(item/comment)
    @0 p1 @3 c1 @5 c1.2 @6 c1.3            | 4: p1+c1+c1.2
    @0 p1 @6 c1 >9                         |
event E {context=$context, within="5 s"} = ins(item/price) ; all[1,*] ins(item/comment)
    chronicle    | @0 p1 @1 p1.2 @2 c1 @9 i2 | 4: p1+c1
    unrestricted | @0 p1 @1 p1.2 @2 c1 @9 i2 | 4: p1+c1 p1.2+c1
    continuous   | @0 p1 @1 p1.2 @2 c1 @9 i2 | 4: p1+c1
    next         | @0 p1 @0 p1.2 @2 c1 @9 i2 | 4: p1+c1 p1.2+c1
event E {within="3 changes"} = ins(item/price) ; all[1,1] ins(item/comment)
    p1 c1 i2 i3                            | 4: p1+c1
    p1 c1 c1.2 i3                          |
event E {within="2 transactions"} = ins(item/price) ; all[1,*] ins(item/comment)
    [p1] [c1] [c1.2]                       | 2: p1+c1
# several at the end, and in between
event E {end=custom} = ins(item/price) ; not ins(item/@partNum) ; all[1,*] ins(item/comment)
    [p1 c1]                                | 2: p1+c1
    [p1 c1 a1=7]                           |
event E {end=custom} = ins(item) ; all[1,*] ins(item/comment) ; ins(item/price) ; all[1,*] ins(item/comment)
    [i1 c1 p1 c1.2]                        | 4: i1+c1+p1+c1.2
    [i1 c1 p1]                             |
# having is asked when it is raised
event E {end=custom, having="count($$c) = 2"} = ins(item/price) ; all[0,*] ins(item/comment) as $c = ($$meta:user)
    [p1 c1~ann c1.2~bob]                   | 3: p1+c1+c1.2{c=[ann,bob]}
    [p1 c1~ann]                            |
# while a condition is false more may come
event E {end=custom, when="@partNum"} = ins(item/price) ; all[1,*] ins(item/comment)
    i1 [p1 c1] [c1.2 a1=7]                 | 5: p1+c1+c1.2
# a node that is gone
event E {end=custom} = ins(item/price) ; all[1,*] ins(item/comment)
    [i1 p1 c1 i1-]                         | 4: p1+c1
"""

IN_ANY_ORDER = """
# in the same transaction, before or after
event E {context=$context, end=custom} = upd(item/price/text()) & not ins(item/comment)
    unrestricted, recent, chronicle, continuous, cumulative, next | t1=3 [t1=4]                | 2: t1=4
    unrestricted, recent, chronicle, continuous, cumulative, next | t1=3 [t1=4 c1]             |
    unrestricted, recent, chronicle, continuous, cumulative, next | t1=3 [c1 t1=4]             |
    unrestricted, recent, chronicle, continuous, cumulative, next | t1=3 [c1] [t1=4] [c1.2]    | 3: t1=4
    unrestricted, recent, chronicle, continuous, cumulative, next | t1=3 [t1=4 c2]             | 3: t1=4
event E {end=custom} = upd(item/price/text()) & not (ins(item/comment) | ins(item/@partNum))
    t1=3 [a1=7 t1=4]                       |
    t1=3 [a1=7] [t1=4]                     | 3: t1=4
# what is chosen and consumed is taken along no more
event E {context=$context, end=custom} = *(item/price) & all[1,2] *(item/price)
    chronicle, cumulative, next | p1 p1- flush |
    recent                      | p1 p1- flush | 2: p1-+p1
    unrestricted, continuous    | p1 p1- flush | 2: p1+p1- p1-+p1
event E {end=custom} = upd(item/price/text()) & not x[2,*] ins(item/comment)
    t1=3 [c1 t1=4]                         | 3: t1=4
    t1=3 [c1 t1=4 c1.2]                    |
    t1=3 [c1] [t1=4 c1.2]                  | 4: t1=4
event E {end=custom} = ins(item/price) & not ins(item/comment) & ins(item/quantity)
    [q1 p1]                                | 2: p1+q1
    [q1 c1 p1]                             |
    [q1] [p1]                              | 2: p1+q1
    [q1 c1] [p1]                           | 3: p1+q1
# all of it, each used once
event E {context=$context, end=custom} = ins(item/price) & all[1,*] ins(item/comment)
    unrestricted, recent, chronicle, continuous, cumulative, next | [c1 p1 c1.2] [c1.3] | 3: p1+c1+c1.2
    unrestricted, recent, chronicle, continuous, cumulative, next | [c1] [p1]           |
    unrestricted | [p1 c1 p1.2]            | 3: p1+c1 p1.2+c1
    recent       | [p1 c1 p1.2]            | 3: p1.2+c1
    chronicle    | [p1 c1 p1.2]            | 3: p1+c1
    continuous   | [p1 c1 p1.2]            | 3: p1+c1 p1.2+c1
    cumulative   | [p1 c1 p1.2]            | 3: p1+p1.2+c1
    next         | [p1 c1 p1.2]            | 3: p1+c1 p1.2+c1
event E {end=custom} = ins(item/price) & all[1,1] ins(item/comment)
    [c1 p1]                                | 2: p1+c1
    [c1 p1 c1.2]                           |
    [c1 c1.2 p1] [p1.2 c1.3]               | 5: p1.2+c1.3
# with a window: on either side
event E {within="5 s"} = ins(item/price) & not ins(item/comment)
    @0 p1 @9 i2                            | 2: p1
    @0 c1 @5 p1 @20 i2                     |
    @0 c1 @6 p1 @20 i2                     | 3: p1
    @0 p1 @5 c1 @20 i2                     |
    @0 p1 @6 c1 @20 i2                     | 2: p1
event E {within="5 s"} = ins(item/price) & ins(item/quantity) & not ins(item/comment)
    @0 c1 @4 p1 @6 q1 @20 i2               | 4: p1+q1
    @0 c1 @4 p1 @5 q1 @20 i2               |
    @4 p1 @6 q1 @9 c1 @20 i2               |
    @4 p1 @6 q1 @10 c1 @20 i2              | 3: p1+q1
event E {within="3 changes"} = ins(item/price) & all[1,*] ins(item/comment)
    c1 c1.2 p1 c1.3 c1.4 c1.5 c1.6         | 6: p1+c1+c1.2+c1.3+c1.4
    c1 i2 i3 p1 i4 i5 i6                   |
event E {within="1 transaction"} = upd(item/price/text()) & not ins(item/comment)
    t1=3 [c1] [t1=4] [c1.2]                | 3: t1=4
    t1=3 [c1 t1=4]                         |
    t1=3 [t1=4 c1]                         |
event E {within="2 transactions"} = upd(item/price/text()) & not ins(item/comment)
    t1=3 [c1] [t1=4] [i2] [i3]             |
    t1=3 [c1] [i2] [t1=4] [i3] [i4]        | 5: t1=4
# as long as it waits for a condition, and the transaction in which it came
event E {end=custom, when="@partNum"} = ins(item/price) & not ins(item/comment)
    i1 [p1] [a1=7]                         | 3: p1
    i1 [p1] [c1] [a1=7]                    |
    i1 [c1] [p1] [a1=7]                    | 4: p1
# one operand and nothing else
event E {end=custom} = x[2,*] ins(item/price) & not ins(item/comment)
    [p1 p1.2]                              | 2: (p1+p1.2)
    [p1 c1 p1.2]                           |
"""

COMPARED = """
event E {end=custom} = upd(item/price/text()) as $who = ($$meta:user) ; not ins(item/comment)[$$meta:user != $who]
    t1=3 [t1=4~ann]                        | 2: t1=4{who=[ann]}
    t1=3 [t1=4~ann c1~ann]                 | 3: t1=4{who=[ann]}
    t1=3 [t1=4~ann c1~bob]                 |
    t1=3 [t1=4~ann c1~ann c1.2~bob]        |
    t1=3 [t1=4~ann c1]                     |
event E {within="3 s"} = upd(item/price/text())[number(.) > 1.1 * number($$old)] as $who = ($$meta:user) ;
not ins(item/comment)[$$meta:user != $who]
    @0 t1=10 @1 t1=12~ann @2 c1~ann @9 i2  | 4: t1=12{who=[ann]}
    @0 t1=10 @1 t1=12~ann @2 c1~bob @9 i2  |
    @0 t1=10 @1 t1=11~ann @9 i2            |
# in between, before, and in any order
event E = ins(item/price) as $who = ($$meta:user) ; not ins(item/comment)[$$meta:user = $who] ; ins(item/quantity)
    p1~ann c1~bob q1                       | 3: p1+q1{who=[ann]}
    p1~ann c1~ann q1                       |
    p1~ann c1~ann p1.2~bob c1.2~ann q1     | 5: p1.2+q1{who=[bob]}
event E = not ins(item/comment)[$$meta:user = $who] ; ins(item/price) as $who = ($$meta:user)
    c1~ann p1~ann p1.2~bob                 | 3: p1.2{who=[bob]}
event E {end=custom} = ins(item/price) as $who = ($$meta:user) & not ins(item/comment)[$$meta:user = $who]
    [c1~ann p1~ann]                        |
    [c1~ann p1~bob]                        | 2: p1{who=[bob]}
# and of what is taken along
event E {context=$context} = ins(item/price) as $who = ($$meta:user) ; all[1,*] ins(item/comment)[$$meta:user != $who] ;
ins(item/quantity)
    unrestricted, recent, chronicle, continuous, cumulative, next | p1~ann c1~bob c1.2~ann q1 | 4: p1+c1+q1{who=[ann]}
    unrestricted, recent, chronicle, continuous, cumulative, next | p1~ann c1~ann q1                   |
    chronicle                              | p1~ann p1.2~bob c1~ann q1 | 4: p1.2+c1+q1{who=[bob]}
event E {end=custom} = ins(item/price) as $who = ($$meta:user) ; all[1,*] ins(item/comment)[$$meta:user != $who]
    [p1~ann c1~bob c1.2~ann]               | 3: p1+c1{who=[ann]}
    [p1~ann c1~ann]                        |
event E {end=custom} = upd(item/price/text()) as $most ; not upd(item/quantity/text())[. > $most]
    t1=1 u1=1 [t1=5 u1=4]                  | 4: t1=5{most=[5]}
    t1=1 u1=1 [t1=5 u1=6]                  |
"""


@pytest.mark.parametrize(
    "case",
    [case for table in (IN_BETWEEN, BEHIND, IN_ANY_ORDER, COMPARED) for case in cases(table)],
    ids=title,
)
def test_taken_along(case: Case) -> None:
    check(*case)


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("ins(item/price) & not ins(item/comment)", "nothing says until when"),
        ("(ins(item/price) & not ins(item/comment)){end=non-local}", "in any order"),
        ("ins(item/price) ; all[1,*] ins(item/comment)", "nothing says until when"),
        ("(ins(item/price) & ins(item/comment)[$x = 1]) as $x", "as"),
        ("ins(item/price) as $x ; not ins(item/comment)[$x = @partNum] ; ins(item/quantity)", "A8"),
        ("ins(item/price) as $x ; ins(item/comment)[$x = 1] ; ins(item/quantity)", "its own event only"),
    ],
)
def test_what_is_refused(expression: str, message: str) -> None:
    with pytest.raises(RuleError, match=message):
        parse_rules(f"event E = {expression}")
