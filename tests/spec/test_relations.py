"""Interval relations: which hold where, and how the contexts choose (R1, Q1, E5)."""

# ruff: noqa: E501 (a row of a table is one line)

from __future__ import annotations

import pytest

from tests.spec.alphabet import steps_of
from tests.spec.tables import EVALUATORS, Case, Runner, cases, check, rows, run_reference, title

RELATIONS = (
    "before", "after", "meets", "met-by", "overlaps", "overlapped-by", "starts", "started-by", "during", "contains",
    "finishes", "finished-by", "equals", "par",
)  # fmt: skip
P, Q, C, N = "ins(item/price)", "ins(item/quantity)", "ins(item/comment)", "ins(item)"
# The two operands, a history, and the relations that hold between the two composites it gives.
HOLDING = f"""
{P} & {Q} | {C} & {N} | p1 q1 c1 i1 | before
{P} & {Q} | {C} & {N} | c1 i1 p1 q1 | after
{P} & {Q} | {C} & {N} | p1 c1 q1 i1 | overlaps par
{P} & {Q} | {C} & {N} | c1 p1 i1 q1 | overlapped-by par
{P} & {Q} | {C} & {N} | c1 p1 q1 i1 | during par
{P} & {Q} | {C} & {N} | p1 c1 i1 q1 | contains par
{P} ; {Q} | {Q} ; {C} | p1 q1 c1    | meets par
{Q} ; {C} | {P} ; {Q} | p1 q1 c1    | met-by par
{P} ; {Q} | {P} ; {C} | p1 q1 c1    | starts par
{P} ; {C} | {P} ; {Q} | p1 q1 c1    | started-by par
{Q} ; {C} | {P} ; {C} | p1 q1 c1    | finishes par
{P} ; {C} | {Q} ; {C} | p1 q1 c1    | finished-by par
{P} ; {Q} | {P} & {Q} | p1 q1       | equals par
-- of points, and of a point with what lasts: it meets where it starts
{P}       | {Q}       | p1 q1       | before
{P}       | {Q}       | q1 p1       | after
-- two events are different ones (Q1)
{P}       | *(item/price) | p1      |
{C}       | {P} & {Q} | p1 c1 q1    | during par
{P} & {Q} | {C}       | p1 c1 q1    | contains par
{P}       | {P} & {Q} | p1 q1       | starts par meets
{Q}       | {P} & {Q} | p1 q1       | finishes par met-by
"""


@pytest.mark.parametrize("run", EVALUATORS)
@pytest.mark.parametrize("row", rows(HOLDING), ids=str)
def test_which_hold(run: Runner, row: list[str]) -> None:
    """These and no others."""
    one, other, words, holding = row
    steps, _ = steps_of(words)
    events = {f"E{number}": relation for number, relation in enumerate(RELATIONS)}
    raised = run(
        "\n".join(f"event {name} = ({one}) {which} ({other})" for name, which in events.items()), steps
    )
    assert {events[each["name"]] for each in raised if each["operator"] is None} == set(holding.split())


