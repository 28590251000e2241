"""Multiplicity (M1 to M6), what it tells its parent and its operand (H7), operands that may be left out (M5)."""

from __future__ import annotations

import pytest

from tests.spec.tables import check, rows

BOUNDS = "event E = x[$bounds] ins(item/price)"
BOUNDS_TABLE = """
-- from the l-th on every arrival raises a composite of all so far (M1); items apart
1,* | p1 p1.2 p2            | 1: p1; 2: p1+p1.2; 3: p2
2,* | p1 p1.2 p1.3          | 2: p1+p1.2; 3: p1+p1.2+p1.3
-- at the u-th the composite is full, the next starts over (M2)
2,2 | p1 p1.2 p1.3 p1.4     | 2: p1+p1.2; 4: p1.3+p1.4
1,2 | p1 p1.2 p1.3          | 1: p1; 2: p1+p1.2; 3: p1.3
1,1 | p1 p1.2               | 1: p1; 2: p1.2
2,3 | p1 p1.2 p1.3 p1.4     | 2: p1+p1.2; 3: p1+p1.2+p1.3
-- l = 0: the creation of the node raises an empty one (M4)
0,1 | i1 p1 p1.2            | 1: 0; 2: p1; 3: p1.2
0,* | i1 p1 p1.2 i2         | 1: 0; 2: p1; 3: p1+p1.2; 4: 0
0,2 | i1 p1 p1.2 p1.3       | 1: 0; 2: p1; 3: p1+p1.2; 4: p1.3
0,1 | p1 i2! i3-            | 1: p1
-- so does that of an item in an item, for which it is raised (P10, H1)
0,1 | i1 n1                 | 1: 0; 2: 0
0,1 | i1 n1 m1 p1           | 1: 0; 2: 0; 3: m1; 4: p1
"""


@pytest.mark.parametrize("row", rows(BOUNDS_TABLE), ids=str)
def test_bounds(row: list[str]) -> None:
    check(BOUNDS, row[1], row[2], {"bounds": row[0]})


FLAT_TABLE = """
-- flat: there is no node at whose creation there could be an empty one (M4)
0,* | i1 i2 p1 i3 p2 | 3: p1; 5: p1+p2
0,1 | i1 p1 i2       | 2: p1
"""


@pytest.mark.parametrize("row", rows(FLAT_TABLE), ids=str)
def test_flat(row: list[str]) -> None:
    check("event E {flat} = x[$bounds] ins(item/price)", row[1], row[2], {"bounds": row[0]})


CONSUMED = "event E {context=$context} = x[1,*]{name=M} ins(item/price) & ins(item/quantity)"
CONSUMED_TABLE = """
-- consumed: accumulation starts over (M3)
chronicle    | p1 q1 p1.2 q1.2 | 1: M:p1; 2: E:(p1)+q1; 3: M:p1.2; 4: E:(p1.2)+q1.2
cumulative   | p1 q1 p1.2 q1.2 | 1: M:p1; 2: E:(p1)+q1; 3: M:p1.2; 4: E:(p1.2)+q1.2
-- q1 stays as the terminator, so does the second composite
continuous   | p1 q1 p1.2 q1.2 | 1: M:p1; 2: E:(p1)+q1; 3: M:p1.2 E:(p1.2)+q1; 4: E:(p1.2)+q1.2
-- not consumed: the next composite integrates the former, which is withdrawn (M1)
recent       | p1 q1 p1.2 q1.2 | 1: M:p1; 2: E:(p1)+q1; 3: M:p1+p1.2 E:(p1+p1.2)+q1; 4: E:(p1+p1.2)+q1.2
unrestricted | p1 q1 p1.2 q1.2 | 1: M:p1; 2: E:(p1)+q1; 3: M:p1+p1.2 E:(p1+p1.2)+q1; 4: E:(p1+p1.2)+q1.2
chronicle    | p1 p1.2 q1 q1.2 | 1: M:p1; 2: M:p1+p1.2; 3: E:(p1+p1.2)+q1
cumulative   | p1 p1.2 q1 q1.2 | 1: M:p1; 2: M:p1+p1.2; 3: E:(p1+p1.2)+q1
"""


@pytest.mark.parametrize("row", rows(CONSUMED_TABLE), ids=lambda row: f"{row[0]}: {row[1]}")
def test_consumption_and_withdrawal(row: list[str]) -> None:
    check(CONSUMED, row[1], row[2], {"context": row[0]})


