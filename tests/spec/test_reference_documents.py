"""Rules that look things up in reference documents (V8)."""

from __future__ import annotations

import pytest

from tests.spec.tables import Case, cases, check, title

LOOK_UPS = """
# in a filter, which needs no document for it
event Known = ins(item/@partNum)[$parts/parts/part/@n = .]
    a1=7 a2=9 a3=8                      | 1: a1=7; 3: a3=8
event Old = *(item/@partNum)[. = $parts//part[@state = 'old']/@n]
    a1=8 a1=7 a1-                       | 2: a1=7; 3: a1-
# and with a look at the document
event Old = ins(item/price)[../@partNum = $parts//part[@state = 'old']/@n]
    i1 a1=7 p1 i2 a2=8 p2               | 3: p1
# what is asked of nodes is asked of those of the reference document, too
event Dear = ins(price/text())[. > $parts/parts/part[@n = 8]/@price]
    t1=29 t2=31                         | 2: t2=31
event Many = ins(item)[count($parts//part) = 2 and name($parts/*) = 'parts']
    i1                                  | 1: i1
# the root node is above the document element, whose text is its own
event Top = ins(item)[count($parts) = 1 and string($parts) = '' and not($parts/@n)]
    i1                                  | 1: i1
# a condition sees it although it sees a subtree of the document only
event Known {when="@partNum = $parts//@n"} = ins(item) & ins(item/price)
    i1 p1                               |
    i1 p1 a1=7                          | 3: i1+p1
    i1 p1 a1=9 a1=8                     | 4: i1+p1
event Known {when="@partNum = $parts//@n", end=custom} = ins(item) & ins(item/price)
    i1 p1 flush a1=7 flush              | 3: i1+p1
# a guard
event Known {if="@partNum = $parts//@n"} = ins(item) & ins(item/price)
    i1 a1=7 p1 i2 a2=9 p2               | 3: i1+p1
# having and let
event Known {having="$n = $parts//@n"} = ins(item/@partNum) as $n & ins(item/price)
    a1=7 p1 a2=9 p2                     | 2: a1=7+p1{n=[7]}
event Known {let state="string($parts//part[@n = $n]/@state)"} = ins(item/@partNum) as $n & ins(item/price)
    a1=7 p1 a2=9 p2                     | 2: a1=7+p1{n=[7],state=old}; 4: a2=9+p2{n=[9],state=}
# what is bound
event Known = ins(item/@partNum) as $state = ($parts//part[@n = 8]/@state) & ins(item/price)
    a1=7 p1                             | 2: a1=7+p1{state=[new]}
"""


@pytest.mark.parametrize("case", [pytest.param(case, id=title(case)) for case in cases(LOOK_UPS)])
def test_look_ups(case: Case) -> None:
    check(f'reference parts = "parts.xml"\n{case.rules}', case.words, case.raised, case.variables)
