"""Conjunction and sequence in the five Snoop contexts (P10, H1, H2, H3, Q1, Q2, E5)."""

from __future__ import annotations

import pytest

from tests.spec.tables import check, rows

CONJUNCTION = "event E {context=$context} = ins(item/price) & ins(item/quantity)"
CONJUNCTION_TABLE = """
-- several operands on one side: every one, the newest, the oldest, from the newest down, all
unrestricted | p1 p1.2 q1 q1.2 | 3: p1+q1 p1.2+q1; 4: p1+q1.2 p1.2+q1.2
recent       | p1 p1.2 q1 q1.2 | 3: p1.2+q1; 4: p1.2+q1.2
chronicle    | p1 p1.2 q1 q1.2 | 3: p1+q1; 4: p1.2+q1.2
continuous   | p1 p1.2 q1 q1.2 | 3: p1.2+q1 p1+q1
cumulative   | p1 p1.2 q1 q1.2 | 3: p1+p1.2+q1
-- the terminator may be an event of either operand; in continuous context it stays and starts a later one
unrestricted | q1 p1 p1.2 q1.2 | 2: p1+q1; 3: p1.2+q1; 4: p1+q1.2 p1.2+q1.2
recent       | q1 p1 p1.2 q1.2 | 2: p1+q1; 3: p1.2+q1; 4: p1.2+q1.2
chronicle    | q1 p1 p1.2 q1.2 | 2: p1+q1; 4: p1.2+q1.2
continuous   | q1 p1 p1.2 q1.2 | 2: p1+q1; 4: p1.2+q1.2 p1+q1.2
cumulative   | q1 p1 p1.2 q1.2 | 2: p1+q1; 4: p1.2+q1.2
-- events of different items never combine (H1)
unrestricted | p1 q2 q1 p2     | 3: p1+q1; 4: p2+q2
recent       | p1 q2 q1 p2     | 3: p1+q1; 4: p2+q2
chronicle    | p1 q2 q1 p2     | 3: p1+q1; 4: p2+q2
continuous   | p1 q2 q1 p2     | 3: p1+q1; 4: p2+q2
cumulative   | p1 q2 q1 p2     | 3: p1+q1; 4: p2+q2
-- m1 and r1 lie in an item in an item, which is a group of its own (P10)
unrestricted | m1 q1 p1 r1     | 3: p1+q1; 4: m1+r1
recent       | m1 q1 p1 r1     | 3: p1+q1; 4: m1+r1
chronicle    | m1 q1 p1 r1     | 3: p1+q1; 4: m1+r1
continuous   | m1 q1 p1 r1     | 3: p1+q1; 4: m1+r1
cumulative   | m1 q1 p1 r1     | 3: p1+q1; 4: m1+r1
"""

FLAT_CONJUNCTION = "event E {flat, context=$context} = ins(item/price) & ins(item/quantity)"
FLAT_CONJUNCTION_TABLE = """
unrestricted | p1 q2 q1 | 2: p1+q2; 3: p1+q1
recent       | p1 q2 q1 | 2: p1+q2; 3: p1+q1
chronicle    | p1 q2 q1 | 2: p1+q2
continuous   | p1 q2 q1 | 2: p1+q2
cumulative   | p1 q2 q1 | 2: p1+q2
-- in flat context everything takes part (H1)
chronicle    | m1 q2    | 2: m1+q2
"""

THREE = "event E {context=$context} = ins(item/price) & ins(item/quantity) & ins(item/comment)"
THREE_TABLE = """
unrestricted | p1 p1.2 q1 c1 c1.2 | 4: p1+q1+c1 p1.2+q1+c1; 5: p1+q1+c1.2 p1.2+q1+c1.2
recent       | p1 p1.2 q1 c1 c1.2 | 4: p1.2+q1+c1; 5: p1.2+q1+c1.2
chronicle    | p1 p1.2 q1 c1 c1.2 | 4: p1+q1+c1
continuous   | p1 p1.2 q1 c1 c1.2 | 4: p1.2+q1+c1
cumulative   | p1 p1.2 q1 c1 c1.2 | 4: p1+p1.2+q1+c1
"""