NESTED = "event E(item) = x[$outer] x[$inner]{name=I} ins(item/price)"
NESTED_TABLE = """
-- full composites of the inner one stay and accumulate
2,* | 2,2 | p1 p1.2 p1.3 p1.4 | 2: I:p1+p1.2; 4: I:p1.3+p1.4 E:(p1+p1.2)+(p1.3+p1.4)
-- an unconsumed inner composite is withdrawn from the accumulation, so there never are two
2,* | 2,* | p1 p1.2 p1.3      | 2: I:p1+p1.2; 3: I:p1+p1.2+p1.3
-- consumed by the raise of the outer one (H7), the inner one starts over
1,* | 1,* | p1 p1.2           | 1: I:p1 E:(p1); 2: I:p1.2 E:(p1)+(p1.2)
1,1 | 0,1 | i1 p1             | 1: I:0; 2: I:p1 E:(p1)
"""


@pytest.mark.parametrize("row", rows(NESTED_TABLE), ids=lambda row: f"{row[0]} {row[1]}: {row[2]}")
def test_nested(row: list[str]) -> None:
    check(NESTED, row[2], row[3], {"outer": row[0], "inner": row[1]})


OPTIONAL = "event E {context=$context} = x[0,1]{name=C} ins(item/comment) & $other"
OPTIONAL_TABLE = """
-- an operator above takes no empty one: the operand may be left out (M5)
chronicle    | ins(item/price) | i1 p1 p1.2 c1 p1.3 | 1: C:0; 2: E:p1; 3: E:p1.2; 4: C:c1; 5: E:(c1)+p1.3
cumulative   | ins(item/price) | i1 p1 p1.2 c1 p1.3 | 1: C:0; 2: E:p1; 3: E:p1.2; 4: C:c1; 5: E:(c1)+p1.3
continuous   | ins(item/price) | i1 p1 p1.2 c1      | 1: C:0; 2: E:p1; 3: E:p1.2; 4: C:c1 E:(c1)+p1.2 E:(c1)+p1
recent       | ins(item/price) | i1 p1 p1.2 c1 p1.3 | 1: C:0; 2: E:p1; 3: E:p1.2; 4: C:c1 E:(c1)+p1.2; 5: E:(c1)+p1.3
unrestricted | ins(item/price) | i1 p1 p1.2 c1      | 1: C:0; 2: E:p1; 3: E:p1.2; 4: C:c1 E:(c1)+p1 E:(c1)+p1.2
-- once the comment is consumed, there is none again
chronicle    | ins(item/price) | i1 c1 p1 p1.2      | 1: C:0; 2: C:c1; 3: E:(c1)+p1; 4: E:p1.2
-- whether the item's creation was seen does not matter
chronicle    | ins(item/price) | p1 c1 p1.2         | 1: E:p1; 2: C:c1; 3: E:(c1)+p1.2
-- nor does it that the node is going
chronicle    | *(item)         | i1 i1! i1-         | 1: C:0 E:i1; 2: E:i1!; 3: E:i1-
chronicle    | del(item)       | i1 i1-             | 1: C:0; 2: E:i1-
"""


@pytest.mark.parametrize("row", rows(OPTIONAL_TABLE), ids=lambda row: f"{row[0]} {row[1]}: {row[2]}")
def test_optional_operands(row: list[str]) -> None:
    check(OPTIONAL, row[2], row[3], {"context": row[0], "other": row[1]})


OPTIONAL_SEQUENCE_TABLE = """
-- left out it is in nobody's way
x[0,1]{name=C} ins(item/comment) ; ins(item/price) | i1 p1 c1 p1.2 | 1: C:0; 2: E:p1; 3: C:c1; 4: E:(c1)+p1.2
ins(item/price) ; x[0,1]{name=C} ins(item/comment) | i1 p1 p1.2 c1 | 1: C:0; 2: E:p1; 3: E:p1.2; 4: C:c1
"""


@pytest.mark.parametrize("row", rows(OPTIONAL_SEQUENCE_TABLE), ids=lambda row: row[0])
def test_optional_operands_in_a_sequence(row: list[str]) -> None:
    check(f"event E = {row[0]}", row[1], row[2])