TABLE = """
event E {context=$context} = ins(item/price) before ins(item/quantity)
    unrestricted | p1 p1.2 q1 q1.2     | 3: p1+q1 p1.2+q1; 4: p1+q1.2 p1.2+q1.2
    recent       | p1 p1.2 q1 q1.2     | 3: p1.2+q1; 4: p1.2+q1.2
    chronicle    | p1 p1.2 q1 q1.2     | 3: p1+q1; 4: p1.2+q1.2
    continuous   | p1 p1.2 q1 q1.2     | 3: p1.2+q1 p1+q1
    cumulative   | p1 p1.2 q1 q1.2     | 3: p1+p1.2+q1
    next         | p1 p1.2 q1 q1.2     | 3: p1+q1 p1.2+q1
    # what came too early makes up no combination, and is not in the way
    unrestricted | q1 p1 q1.2          | 3: p1+q1.2
    recent       | q1 p1 q1.2          | 3: p1+q1.2
    chronicle    | q1 p1 q1.2          | 3: p1+q1.2
    continuous   | q1 p1 q1.2          | 3: p1+q1.2
    cumulative   | q1 p1 q1.2 p1.2 q1.3 | 3: p1+q1.2; 5: p1.2+q1.3
    next         | q1 p1 q1.2          | 3: p1+q1.2
    # recent: the newest two or nothing, and nothing is used up, as in a conjunction
    recent       | p1 q1 p1.2 q1.2     | 2: p1+q1; 4: p1.2+q1.2
    recent       | p1 q1 q1.2          | 2: p1+q1; 3: p1+q1.2
    # groups
    chronicle    | p1 q2 q1            | 3: p1+q1
# the order in which the operands are written says nothing about who comes first
event E {context=$context} = ins(item/price) after ins(item/quantity)
    unrestricted, recent, chronicle, continuous, cumulative, next | q1 p1 | 2: p1+q1
# continuous: the newest partner with which the relation holds
event A(item) {context=unrestricted} = ins(item/price) & ins(item/quantity)
event E {context=continuous} = ins(item/comment) during A(item)
    p1 p1.2 c1 q1                      | 4: A:p1+q1 A:p1.2+q1 E:c1+(p1+q1) E:c1+(p1.2+q1)
    p1 c1 p1.2 q1                      | 4: A:p1+q1 A:p1.2+q1 E:c1+(p1+q1)
# several arrivals of one time point find their partners among those there were before the first (Q1)
event A(item) {context=unrestricted} = ins(item/price) & ins(item/quantity)
event E {context=continuous} = ins(item/comment) before A(item)
    c1 c1.2 p1 p1.2 q1                 | 5: A:p1+q1 A:p1.2+q1 E:c1.2+(p1+q1) E:c1+(p1+q1) E:c1.2+(p1.2+q1) E:c1+(p1.2+q1)
    c1 p1 c1.2 p1.2 q1                 | 5: A:p1+q1 A:p1.2+q1 E:c1+(p1+q1) E:c1.2+(p1.2+q1) E:c1+(p1.2+q1)
# deferred (D5): the newest waiting arrival that is in a combination is the terminator of continuous
event E {context=$context} = (ins(item/price) before ins(item/quantity)){end=custom}
    unrestricted | p1 q1 p1.2 flush    | 3: p1+q1
    recent       | p1 q1 p1.2 flush    |
    chronicle    | p1 q1 p1.2 flush    | 3: p1+q1
    continuous   | p1 q1 p1.2 flush    | 3: p1+q1
    continuous   | p1 p1.2 q1 q1.2 p1.3 flush | 5: p1.2+q1 p1+q1
    cumulative   | p1 q1 p1.2 flush q1.2 flush | 3: p1+q1; 4: p1.2+q1.2
    next         | p1 q1 p1.2 flush q1.2 flush | 3: p1+q1; 4: p1.2+q1.2
# with a window; it binds tighter than & (R1)
event E = (ins(item/price) before ins(item/quantity)){within="2 changes"}
    p1 c1 q1                           |
    p1 q1                              | 2: p1+q1
event E = ins(item/comment) & ins(item/price) before ins(item/quantity)
    c1 p1 q1                           | 3: relation1:p1+q1 E:c1+(p1+q1)
# detection order is about sequences: here intervals count, also of what is detected later (H2)
event E {flat, order=detection} = plus[ins(item/price), "5 s"] before ins(item/quantity)
    @0 p1 q1 @6 c1                     | 3: plus1:p1 E:(p1)+q1
    @0 q1 p1 @6 c1                     | 3: plus1:p1
event E {flat, order=detection} = (ins(item/price) ; ins(item/comment)) contains ins(item/quantity)
    p1 q1 c1                           | 3: sequence1:p1+c1 E:(p1+c1)+q1
    p1 c1 q1                           | 2: sequence1:p1+c1
"""


@pytest.mark.parametrize("case", cases(TABLE), ids=title)
def test_contexts(case: Case) -> None:
    check(*case)


def test_every_relation_holds_somewhere_and_fails_somewhere() -> None:
    held = {relation for row in rows(HOLDING) for relation in row[3].split()}
    assert held == set(RELATIONS)
    assert run_reference("event E = ins(item/price) during ins(item/quantity)", steps_of("p1 q1")[0]) == []