SAME_EVENT = "event E {context=$context} = ins(item/price) & *(item/price)"
SAME_EVENT_TABLE = """
-- different events: one that fits two operands is in one of them, and used up in both (Q1)
chronicle    | p1 p1! | 2: p1+p1!
recent       | p1 p1! | 2: p1+p1!
unrestricted | p1 p1! | 2: p1+p1!
continuous   | p1 p1! | 2: p1+p1!
cumulative   | p1 p1! | 2: p1+p1!
next         | p1 p1! | 2: p1+p1!
"""
SAME_EVENTS = "event E(item) {context=$context} = ins(item/price) & ins(item/price)"
SAME_EVENTS_TABLE = """
unrestricted | p1 p1.2 p1.3      | 2: p1+p1.2 p1.2+p1; 3: p1+p1.3 p1.2+p1.3 p1.3+p1 p1.3+p1.2
-- each keeps the newest, which is the same
recent       | p1 p1.2 p1.3      |
chronicle    | p1 p1.2 p1.3 p1.4 | 2: p1+p1.2; 4: p1.3+p1.4
continuous   | p1 p1.2 p1.3 p1.4 | 2: p1.2+p1; 3: p1.3+p1.2; 4: p1.4+p1.3
cumulative   | p1 p1.2 p1.3 p1.4 | 2: p1+p1.2; 4: p1.3+p1.4
next         | p1 p1.2 p1.3      | 2: p1+p1.2 p1.2+p1; 3: p1.2+p1.3 p1.3+p1.2
"""
SAME_IN_ORDER = "event E(item) {context=$context} = ins(item/price) ; ins(item/price)"
SAME_IN_ORDER_TABLE = """
unrestricted | p1 p1.2 p1.3      | 2: p1+p1.2; 3: p1+p1.3 p1.2+p1.3
recent       | p1 p1.2 p1.3      |
chronicle    | p1 p1.2 p1.3 p1.4 | 2: p1+p1.2; 4: p1.3+p1.4
continuous   | p1 p1.2 p1.3 p1.4 | 2: p1+p1.2; 4: p1.3+p1.4
cumulative   | p1 p1.2 p1.3 p1.4 | 2: p1+p1.2; 4: p1.3+p1.4
-- runs share events
next         | p1 p1.2 p1.3 p1.4 | 2: p1+p1.2; 3: p1.2+p1.3; 4: p1.3+p1.4
"""

SEQUENCE = "event E {context=$context} = ins(item/price) ; ins(item/quantity)"
SEQUENCE_TABLE = """
unrestricted | p1 p1.2 q1 q1.2 | 3: p1+q1 p1.2+q1; 4: p1+q1.2 p1.2+q1.2
-- recent: all but the first operand's event are consumed
recent       | p1 p1.2 q1 q1.2 | 3: p1.2+q1; 4: p1.2+q1.2
chronicle    | p1 p1.2 q1 q1.2 | 3: p1+q1; 4: p1.2+q1.2
continuous   | p1 p1.2 q1 q1.2 | 3: p1.2+q1 p1+q1
cumulative   | p1 p1.2 q1 q1.2 | 3: p1+p1.2+q1
-- what came too early completes nothing
unrestricted | q1 p1 q1.2      | 3: p1+q1.2
recent       | q1 p1 q1.2      | 3: p1+q1.2
chronicle    | q1 p1 q1.2      | 3: p1+q1.2
continuous   | q1 p1 q1.2      | 3: p1+q1.2
cumulative   | q1 p1 q1.2      | 3: p1+q1.2
"""

