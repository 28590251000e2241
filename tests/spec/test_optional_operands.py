"""Operands that may be left out: `x[0,u]` in a conjunction or a sequence (M5)."""

# ruff: noqa: E501 (a row of a table is one line)

from __future__ import annotations

import pytest

from tests.spec.tables import Case, cases, check, title

CHOSEN = """
# what does not fit is left out, what fits is not: what came too early, or too late for the window
event E {context=$context} = ins(item/price) ; x[0,*] ins(item/comment) ; ins(item/quantity)
    unrestricted, recent, chronicle, continuous, cumulative, next | c1 p1 q1 | 3: p1+q1
    unrestricted, recent, chronicle, continuous, cumulative, next | p1 c1 q1 | 3: p1+(c1)+q1
event E {context=$context, within="3 changes"} = x[0,*] ins(item/comment) & ins(item/price) & ins(item/quantity)
    unrestricted, recent, chronicle, continuous, cumulative | c1 c2 p1 q1 | 4: p1+q1
    unrestricted, recent, chronicle, continuous, cumulative | c1 p1 q1 | 3: (c1)+p1+q1
    # without a window, in `next`: each begins a run of its own
    next | c1 p1 q1 | 3: (c1)+p1+q1 p1+q1
# nothing is needed of an operand that may be left out; of nothing at all nothing is made
event E(order) {context=$context} = x[0,1]{name=A} *(order/item/@partNum) ; x[0,*]{path=order, name=O} ins(order)
    chronicle, continuous, cumulative | o1 i1 a2=5 | 1: O:0 O:o1 E:(o1); 2: A:0; 3: A:a2=5 E:(a2=5)
event E(order) {context=$context} = x[0,1]{name=A} *(order/item/@partNum) ; x[0,*]{path=order, name=O} ins(order) ; x[0,1]{path=order, name=B} ins(order/billTo)
    chronicle, continuous             | o1 i1 a2=5 | 1: O:0 O:o1 B:0 E:(o1); 2: A:0; 3: A:a2=5 E:(a2=5)
    chronicle, continuous             | o1 i1 b1   | 1: O:0 O:o1 B:0 E:(o1); 2: A:0; 3: B:b1 E:(b1)
# what arrives at once is chosen oldest first, whatever the nodes it comes from (Q1, Q2)
event E(order) {context=$context} = x[1,*]{end=custom, name=M} ins(order/item/comment) & ins(order/billTo)
    unrestricted, continuous | b1 c2 c2.2 c1 flush | 4: M:c1 M:c2+c2.2 E:(c2+c2.2)+b1 E:(c1)+b1
# what is there is taken; a repetition needs something to go on with; a relation is between two (M5)
event E(order) {context=continuous} = x[0,1]{name=P} *(order/item/price) ; x[1,*]{end=custom, name=C} ins(order/item/comment)
    i2 c1 p1 flush c1.2 flush | 1: P:0; 3: P:p1 C:c1 E:(c1); 4: C:c1.2 E:(p1)+(c1.2)
event E(order) {context=continuous} = x[0,1]{name=P} *(order/item/price) before x[1,*]{end=custom, name=C} ins(order/item/comment)
    i2 c1 p1 flush c1.2 flush | 1: P:0; 3: P:p1 C:c1; 4: C:c1.2 E:(p1)+(c1.2)
# a combination has something new
event E(order) {context=$context, within="4 changes"} = x[0,1]{name=P} ins(order/item/price) ; x[0,1]{path=order, name=I} ins(order/item)
    next                 | i1 p1 c1 c1.2 i1- i2 | 1: P:0 I:i1 E:(i1); 2: P:p1 E:(p1); 6: P:0 I:i2 E:(i2)
    chronicle            | i1 p1 c1 c1.2 i1- i2 | 1: P:0 I:i1 E:(i1); 2: P:p1 E:(p1); 6: P:0 I:i2 E:(i2)
# what comes first makes a combination by itself, where nothing else has to be there
event E = x[0,*]{end=non-local, name=P} *(order/item/price) ; x[0,2]{end=non-local, name=Q} ins(order/item/quantity)
    i1 b1 p1 q1 b1.2 | 2: P:0 Q:0; 5: P:p1 Q:q1 E:(p1)+(q1)
event E(order) = x[1,*]{end=non-local, name=P} ins(order/item/price) & x[1,*]{path=order, name=M} x[1,*]{end=non-local, name=Q} ins(order/item/quantity)
    q1 b1 q1.2 p1 b1.2 | 2: Q:q1 M:(q1); 5: P:p1 Q:q1.2 M:(q1)+(q1.2) E:(p1)+((q1)+(q1.2))
# what closes windows has its turn before what opens them (W8)
event E(order) = aperiodic[x[1,*]{end=non-local, name=A} ins(order/item/price), x[1,*]{end=non-local, name=C} ins(order/item/comment)] ins(order/item)
    i1 p1 c1 b1 i2 | 4: A:p1 C:c1; 5: E:(p1)+i2
# what ends together is older in an earlier operand (S1)
event E(order) {context=continuous} = any[2](x[0,*]{name=P} *(order/item/price), *(order/item/price/text()), *(order/item/price))
    i1 p1 t1=1 | 1: P:0; 2: P:p1 E:(p1)+p1; 3: E:t1=1+p1
event E(order) {context=recent} = any[2](x[1,2]{end=custom, name=A} ins(order/item/price), ins(order/item/price), x[1,1]{end=custom, name=B} ins(order/item/price))
    p1 flush | 1: A:p1 B:p1 E:p1+(p1)
"""


@pytest.mark.parametrize("case", cases(CHOSEN), ids=title)
def test_what_is_left_out(case: Case) -> None:
    check(*case)
