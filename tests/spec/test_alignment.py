"""Which node an operator means where names are repeated on a path (P10, H1, T4)."""

from __future__ import annotations

import pytest

from tests.spec.tables import Case, cases, check, title

OF_LEAVES = """
# the leaf's own path type says which of them
event E = ins(item/price) & ins(item/quantity)
    m1 q1 r1                           | 3: m1+r1
    l1 m1 p1 q1 r1                     | 4: p1+q1; 5: m1+r1
# where the operator's is in it more than once, the first
event E = ins(item/item/price) & ins(item/quantity)
    m1 q1                              | 2: m1+q1
    m1 r1                              |
    l1 q1 r1                           | 3: l1+r1
event E(item) = ins(/order/item/item/price) & ins(item/quantity)
    m1 r1 q1                           | 3: m1+q1
# where it is not in it, the nearest
event E(item) = ins(price) & ins(quantity)
    m1 q1 r1                           | 3: m1+r1
event E(item) = ins(price/text()) & ins(quantity)
    m1 p1 q1 r1 t1=5                   | 5: t1=5+q1
event E(order/item) = ins(item/price) & ins(item/quantity)
    m1 q1                              | 2: m1+q1
    l1 m2 r2                           | 3: m2+r2
event E(item/item) = ins(item/price) & ins(quantity)
    l1 r1                              |
    m1 r1                              | 2: m1+r1
    p1 q1                              |
# an absolute one is at the document element only
event E(/order/item) = ins(item/price) & ins(item/quantity)
    l1 m1 q1 r1                        | 3: l1+q1; 4: m1+r1
event E(/item) = ins(item/price) & ins(item/quantity)
    p1 q1 m1 r1                        |
"""

OF_COMPOSITES = """
# an inner operator's, by its path type
event E(item) = (ins(item/item/price) & ins(item/item/quantity)) {path=item/item} ; ins(item/comment)
    m1 r1 s1 c1                        | 4: (m1+r1)+c1
event E(item) = (ins(item/item/price) & ins(item/item/quantity)) {path=item} ; ins(item/comment)
    m1 r1 s1 c1                        | 4: (m1+r1)+c1
event E(item) = (ins(item/price) & ins(item/quantity)) ; ins(item/comment)
    m1 r1 c1 s1                        | 4: (m1+r1)+s1
event E(order/item) = (ins(item/price) & ins(item/quantity)) ; ins(item/comment)
    m1 r1 c1                           | 3: (m1+r1)+c1
event E(item) = x[1,*]{end=custom, path=item} ins(price)
    p1 m1 l1 m1.2 flush                | 4: p1 m1+m1.2 l1
# another tree's, by the leaf's
event P = ins(item/price) & ins(item/quantity)
event E = P(item) ; ins(item/comment)
    m1 r1 c1 s1                        | 2: P:m1+r1; 4: E:(m1+r1)+s1
event P = ins(item/price) & ins(item/quantity)
event E = P(item/item) ; ins(item/comment)
    m1 r1 s1 c1                        | 2: P:m1+r1; 4: E:(m1+r1)+c1
    p1 q1 c1                           | 2: P:p1+q1
event P = ins(item/price) & ins(item/quantity)
event E(order/item) = P(item//) ; ins(item/comment)
    m1 r1 c1                           | 2: P:m1+r1; 3: E:(m1+r1)+c1
# empty ones are of the node that is created (M4)
event E = x[0,1] ins(item/item/price)
    i1 n1 m1                           | 2: 0; 3: m1
"""

OF_WHAT_MUST_NOT_BE = """
event E = (ins(item) ; not ins(item/price)) {end=custom}
    i1 n1 p1 k1 flush                  | 4: n1 k1
    i1 n1 m1 k1 flush                  | 4: i1 k1
event E = ins(item/comment) ; not ins(item/price) ; ins(item/quantity)
    c1 s1 p1 r1 q1                     | 4: s1+r1
    c1 s1 m1 r1 q1                     | 5: c1+q1
# what is counted is where it would be raised (A1)
event E = ins(item/comment) ; not x[2,*]{path=item/item} ins(item/item/price) ; ins(item/quantity)
    c1 m1 m1.2 q1                      |
    c1 s1 m1 m1.2 r1                   | 5: s1+r1
    c1 m1 q1                           | 3: c1+q1
event E = ins(item/comment) ; not x[2,*]{path=item} ins(price) ; ins(item/quantity)
    c1 s1 m1 m1.2 r1 q1                | 6: c1+q1
"""

OF_NODES = """
# conditions are asked at each node by itself (D4), again at what happens at or below it
event E {when="comment"} = ins(item/price) & ins(item/quantity)
    i1 p1 q1 n1 m1 r1 s1               | 7: m1+r1
    i1 p1 q1 n1 m1 r1 s1 c1            | 7: m1+r1; 8: p1+q1
event E {when="count(.//comment) > 1"} = ins(item/price) & ins(item/quantity)
    i1 p1 q1 n1 m1 r1 s1 c1            | 8: p1+q1
    i1 p1 q1 n1 m1 r1 s1 s1.2          | 8: p1+q1 m1+r1
# at its deletion what is left of a node is gone, and only that (G4)
event E = ins(item/price) ; ins(item/quantity)
    i1 p1 n1 m1 m1- n1- q1             | 7: p1+q1
event E {end=non-local} = ins(item/price) & ins(item/quantity)
    i1 n1 m1 r1 p1 q1 n1-              | 5: m1+r1
    i1 n1 m1 r1 m1- r1- n1- i2         | 8: m1+r1
"""


@pytest.mark.parametrize(
    "case",
    [each for table in (OF_LEAVES, OF_COMPOSITES, OF_WHAT_MUST_NOT_BE, OF_NODES) for each in cases(table)],
    ids=title,
)
def test_alignment(case: Case) -> None:
    check(*case)
