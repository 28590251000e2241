"""Termination: non-local, custom, conditions, flush and close (D1 to D6, U2, G3)."""

from __future__ import annotations

import pytest

from tests.spec.tables import check, rows

CONJUNCTION = "event E {context=$context} = (ins(item/price) & ins(item/quantity)){end=$end}"
CONJUNCTION_TABLE = """
-- selection happens at release, with all that is stored by then (D5); i2 lies in another group (D2)
unrestricted | non-local | p1 p1.2 q1 q1.2 i2    | 5: p1+q1 p1+q1.2 p1.2+q1 p1.2+q1.2
recent       | non-local | p1 p1.2 q1 q1.2 i2    | 5: p1.2+q1.2
chronicle    | non-local | p1 p1.2 q1 q1.2 i2    | 5: p1+q1 p1.2+q1.2
continuous   | non-local | p1 p1.2 q1 q1.2 i2    | 5: p1.2+q1 p1+q1
cumulative   | non-local | p1 p1.2 q1 q1.2 i2    | 5: p1+p1.2+q1+q1.2
unrestricted | custom    | p1 p1.2 q1 q1.2 flush | 4: p1+q1 p1+q1.2 p1.2+q1 p1.2+q1.2
recent       | custom    | p1 p1.2 q1 q1.2 flush | 4: p1.2+q1.2
chronicle    | custom    | p1 p1.2 q1 q1.2 flush | 4: p1+q1 p1.2+q1.2
continuous   | custom    | p1 p1.2 q1 q1.2 flush | 4: p1.2+q1 p1+q1
cumulative   | custom    | p1 p1.2 q1 q1.2 flush | 4: p1+p1.2+q1+q1.2
-- a second release raises what is new only (D2)
unrestricted | non-local | p1 q1 i2 q1.2 i2!     | 3: p1+q1; 5: p1+q1.2
recent       | non-local | p1 q1 i2 q1.2 i2!     | 3: p1+q1; 5: p1+q1.2
chronicle    | non-local | p1 q1 i2 q1.2 i2!     | 3: p1+q1
continuous   | non-local | p1 q1 i2 q1.2 i2!     | 3: p1+q1
cumulative   | non-local | p1 q1 i2 q1.2 i2!     | 3: p1+q1
-- above is elsewhere; inside is not, in an item in the item, either
chronicle    | non-local | p1 q1 p1! c1 o1!      | 5: p1+q1
chronicle    | non-local | p1 q1 n1 m1 r1 c1 o1! | 6: m1+r1; 7: p1+q1
-- released by the first event from the detection on: there was no combination at i2
chronicle    | non-local | p1 i2 q1 q1!          |
chronicle    | non-local | p1 i2 q1 q1! i2!      | 5: p1+q1
-- flush and close release non-local groups, too; custom ones nothing else (D3)
chronicle    | non-local | p1 q1 flush           | 2: p1+q1
chronicle    | non-local | p1 q1 close           | 2: p1+q1
chronicle    | custom    | p1 q1 i2 close        | 3: p1+q1
chronicle    | custom    | p1 q1 i2 o1!          |
chronicle    | earliest  | p1 q1 flush close     | 2: p1+q1
-- groups released together go in ascending order of their nodes (G2)
chronicle    | custom    | p2 q2 p1 q1 flush     | 4: p1+q1 p2+q2
-- nothing to release
chronicle    | custom    | flush p1 flush q1     |
"""


@pytest.mark.parametrize("row", rows(CONJUNCTION_TABLE), ids=str)
def test_conjunction(row: list[str]) -> None:
    check(CONJUNCTION, row[2], row[3], {"context": row[0], "end": row[1]})


