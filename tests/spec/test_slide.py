"""Sliding multiplicities (S4): the last u, one by one."""

from __future__ import annotations

import pytest

from tests.spec.tables import Case, cases, check, title
from xmlcep import RuleError, parse_rules

TABLE = """
event E = x[2,2]{slide} ins(item/price)
    p1 p1.2 p1.3 p1.4                  | 2: p1+p1.2; 3: p1.2+p1.3; 4: p1.3+p1.4
    p1 p2 p1.2 p2.2                    | 3: p1+p1.2; 4: p2+p2.2
event E = x[1,2]{slide} ins(item/price)
    p1 p1.2 p1.3                       | 1: p1; 2: p1+p1.2; 3: p1.2+p1.3
event E = x[2,3]{slide} ins(item/price)
    p1 p1.2 p1.3 p1.4                  | 2: p1+p1.2; 3: p1+p1.2+p1.3; 4: p1.2+p1.3+p1.4
event E = x[0,1]{slide} ins(item/price)
    i1 p1 p1.2                         | 1: 0; 2: p1; 3: p1.2
# without: at the u-th it starts over
event E = x[2,2] ins(item/price)
    p1 p1.2 p1.3 p1.4                  | 2: p1+p1.2; 4: p1.3+p1.4
# each composite takes the place of the one before (M1); used up, counting starts over (M3)
event E {context=$context} = x[1,2]{slide, name=M} ins(item/price) & ins(item/quantity)
    chronicle    | p1 p1.2 p1.3 q1 p1.4 q1.2 | 1: M:p1; 2: M:p1+p1.2; 3: M:p1.2+p1.3; 4: E:(p1.2+p1.3)+q1; 5: M:p1.4; 6: E:(p1.4)+q1.2
    unrestricted | p1 q1 p1.2 p1.3     | 1: M:p1; 2: E:(p1)+q1; 3: M:p1+p1.2 E:(p1+p1.2)+q1; 4: M:p1.2+p1.3 E:(p1.2+p1.3)+q1
# to drop out is not to be used up: the operand's composite, full, stays what it was
event E(item) = x[2,2]{slide} x[2,2]{name=M} ins(item/price)
    p1 p1.2 p1.3 p1.4 p1.5 p1.6        | 2: M:p1+p1.2; 4: M:p1.3+p1.4 E:(p1+p1.2)+(p1.3+p1.4); 6: M:p1.5+p1.6 E:(p1.3+p1.4)+(p1.5+p1.6)
# with a window, that drops out first
event E = x[1,2]{slide, within="5 s"} ins(item/price)
    @0 p1 @1 p1.2 @2 p1.3 @9 p1.4      | 1: p1; 2: p1+p1.2; 3: p1.2+p1.3; 4: p1.4
# having: the composite before stays, and what comes next is counted (V6)
event E = x[2,2]{slide, having="sum($n) > 5"} *(item/price/text()) as $n
    i1 p1 t1=3 t1=1 t1=5 t1=2          | 5: t1=1+t1=5{n=[1,5]}; 6: t1=5+t1=2{n=[5,2]}
# deferred: the last u, then it starts over
event E = x[1,2]{slide, end=custom} ins(item/price)
    p1 p1.2 p1.3 flush p1.4 flush flush | 3: p1.2+p1.3; 4: p1.4
# it is the last u that `having` is asked of
event E = x[1,2]{slide, end=custom, having="sum($n) > 5"} *(item/price/text()) as $n
    i1 p1 t1=1 t1=3 t1=4 flush         | 5: t1=3+t1=4{n=[3,4]}
    i1 p1 t1=9 t1=1 t1=2 flush         |
    # refused, they stay: nothing starts over at u (V6)
    i1 p1 t1=1 t1=2 flush t1=4 flush   |
event E = x[2,2]{slide, end=custom} ins(item/price)
    p1 flush p1.2 flush                | 2: p1+p1.2
"""  # noqa: E501


@pytest.mark.parametrize("case", cases(TABLE), ids=title)
def test_slide(case: Case) -> None:
    check(*case)


def test_without_an_upper_bound_nothing_can_drop_out() -> None:
    with pytest.raises(RuleError, match=r"\(S4\)"):
        parse_rules("event E = x[1,*]{slide} ins(item/price)")
