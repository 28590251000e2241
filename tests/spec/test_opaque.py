"""Leaves in other languages (O1, O2). What the words of `own` ask stands in `tests.spec.languages`."""

# ruff: noqa: E501 (a row of a table is one line)

from __future__ import annotations

import pytest

from tests.spec.tables import Case, cases, check, title

OPAQUE = """
event Odd = opaque["own", "odd"](item/@partNum)
    a1=7 a1=8 a1=9 a1-                  | 1: a1=7; 3: a1=9; 4: a1-
event Odd = opaque["own", "odd"](item/@partNum) ; ins(item/price)
    a1=7 a2=8 p2 p1                     | 4: a1=7+p1
# what is returned is bound, as far as it is declared, and has a value
event Long = opaque["own", "digits"](item/@partNum)
    a1=7 a1=789                         | 2: a1=789{count=[3],first=[7],none=[]}
event Long = opaque["own", "digits"](item/@partNum)[$count > 2 and $first = . - 782] as $twice = ($count * 2)
    a1=78 a1=789 a1=889                 | 2: a1=789{count=[3],first=[7],none=[],twice=[6]}
event Long(/order) = opaque["own", "digits"](item/@partNum) & ins(item/comment) as $first = (8)
    a1=78 c2 a2=87                      | 3: a2=87+c2{count=[2],first=8,none=[]}
# what is not declared is seen in the leaf only
event Long = opaque["own", "unnamed"](item/@partNum)[$length > 1] as $n = ($length) as $part
    a1=7 a1=78                          | 2: a1=78{n=[2],part=[78]}
# the document is that after the edit, at a deletion that before it
event Priced = opaque["own", "priced"](item)
    i1 (i2 p2) i2-                      | 2: i2; 4: i2-
event Priced = opaque["own", "priced"](item/@partNum)
    i1 a1=7 (p1 a1=8)                   | 4: a1=8
event Size = opaque["own", "document_size"](item)
    o1 i1 (i2 p2)                       | 2: i1{size=[2]}; 3: i2{size=[4]}
# any operation
event Any(item) = opaque["own", "odd"](item/price/text()) ; opaque["own", "odd"](item/price/text())
    t1=3 t1=4 t1=5                      | 3: t1=3+t1=5
# below a path (F5)
event Any = opaque["own", "odd"](item//)
    i1 t1=3 a1=5 u1=4                   | 2: t1=3; 3: a1=5
# XPath 3.1: the context item is the changed node
event Odd = opaque["xpath31", "matches(., '[13579]$')"](item/@partNum)
    i1 a1=7 a1=8                        | 2: a1=7
event Odd = opaque["xpath31", ". = '5' and ../../@partNum = '7'"](item/price/text())
    i1 a1=7 p1 t1=5 i2 p2 t2=5          | 4: t1=5
event Odd = opaque["xpath31", "some $p in price satisfies number($p) > 5"](item)
    (i1 p1 t1=7) (i2 p2 t2=4)           | 1: i1
event New = opaque["xpath31", "$op = 'upd' and number($new) > number($old) and $ts > 3 and $meta:user = 'ann'"](price/text())
    p1 t1=5 t1=6~ann t1=7~ann t1=8~bob  | 4: t1=7
event All = opaque["xpath31", "map { 'sum': sum(../../../item/price), 'name': name(..) }"](price/text())[$sum > 10] as $s = ($sum)
    o1 i1 p1 t1=5 i2 p2 t2=6            | 7: t2=6{s=[11]}
event Gone = opaque["xpath31", "../@partNum = '7'"](item/price)
    i1 a1=7 p1 p1-                      | 3: p1; 4: p1-
"""


@pytest.mark.parametrize("case", [pytest.param(case, id=title(case)) for case in cases(OPAQUE)])
def test_opaque_leaves(case: Case) -> None:
    check(case.rules, case.words, case.raised, case.variables)
