"""Silent empties of several nodes in one group: what is chosen beside them, in which order they stand (M5, C5, C12)."""

# ruff: noqa: E501 (a row of a table is one line)

from __future__ import annotations

import pytest

from tests.spec.alphabet import steps_of
from tests.spec.tables import WAYS, Case, cases, check, title

CHOSEN = """
# the oldest that makes up a combination that counts: item 1's silent one and the order's do not (C2, Q2)
event E(order) {context=$context} = x[0,1]{name=A} *(order/item/@partNum) ; x[0,*]{path=order, name=O} ins(order)
    chronicle, continuous, cumulative | o1 i1 a2=5 | 1: O:0 O:o1; 2: A:0 E:(0)+(o1); 3: A:a2=5 E:(a2=5)+(0)
event E(order) {context=$context} = x[0,1]{name=A} *(order/item/@partNum) ; x[0,*]{path=order, name=O} ins(order) ; x[0,1]{path=order, name=B} ins(order/billTo)
    chronicle, continuous             | o1 i1 a2=5 | 1: O:0 O:o1 B:0; 2: A:0 E:(0)+(o1)+(0); 3: A:a2=5 E:(a2=5)+(0)+(0)
    chronicle, continuous             | o1 i1 b1   | 1: O:0 O:o1 B:0; 2: A:0 E:(0)+(o1)+(0); 3: B:b1 E:(0)+(0)+(b1)
# a repetition passes over a silent partner that it has had, if there is another behind it (C5)
event E(order) {context=continuous} = x[0,1]{name=P} *(order/item/price) ; x[1,*]{end=custom, name=C} ins(order/item/comment)
    i2 c1 p1 flush c1.2 flush | 1: P:0; 3: P:p1 C:c1 E:(0)+(c1); 4: C:c1.2 E:(0)+(c1.2) E:(p1)+(c1.2)
event E(order) {context=continuous} = x[0,1]{name=P} *(order/item/price) before x[1,*]{end=custom, name=C} ins(order/item/comment)
    i2 c1 p1 flush c1.2 flush | 1: P:0; 3: P:p1 C:c1 E:(0)+(c1); 4: C:c1.2 E:(0)+(c1.2) E:(p1)+(c1.2)
# what is full starts over before it is consumed: the silent one is item 1's, and goes with it
event E(order) {context=$context, within="3 changes"} = x[0,1]{name=P} ins(order/item/price) ; x[0,1]{path=order, name=I} ins(order/item)
    next                 | i1 p1 c1 c1.2 i1- i2 | 1: P:0 I:i1 E:(0)+(i1); 2: P:p1 E:(p1)+(0); 6: P:0 I:i2 E:(0)+(i2)
    chronicle            | i1 p1 c1 c1.2 i1- i2 | 1: P:0 I:i1 E:(0)+(i1); 2: P:p1 E:(p1)+(0); 6: P:0 I:i2 E:(0)+(i2)
# who raises something at a time point takes its silent one back before anything arrives above (C5, C8), also where an
# event elsewhere releases both; so does what integrates a former one (M1)
event E = x[0,*]{end=non-local, name=P} *(order/item/price) ; x[0,2]{end=non-local, name=Q} ins(order/item/quantity)
    i1 b1 p1 q1 b1.2 | 2: P:0 Q:0 E:(0)+(0); 5: P:p1 Q:q1 E:(p1)+(q1)
event E(order) = x[1,*]{end=non-local, name=P} ins(order/item/price) & x[1,*]{path=order, name=M} x[1,*]{end=non-local, name=Q} ins(order/item/quantity)
    q1 b1 q1.2 p1 b1.2 | 2: Q:q1 M:(q1); 5: P:p1 Q:q1.2 M:(q1)+(q1.2) E:(p1)+((q1)+(q1.2))
# what closes windows has its turn before what opens them (W8)
event E(order) = aperiodic[x[1,*]{end=non-local, name=A} ins(order/item/price), x[1,*]{end=non-local, name=C} ins(order/item/comment)] ins(order/item)
    i1 p1 c1 b1 i2 | 4: A:p1 C:c1; 5: E:(p1)+i2
# stored at one time point: by operand (Z20)
event E(order) {context=continuous} = any[2](x[0,*]{name=P} *(order/item/price), *(order/item/price/text()), *(order/item/price))
    i1 p1 t1=1 | 1: P:0; 2: P:p1 E:(p1)+p1; 3: E:t1=1+p1
event E(order) {context=recent} = any[2](x[1,2]{end=custom, name=A} ins(order/item/price), ins(order/item/price), x[1,1]{end=custom, name=B} ins(order/item/price))
    p1 flush | 1: A:p1 B:p1 E:(p1)+p1 E:p1+(p1)
"""


@pytest.mark.parametrize("case", cases(CHOSEN), ids=title)
def test_what_is_chosen_beside_silent_ones(case: Case) -> None:
    check(*case)


ORDERED = {
    # what a composite consumes of item 1 twice, and of item 2 between, is gone before anything takes its place
    "cumulative": (
        "event E(order) {context=cumulative, end=custom}"
        " = x[0,*]{end=non-local} *(order/item/price) & ins(order/item/comment)",
        "i1 c1 p1 i2 p1.2 flush c2 flush",
        [[1, 2, 1], [1, 2]],
    ),
    # what is used first in the repetitions of one arrival is first, though it was stored last; the newest is item 1's
    "continuous": (
        "event E(order) {context=continuous}"
        " = x[0,*] ins(order/item/quantity) before x[1,*]{end=custom} ins(order/item/comment)",
        "i1 i2 c1 flush c1.2 flush",
        [[2, 1], [1, 1], [1, 1]],
    ),
    # a run of any: in order of operand
    "next": (
        "event E(order) {context=next}"
        " = any[2](x[0,2] ins(order/item/comment), x[0,2]{path=order} ins(order), *(order/item/price/text()))",
        "o1 i1 t1=5",
        [[1, 0], [1], [1], [0]],
    ),
    # candidates that are one: by when they were stored
    "candidate": (
        "event E(order) {context=cumulative, end=custom}"
        " = x[0,2] *(order/item/@partNum) ; x[0,2] ins(order/item/comment) ; not ins(order/billTo)",
        "i1 i2 close",
        [[1, 1, 2, 2, 1, 1, 2]],
    ),
}


@pytest.mark.parametrize(("rules", "words", "items"), ORDERED.values(), ids=ORDERED)
def test_the_order_of_silent_ones(rules: str, words: str, items: list[list[int]]) -> None:
    """Of which items the constituents are that are composites, of each composite; 0: of the order."""
    steps, _ = steps_of(words)
    for run in WAYS.values():
        found = [
            [inner["ids"][1] // 10_000 if inner["ids"][1:] else 0 for inner in record["constituents"] if "name" in inner]
            for record in run(rules, steps)
            if record["operator"] is None
        ]  # fmt: skip
        assert found == items