THREE_IN_SEQUENCE = "event E {context=$context} = ins(item/price) ; ins(item/quantity) ; ins(item/comment)"
THREE_IN_SEQUENCE_TABLE = """
unrestricted | p1 q1 p1.2 q1.2 c1      | 5: p1+q1+c1 p1+q1.2+c1 p1.2+q1.2+c1
recent       | p1 q1 p1.2 q1.2 c1 c1.2 | 5: p1.2+q1.2+c1
chronicle    | p1 q1 p1.2 q1.2 c1 c1.2 | 5: p1+q1+c1; 6: p1.2+q1.2+c1.2
continuous   | p1 q1 p1.2 q1.2 c1 c1.2 | 5: p1.2+q1.2+c1 p1+q1+c1
cumulative   | p1 q1 p1.2 q1.2 c1 c1.2 | 5: p1+p1.2+q1+q1.2+c1
-- the newest that is in order AND can be extended: q1.2 has no price before it that is left (Q1)
continuous   | p1 q1 q1.2 p1.2 c1      | 5: p1+q1.2+c1
chronicle    | q1 p1 p1.2 q1.2 c1      | 5: p1+q1.2+c1
cumulative   | q1 p1 q1.2 p1.2 c1      | 5: p1+q1.2+c1
"""

# A custom operand raises a composite whose interval lies in the past: terminators may be there already.
DEFERRED = "event E {context=$context} = x[1,*]{end=custom} ins(item/price) ; ins(item/quantity)"
DEFERRED_TABLE = """
unrestricted | p1 q1 q1.2 flush      | 3: (p1)+q1 (p1)+q1.2
recent       | p1 q1 q1.2 flush      | 3: (p1)+q1.2
chronicle    | p1 q1 q1.2 flush      | 3: (p1)+q1
continuous   | p1 q1 q1.2 flush      | 3: (p1)+q1
cumulative   | p1 q1 q1.2 flush      | 3: (p1)+q1+q1.2
-- q1 lies within the interval [1,3] of the prices: not before, not after
unrestricted | p1 q1 p1.2 q1.2 flush | 4: (p1+p1.2)+q1.2
recent       | p1 q1 p1.2 q1.2 flush | 4: (p1+p1.2)+q1.2
chronicle    | p1 q1 p1.2 q1.2 flush | 4: (p1+p1.2)+q1.2
continuous   | p1 q1 p1.2 q1.2 flush | 4: (p1+p1.2)+q1.2
cumulative   | p1 q1 p1.2 q1.2 flush | 4: (p1+p1.2)+q1.2
"""

TABLES = {
    "conjunction": (CONJUNCTION, CONJUNCTION_TABLE),
    "flat conjunction": (FLAT_CONJUNCTION, FLAT_CONJUNCTION_TABLE),
    "three in conjunction": (THREE, THREE_TABLE),
    "same event twice": (SAME_EVENT, SAME_EVENT_TABLE),
    "same events": (SAME_EVENTS, SAME_EVENTS_TABLE),
    "same events in order": (SAME_IN_ORDER, SAME_IN_ORDER_TABLE),
    "sequence": (SEQUENCE, SEQUENCE_TABLE),
    "three in sequence": (THREE_IN_SEQUENCE, THREE_IN_SEQUENCE_TABLE),
    "deferred operand": (DEFERRED, DEFERRED_TABLE),
}
CASES = [
    pytest.param(rules, row, id=f"{title}: {row[0]}: {row[1]}")
    for title, (rules, table) in TABLES.items()
    for row in rows(table)
]


@pytest.mark.parametrize(("rules", "row"), CASES)
def test_contexts(rules: str, row: list[str]) -> None:
    context, words, expected = row
    check(rules, words, expected, {"context": context})


ORDER = "event E {flat, order=$order} = ins(item) ; (ins(item/price) & ins(item/quantity))"
ORDER_TABLE = """
-- price and quantity span [1,3] but are detected at 3 (H2)
interval  | p1 i1 q1 |
detection | p1 i1 q1 | 3: i1+(p1+q1)
interval  | i1 p1 q1 | 3: i1+(p1+q1)
detection | i1 p1 q1 | 3: i1+(p1+q1)
"""


@pytest.mark.parametrize("row", rows(ORDER_TABLE), ids=str)
def test_interval_and_detection_order(row: list[str]) -> None:
    check(ORDER, row[1], row[2], {"order": row[0]})
