"""The three tables of *Composite Events for XML*, in compact form.

Composites are compared by the primitive events in them (the paper writes ``i1p1q1``), per time point and
in any order; Table 3 gives the operators that raise, in postorder.
"""

from __future__ import annotations

import re
from string import Template

import pytest

from tests.reference import evaluate
from tests.spec.alphabet import steps_of
from tests.spec.tables import EVALUATORS, Runner, render, rows
from xmlcep.errors import RuleProblem
from xmlcep.language import parse_definitions

TABLE_1_RULES = """
event Root {flat, order=detection, context=$context} = ins(item) ; (ins(item/price) & ins(item/quantity)){name=And}
"""
TABLE_1_SEQUENCES = {
    "S1": "i1 p1 q1 i2 p2 q2",
    "S2": "i1 i2 p1 p2 q1 q2",
    "S3": "i1 i2 p1 q1 p2 q2",
    "S4": "i1 i2 p1 q2 p2 q1",
}
# context | sequence | raised by the root | raised by the conjunction and left unconsumed
TABLE_1 = """
cumulative | S1 | 3: i1+p1+q1; 6: i2+p2+q2 |
cumulative | S2 | 5: i1+i2+p1+p2+q1        |
cumulative | S3 | 4: i1+i2+p1+q1           | 6: p2+q2
cumulative | S4 | 4: i1+i2+p1+q2           | 6: p2+q1
chronicle  | S1 | 3: i1+p1+q1; 6: i2+p2+q2 |
chronicle  | S2 | 5: i1+p1+q1; 6: i2+p2+q2 |
chronicle  | S3 | 4: i1+p1+q1; 6: i2+p2+q2 |
chronicle  | S4 | 4: i1+p1+q2; 6: i2+p2+q1 |
recent     | S1 | 3: i1+p1+q1; 5: i2+p2+q1; 6: i2+p2+q2 |
recent     | S2 | 5: i2+p2+q1; 6: i2+p2+q2 |
recent     | S3 | 4: i2+p1+q1; 5: i2+p2+q1; 6: i2+p2+q2 |
recent     | S4 | 4: i2+p1+q2; 5: i2+p2+q2; 6: i2+p2+q1 |
continuous | S1 | 3: i1+p1+q1; 5: i2+p2+q1 | 6: p2+q2
continuous | S2 | 5: i1+p1+q1 i1+p2+q1 i2+p1+q1 i2+p2+q1 |
continuous | S3 | 4: i1+p1+q1 i2+p1+q1     | 5: p2+q1; 6: p2+q2
continuous | S4 | 4: i1+p1+q2 i2+p1+q2     | 5: p2+q2; 6: p2+q1
"""


@pytest.mark.parametrize("run", EVALUATORS)
@pytest.mark.parametrize("row", rows(TABLE_1), ids=lambda row: f"{row[0]}-{row[1]}")
def test_table_1(run: Runner, row: list[str]) -> None:
    context, sequence, raised, unconsumed = row
    steps, names = steps_of(TABLE_1_SEQUENCES[sequence])
    records = run(Template(TABLE_1_RULES).substitute(context=context), steps)
    roots = [record for record in records if record["operator"] is None]
    assert _flattened(render(roots, names)) == _flattened(raised)
    used = [str(inner) for root in roots for inner in root["constituents"]]
    left = [
        r for r in records if r["operator"] == "And" and not any(str(r["constituents"]) in u for u in used)
    ]
    assert _flattened(render(left, names)) == _flattened(unconsumed)


# sequence: q1.1 and q1.2 of the paper are the insertion and the update of item 1's quantity
TABLE_2_RULES = "event Root {context=$context} = *(item/quantity) & upd(item/price)"
TABLE_2_SEQUENCE = "q1 q2 q1! p2! p1!"
# context | raised by the root | unconsumed after t5
TABLE_2 = """
cumulative | 4: p2!+q2; 5: p1!+q1+q1!      |
chronicle  | 4: p2!+q2; 5: p1!+q1          | q1!
recent     | 4: p2!+q2; 5: p1!+q1!         | p1! p2! q1! q2
continuous | 4: p2!+q2; 5: p1!+q1 p1!+q1!  | p1! p2!
"""


@pytest.mark.parametrize("run", EVALUATORS)
@pytest.mark.parametrize("row", rows(TABLE_2), ids=lambda row: row[0])
def test_table_2(run: Runner, row: list[str]) -> None:
    context, raised, _ = row
    steps, names = steps_of(TABLE_2_SEQUENCE)
    records = run(Template(TABLE_2_RULES).substitute(context=context), steps)
    assert _flattened(render(records, names)) == _flattened(raised)