SEQUENCE = "event E {context=$context} = (ins(item/price) ; ins(item/quantity)){end=$end}"
SEQUENCE_TABLE = """
unrestricted | non-local | p1 q1 p1.2 q1.2 i2    | 5: p1+q1 p1+q1.2 p1.2+q1.2
recent       | non-local | p1 q1 p1.2 q1.2 i2    | 5: p1.2+q1.2
chronicle    | non-local | p1 q1 p1.2 q1.2 i2    | 5: p1+q1 p1.2+q1.2
continuous   | non-local | p1 q1 p1.2 q1.2 i2    | 5: p1+q1 p1.2+q1.2
cumulative   | non-local | p1 q1 p1.2 q1.2 i2    | 5: p1+p1.2+q1+q1.2
unrestricted | custom    | p1 p1.2 q1 flush      | 3: p1+q1 p1.2+q1
chronicle    | custom    | p1 p1.2 q1 flush      | 3: p1+q1
continuous   | custom    | p1 p1.2 q1 flush      | 3: p1.2+q1 p1+q1
cumulative   | custom    | q1 p1 q1.2 flush      | 3: p1+q1.2
"""


@pytest.mark.parametrize("row", rows(SEQUENCE_TABLE), ids=str)
def test_sequence(row: list[str]) -> None:
    check(SEQUENCE, row[2], row[3], {"context": row[0], "end": row[1]})


MULTIPLICITY = "event E = x[$bounds]{end=$end} ins(item/price)"
MULTIPLICITY_TABLE = """
-- full batches of u, then the rest if it has at least l, else it stays (D5)
1,2 | custom    | p1 p1.2 p1.3 flush           | 3: p1+p1.2 p1.3
2,2 | custom    | p1 p1.2 p1.3 flush p1.4 flush | 3: p1+p1.2; 4: p1.3+p1.4
1,* | non-local | p1 p1.2 i2 p1.3 i2!          | 3: p1+p1.2; 5: p1.3
2,* | non-local | p1 i2 p1.2 i2!               | 4: p1+p1.2
-- an empty one only if nothing accumulated (M4)
0,* | custom    | i1 flush p1 flush            | 1: 0; 2: p1
0,* | custom    | i1 p1 flush flush            | 2: p1
0,1 | non-local | i1 p1 p1.2 i2 i3             | 4: p1 p1.2; 5: 0
"""


@pytest.mark.parametrize("row", rows(MULTIPLICITY_TABLE), ids=str)
def test_multiplicity(row: list[str]) -> None:
    check(MULTIPLICITY, row[2], row[3], {"bounds": row[0], "end": row[1]})


CONDITIONS_TABLE = """
-- the combination waits for the condition; any event at or below the node looks again (D4)
& | when="price > 3"                    | i1 p1 q1 t1=5                  | 4: p1+q1
& | when="price > 3"                    | i1 p1 t1=5 q1                  | 4: p1+q1
& | when="price > 3"                    | i1 p1 q1 t1=1 t1=9 t1=1        | 5: p1+q1
& | when="price > 3"                    | i1 p1 q1 i2 p2 t2=5 t1=4       | 7: p1+q1
& | when="price > 3"                    | i1 p1 q1 t1=3 flush close      |
; | when="price > 3"                    | i1 p1 q1 t1=5                  | 4: p1+q1
-- the node is the root of what the condition sees (U2)
& | when="/item/price = 5"              | i1 p1 q1 t1=5                  | 4: p1+q1
& | when="/order"                       | o1 i1 p1 q1 t1=5               |
& | when="not(comment)"                 | i1 p1 c1 q1 c1-                | 5: p1+q1
-- an event that lies below the node without projecting on its path type looks again, too
& | when="item"                         | i1 p1 q1 n1                    | 4: p1+q1
-- asked at a release, and only there; false, it waits for one after something has happened there (D4)
& | end=non-local, when="price > 3"     | i1 p1 q1 t1=5 i2               | 5: p1+q1
& | end=non-local, when="price > 3"     | i1 p1 q1 i2 t1=5               |
& | end=non-local, when="price > 3"     | i1 p1 q1 i2 t1=5 i2!           | 6: p1+q1
& | end=non-local, when="price > 3"     | i1 p1 q1 t1=5 t1=1 i2 t1=7 o1! | 8: p1+q1
& | end=non-local, when="price > 3"     | i1 p1 q1 t1=1 i2 i2! t1=7 i2!.2 | 8: p1+q1
& | end=custom, when="price > 3"        | i1 p1 q1 flush t1=5            |
& | end=custom, when="price > 3"        | i1 p1 q1 flush t1=5 flush      | 4: p1+q1
& | end=custom, when="price > 3"        | i1 p1 q1 t1=5 t1=1 flush t1=9  |
& | end=custom, when="price > 3"        | i1 p1 q1 t1=5                  |
& | when="true()"                       | i1 p1 q1                       | 3: p1+q1
& | when="false()"                      | i1 p1 q1 t1=5                  |
"""


