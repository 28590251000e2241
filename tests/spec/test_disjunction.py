"""Disjunction (H6, H7, T1, D5)."""

from __future__ import annotations

import pytest

from tests.spec.tables import check, rows

TABLE = """
-- one composite per arrival, nothing is stored
ins(item/price) | ins(item/quantity)                      :: p1 q1 p1.2             :: 1: p1; 2: q1; 3: p1.2
-- an event that two operands take is that of the first (H6)
ins(item/price) | *(item/price)                           :: p1                     :: 1: p1
-- a single leaf is a disjunction of one operand with the leaf's path type (T1)
ins(item/price)                                           :: p1 q1 p2               :: 1: p1; 3: p2
upd(item)                                                 :: i1 i1! n1!             :: 2: i1!; 3: n1!
-- deferred: one per arrival, in the order of arrival; cumulative: one of all, in the order of the operands
(ins(item/price) | ins(item/quantity)){end=custom}        :: q1 p1 flush flush      :: 2: q1 p1
(ins(item/price) | ins(item/quantity)){end=custom, path=/order} :: q2 p1 flush      :: 2: q2 p1
(ins(item/price) | ins(item/quantity)){end=non-local}     :: q1 p1 i2               :: 3: q1 p1
-- an operand's composite is consumed by the raise: the multiplicity starts over (H7, M3)
x[1,*] ins(item/price) | ins(item/quantity)               :: p1 p1.2                :: 1: (p1); 2: (p1.2)
-- pending, it is not consumed yet: the next one integrates it
(x[1,*] ins(item/price) | ins(item/quantity)){end=custom} :: p1 p1.2 flush p1.3 flush :: 2: (p1+p1.2); 3: (p1.3)
"""
CUMULATIVE_TABLE = """
(ins(item/price) | ins(item/quantity)){end=custom}        :: q1 p1 flush flush      :: 2: p1+q1
(ins(item/price) | *(item/price)){end=custom}             :: p1 p1! flush           :: 2: p1+p1!
ins(item/price) | ins(item/quantity)                      :: q1 p1                  :: 1: q1; 2: p1
"""


def cases(table: str) -> list[list[str]]:
    """Rows whose cells are divided by ``::``, as ``|`` is an operator here."""
    lines = [line.strip() for line in table.strip().splitlines()]
    return [[cell.strip() for cell in line.split("::")] for line in lines if not line.startswith("--")]


@pytest.mark.parametrize("row", cases(TABLE), ids=str)
def test_disjunction(row: list[str]) -> None:
    check(f"event E = {row[0]}", row[1], row[2])


@pytest.mark.parametrize("row", cases(CUMULATIVE_TABLE), ids=str)
def test_cumulative_disjunction(row: list[str]) -> None:
    check(f"event E {{context=cumulative}} = {row[0]}", row[1], row[2])


def test_rows_are_rows() -> None:
    assert all(len(row) == 3 for row in [*cases(TABLE), *cases(CUMULATIVE_TABLE)])
    assert rows("a | b") == [["a", "b"]]