@pytest.mark.parametrize("row", rows(TABLE_2), ids=lambda row: row[0])
def test_table_2_unconsumed(row: list[str]) -> None:
    steps, names = steps_of(TABLE_2_SEQUENCE)
    problems: list[RuleProblem] = []
    rules = parse_definitions(Template(TABLE_2_RULES).substitute(context=row[0]), problems)
    stored = evaluate(rules.definitions, steps).stored("Root")
    assert sorted(names[event.ts] for child in stored for event in child) == row[2].split()


TABLE_3_RULES = """
event I {context=$context} = ins(item) ;
    (x[0,1]{name=C} ins(item/comment) & ins(item/price) & x[1,*]{name=Q, end=$q_end} ins(item/quantity))
    {name=H, end=$h_end}
"""
TABLE_3_CONFIGURATIONS = {  # termination of the conjunction, of the quantity multiplicity
    "1a": ("earliest", "earliest"),
    "1b": ("earliest", "non-local"),
    "2a": ("non-local", "earliest"),
    "2b": ("non-local", "non-local"),
}
TABLE_3_SEQUENCES = {
    "S6": "i1 p1 q1 i2",
    "S7": "i1 p1 c1 q1 i2",
    "S8": "i1 p1 q1.1 c1 q1.2 i2",
    "S9": "i1 p1 i2 p2 q1 q2",
}
TABLE_3 = """
1a | S6 | 1: C1; 3: Q1 H1 I1; 4: C2
1a | S7 | 1: C1; 3: C1; 4: Q1 H1 I1; 5: C2
1a | S8 | 1: C1; 3: Q1 H1 I1; 4: C1; 5: Q1; 6: C2
1a | S9 | 1: C1; 3: C2; 5: Q1 H1 I1; 6: Q2 H2 I2
1b | S6 | 1: C1; 4: C2 Q1 H1 I1
1b | S7 | 1: C1; 3: C1; 5: C2 Q1 H1 I1
1b | S8 | 1: C1; 4: C1; 6: C2 Q1 H1 I1
1b | S9 | 1: C1; 3: C2; 6: Q1 H1 I1
2a | S6 | 1: C1; 3: Q1; 4: C2 H1 I1
2a | S7 | 1: C1; 3: C1; 4: Q1; 5: C2 H1 I1
2a | S8 | 1: C1; 3: Q1; 4: C1; 5: Q1; 6: C2 H1 I1
-- the printed cell of S9 at t6 leaves Q2 out, the definitions do not
2a | S9 | 1: C1; 3: C2; 5: Q1; 6: Q2 H1 I1
2b | S6 | 1: C1; 4: C2 Q1 H1 I1
2b | S7 | 1: C1; 3: C1; 5: C2 Q1 H1 I1
2b | S8 | 1: C1; 4: C1; 6: C2 Q1 H1 I1
2b | S9 | 1: C1; 3: C2; 6: Q1 H1 I1
"""


@pytest.mark.parametrize("run", EVALUATORS)
@pytest.mark.parametrize(
    ("context", "configuration", "sequence", "expected"),
    [
        pytest.param(context, *row, id=f"{row[0]}-{row[1]}-{context}")
        for row in rows(TABLE_3)
        for context in ("cumulative", "chronicle", "continuous", "recent")
        if (row[1], context) != ("S8", "recent")  # which does not follow from the definitions: see below
    ],
)
def test_table_3(run: Runner, context: str, configuration: str, sequence: str, expected: str) -> None:
    assert _raising_operators(run, context, configuration, sequence) == expected


@pytest.mark.parametrize("run", EVALUATORS)
def test_table_3_s8_in_recent_context_does_not_follow_from_the_definitions(run: Runner) -> None:
    """The retained price and quantity make the conjunction fire again at t4 and t5, and the paper's row has no
    such composites. Pinned, so that the exception above stays an exception for this reason only."""
    raised = _raising_operators(run, "recent", "1a", "S8")
    assert raised == "1: C1; 3: Q1 H1 I1; 4: C1 H1 I1; 5: Q1 H1 I1; 6: C2"


def _raising_operators(run: Runner, context: str, configuration: str, sequence: str) -> str:
    h_end, q_end = TABLE_3_CONFIGURATIONS[configuration]
    steps, _ = steps_of(TABLE_3_SEQUENCES[sequence])
    rules = Template(TABLE_3_RULES).substitute(context=context, h_end=h_end, q_end=q_end)
    times: dict[int, list[str]] = {}
    for record in run(rules, steps):
        item = record["ids"][-1] // 10_000
        times.setdefault(record["ts"], []).append(f"{record['operator'] or record['name']}{item}")
    return "; ".join(f"{ts}: {' '.join(found)}" for ts, found in times.items())


def _flattened(raised: str) -> dict[str, list[list[str]]]:
    """``5: a+(b+c)`` as {"5": [["a", "b", "c"]]}, all sorted."""
    found = {}
    for part in filter(None, raised.split(";")):
        ts, composites = part.split(":")
        found[ts.strip()] = sorted(sorted(re.findall(r"[^\s+()]+", one)) for one in composites.split())
    return found
