"""What lies exactly at the edge of a constraint, row by row: each shows one comparison that nothing else decides."""

# ruff: noqa: E501 (a row of a table is one line)

from __future__ import annotations

import pytest

from tests.spec.tables import Case, cases, check, title

TABLE = """
# A1: what is in the way lies behind its neighbour, and is not that itself
event E {context=unrestricted} = ins(item/price) ; not *(item/price) ; ins(item/quantity)
    p1 p1.2 q1                         | 3: p1.2+q1
# A2, W3: a composite counts by its start
event E {within="3 changes"} = not (ins(item/comment) & ins(item)) ; ins(item/price)
    c1 i1 i2 p1                        | 4: p1
    c1 i1 p1                           |
# A2: the end of the combination is its latest event, whichever member that is in
event E {order=detection, within="3 changes"} =
not ins(item/comment) ; ins(item/price) ; (ins(item/quantity)){end=custom}
    c1 q1 i2 p1 i3 flush               | 5: p1+(q1)
    i2 c1 q1 p1 i3 flush               |
# A1: before what is empty everything behind the other neighbour is in the way
event E {end=custom} = ins(item/price) ; not ins(item/comment) ; x[0,1] ins(item/quantity)
    i1 p1 flush                        | 2: p1
    i1 p1 c1 flush                     |
# A1: at u counting starts over, though having was false
event E = ins(item/price) ; not x[1,2]{having="sum($n) = 9"} ins(item/comment) as $n = ($ts) ; ins(item/quantity)
    p1 c1 c1.2 c1.3 q1                 | 5: p1+q1
    p1 i2 i3 c1 c1.2 q1                |
# A3: candidates that have joined end by what lies behind the latest of them
event E {context=cumulative, within="7 changes"} = ins(item/price) ; not (ins(item/comment)){end=custom}
    p1 c1 p1.2 flush i2 i3 i4 i5 i6    | 8: p1+p1.2
    p1 p1.2 c1 flush i2 i3 i4 i5 i6    |
# A3: also if the one that joins ends earlier
event E {context=cumulative, within="6 changes"} =
((ins(item/price)){end=custom} | ins(item/quantity)) ; not (ins(item/quantity) & ins(item/comment))
    p1 q1 flush c1 i2 i3 i4 i5 i6      | 8: ((p1))+(q1)
# A3: of several that must not happen the one that starts last
event E {end=custom} = ins(item/quantity) ; not (ins(item/price) & ins(item/comment)){context=unrestricted}
    p1 q1 p1.2 c1 flush                |
    p1 q1 c1 flush                     | 3: q1
# A3: the latest end in a candidate, of which the last member may be empty
event E {end=custom} = ins(item/price) ; x[0,1] ins(item/quantity) ; not (ins(item/comment)){end=custom}
    i1 c1 p1 flush                     | 3: p1
    i1 p1 c1 flush                     |
# S3: from the end of one to the start of the next; what is empty is passed over (W3)
event E {strict} = (ins(item/price) & ins(item/comment)) ; ins(item/quantity)
    p1 c1 p1.2 c1.2 q1                 | 5: (p1.2+c1.2)+q1
event E {strict} = ins(item/price) ; (ins(item/comment) & ins(item/quantity))
    p1 c1 q1                           | 3: p1+(c1+q1)
    p1 a1=5 c1 q1                      |
event E {strict} = ins(item/price) ; x[0,1] ins(item/comment) ; ins(item/quantity)
    i1 p1 a1=5 q1                      |
    i1 p1 i2 q1                        | 4: p1+q1
# W4: exactly as far apart as they may be; what is empty is passed over (W3)
event E {gap="3 changes"} = ins(item/price) ; ins(item/quantity)
    p1 i2 q1                           | 3: p1+q1
    p1 i2 i3 q1                        |
event E {gap="1 s"} = ins(item/price) ; (ins(item/comment) & ins(item/quantity))
    @0 p1 @1 c1 @3 q1                  | 3: p1+(c1+q1)
    @0 p1 @1.001 c1 @3 q1              |
event E {gap="2 changes"} = ins(item/price) ; x[0,1] ins(item/comment) ; ins(item/quantity)
    i1 p1 q1                           | 3: p1+q1
    i1 p1 i2 q1                        |
event E {gap="2 changes"} = (ins(item/price) & ins(item/comment)) ; ins(item/quantity)
    p1 i2 c1 q1                        | 4: (p1+c1)+q1
    p1 c1 i2 q1                        |
# Q4: what comes late makes nothing too old
event E {within="3 changes"} =
ins(item/price) & x[1,2]{within="10 changes", name=M, path=item}
(x[1,1]{end=custom} ins(item/quantity) | x[1,1]{end=custom} ins(item/comment))
    c1 i2 i3 p1 q1 flush               | 5: multiplicity1:q1 multiplicity2:c1 disjunction1:(q1) disjunction1:(c1) M:((q1))+((c1))
event E {within="3 changes"} =
ins(item/price) & x[1,2]{within="3 changes", name=M, path=item}
(x[1,1]{end=custom} ins(item/quantity) | x[1,1]{end=custom} ins(item/comment))
    c1 i2 i3 p1 q1 flush               | 5: multiplicity1:q1 multiplicity2:c1 disjunction1:(q1) disjunction1:(c1) M:((q1)) E:p1+(((q1)))
# Q4: too old is what is further back than the window
event E {within="4 changes"} = x[1,*]{within="10 changes"} ins(item/price) ; ins(item/quantity)
    p1 i2 i3 p1.2 q1                   |
    p1 i2 i3 i4 p1.2 q1                | 6: (p1.2)+q1
"""


@pytest.mark.parametrize("case", cases(TABLE), ids=title)
def test_edges(case: Case) -> None:
    check(*case)
