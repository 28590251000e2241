"""The event graph: trees reusing trees, flush through them, deletions (G1 to G5, H8, E2)."""

# ruff: noqa: E501 (a row of a table is one line)

from __future__ import annotations

import pytest

from tests.spec.tables import check, rows

PAIR = "event A {context=$context} = (ins(item/price) & ins(item/quantity)){end=$end}"
REUSE_TABLE = """
-- raised composites are events for later trees at the same time point (G2)
earliest  | event B = A(item) ; ins(item/comment)             | p1 q1 c1     | 2: A:p1+q1; 3: B:(p1+q1)+c1
earliest  | event B = A(item) & ins(item/quantity)            | p1 q1        | 2: A:p1+q1 B:(p1+q1)+q1
earliest  | event B(order) = ?(item) ; ins(item/comment)      | p1 q1 c1     | 2: A:p1+q1; 3: B:(p1+q1)+c1
earliest  | event B = A(order/item) ; ins(order/item/comment) | p1 q1 c1     | 2: A:p1+q1; 3: B:(p1+q1)+c1
earliest  | event B = A(/order/item) & ins(/order/billTo)     | p1 q1 b1     | 2: A:p1+q1; 3: B:(p1+q1)+b1
-- another path type: not compatible (E2)
earliest  | event B = A(item/price) ; ins(item/comment)       | p1 q1 c1     | 2: A:p1+q1
-- in the order of the trees, whichever of them ask the document and wait for the end of the edit (U2)
earliest  | event W {when="price"} = x[1,1] ins(item/quantity) event B(order) = ?(item) ▽ del(order/billTo) | i1 p1 q1 | 3: W:q1 A:p1+q1 B:(q1) B:(p1+q1)
-- every tree has its own leaves: C does not miss what B consumes (H8)
earliest  | event B = A(item) ; ins(item/comment) event C = A(item) ; *(item/comment) | p1 q1 c1 | 2: A:p1+q1; 3: B:(p1+q1)+c1 C:(p1+q1)+c1
-- dependencies first, however deep
earliest  | event C = B(item) event B = A(item)               | p1 q1        | 2: A:p1+q1 B:(p1+q1) C:((p1+q1))
-- a release reaches later trees at the same time point, in ascending order of the nodes (G2, D6)
custom    | event B(order) = x[2,*] A(item)                   | p2 q2 p1 q1 flush | 4: A:p1+q1 A:p2+q2 B:(p1+q1)+(p2+q2)
non-local | event B = A(item) & ins(item/comment)             | p1 c1 q1 i2  | 4: A:p1+q1 B:(p1+q1)+c1
custom    | event B = A(item) & ins(item/comment)             | p1 c1 q1 close | 3: A:p1+q1 B:(p1+q1)+c1
custom    | event B = (A(item) & ins(item/comment)){end=custom} | p1 c1 q1 flush | 3: A:p1+q1 B:(p1+q1)+c1
"""


@pytest.mark.parametrize("row", rows(REUSE_TABLE), ids=str)
def test_reuse(row: list[str]) -> None:
    end, rules, words, expected = row
    check(f"{rules}\n{PAIR}", words, expected, {"context": "chronicle", "end": end})


WITHDRAWN_TABLE = """
-- what a root raises is an event for later trees, also what a later composite integrates (G2, H8)
event M(item) = x[1,*] ins(item/price) event B(item) = x[1,*] M(item) | p1 p1.2 | 1: M:p1 B:(p1); 2: M:p1+p1.2 B:(p1)+(p1+p1.2)
event M(item) = x[0,1] ins(item)       event B = M(item)              | i1      | 1: M:0 M:i1 B:(0) B:(i1)
"""


@pytest.mark.parametrize("row", rows(WITHDRAWN_TABLE), ids=str)
def test_nothing_is_withdrawn_from_other_trees(row: list[str]) -> None:
    check(*row)


EMPTY_TABLE = """
-- another tree's empty composite as the terminator of a sequence: it waits for what comes later (Q1, E5)
event M(item) = x[0,1] ins(item/price) event B = ins(item/comment) ; M(item) | i1 c1 | 1: M:0; 2: B:c1+(0)
event M(item) = x[0,1] ins(item/price) event B = M(item) ; ins(item/comment) | i1 c1 | 1: M:0; 2: B:(0)+c1
"""


@pytest.mark.parametrize("row", rows(EMPTY_TABLE), ids=str)
def test_empty_composites_of_other_trees(row: list[str]) -> None:
    check(*row)


DELETION_TABLE = """
-- deletions are events like others; the last one of a group is that of its node
ins(item) ; del(item)                                 | i1 p1 p1- i1-          | 4: i1+i1-
ins(item/price) & del(item/price)                     | p1 p1- p1.2 p1.2-      | 2: p1+p1-; 4: p1.2+p1.2-
-- what is deferred below a deleted node is released still (G4)
(ins(item/price) & ins(item/quantity)){end=non-local} | p1 q1 q1- p1- i1- i2   | 6: p1+q1
(ins(item/price) & ins(item/quantity)){end=custom}    | p1 q1 q1- p1- i1- flush | 5: p1+q1
x[2,*]{end=custom} ins(item/price)                    | p1 p1.2 i1- i2 close   | 4: p1+p1.2
-- a condition at a node that is gone does not hold
(ins(item/price) & ins(item/quantity)){when="not(price)"} | i1 p1 q1 q1- p1- i1- | 5: p1+q1
(ins(item/price) & ins(item/quantity)){when="not(*) and comment"} | i1 p1 q1 q1- p1- i1- flush |
-- nothing is needed of what may be left out (M5)
(x[0,1] ins(item/comment) & *(item)){end=custom}      | i1 c1 i1- flush        | 3: (c1)+i1 i1-
(x[0,1] ins(item/comment) & *(item)){end=custom}      | i1 c1 i1! flush        | 3: (c1)+i1 i1!
"""


@pytest.mark.parametrize("row", rows(DELETION_TABLE), ids=str)
def test_deletion(row: list[str]) -> None:
    check(f"event E = {row[0]}", row[1], row[2])