@pytest.mark.parametrize("row", rows(CONDITIONS_TABLE), ids=str)
def test_conditions(row: list[str]) -> None:
    operator, options, words, expected = row
    check(f"event E = (ins(item/price) {operator} ins(item/quantity)){{{options}}}", words, expected)


CONDITIONAL_MULTIPLICITY_TABLE = """
-- released by D5: what has accumulated; then accumulation starts over
1,* | i1 q1 p1 p1.2 u1=5 p1.3        | 5: p1+p1.2; 6: p1+p1.2+p1.3
-- the condition held when it became possible: as without condition (M1)
1,* | i1 q1 u1=5 p1 p1.2             | 4: p1; 5: p1+p1.2
-- a composite that was still integrating is included (D5)
1,* | i1 q1 u1=5 p1 u1=1 p1.2 u1=7   | 4: p1; 7: p1+p1.2
-- full batches, the rest stays
2,2 | i1 q1 p1 p1.2 p1.3 u1=5        | 6: p1+p1.2
-- the empty one waits, too (M4)
0,1 | i1 q1 u1=5                     | 3: 0
0,1 | i1 q1 p1 u1=5                  | 4: p1
"""


@pytest.mark.parametrize("row", rows(CONDITIONAL_MULTIPLICITY_TABLE), ids=str)
def test_conditional_multiplicity(row: list[str]) -> None:
    check(f'event E = x[{row[0]}]{{when="quantity > 3"}} ins(item/price)', row[1], row[2])


REFUSED_TABLE = """
-- refused by the guard or by having, the rest stays, and so does the composite that has integrated some of it (V6)
1,3 | when="not(comment)", if="count(price) != 2" | i1 p1 c1 p1.2 c1- q1         | 2: M:p1; 6: E:(p1)+q1
1,3 | when="not(comment)", if="count(price) != 2" | i1 p1 c1 p1.2 c1- p1.3 q1    | 2: M:p1; 6: M:p1+p1.2+p1.3; 7: E:(p1+p1.2+p1.3)+q1
1,3 | when="not(comment)", if="count(price) != 2" | i1 p1 c1 p1.2 c1- q1 p1.3    | 2: M:p1; 6: E:(p1)+q1; 7: M:p1.2+p1.3
-- at u it stays what it is (M2)
1,2 | when="not(comment)", if="count(price) != 2" | i1 p1 c1 p1.2 c1- p1.3 q1 q1.2 | 2: M:p1; 6: M:p1.3; 7: E:(p1)+q1; 8: E:(p1.3)+q1.2
-- an empty one is left out (M5)
0,2 | end=custom, if="count(price) != 1"          | i1 flush q1 p1 flush q1.2 p1.2 flush q1.3 | 1: M:0; 2: E:q1; 4: E:q1.2; 5: M:p1.2; 6: E:(p1.2)+q1.3
"""  # noqa: E501


@pytest.mark.parametrize("row", rows(REFUSED_TABLE), ids=str)
def test_what_is_refused_at_a_release(row: list[str]) -> None:
    check(f"event E = x[{row[0]}]{{name=M, {row[1]}}} ins(item/price) & ins(item/quantity)", row[2], row[3])
