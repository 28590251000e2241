"""What happens at nodes that are gone: what had happened before has its time, and no window is open (A4, G4, W10, W7)."""

# ruff: noqa: E501 (a row of a table is one line)

from __future__ import annotations

import pytest

from tests.spec.alphabet import steps_of
from tests.spec.tables import Case, cases, check, title
from xmlcep import Detector, PrimitiveEvent, parse_rules

GONE = """
# what comes late meets what came before, and what comes late, too
event E {context=$context} = ins(item/comment) & plus[ins(item/price), "5 s"]{name=P}
    chronicle, recent, continuous, unrestricted, cumulative, next | @0 i1 c1 p1 p1- c1- i1- @9 i2 | 7: P:p1 E:c1+(p1)
    chronicle, recent, continuous, unrestricted, cumulative, next | @0 i1 c1 p1 p1- c1- i1- >9 i2 | 6: P:p1 E:c1+(p1)
    chronicle, recent, continuous, unrestricted, cumulative, next | (@0 i1 c1 p1 p1- c1- i1-) @9 i2 | 7: P:p1 E:c1+(p1)
event E = any[2](ins(item/comment), plus[ins(item/price), "5 s"]{name=P}, ins(item/quantity))
    @0 i1 c1 p1 p1- c1- i1- @9 i2      | 7: P:p1 E:c1+(p1)
event E = ins(item/comment) before plus[ins(item/price), "5 s"]{name=P}
    @0 i1 c1 p1 p1- c1- i1- @9 i2      | 7: P:p1 E:c1+(p1)
event E = ins(item/comment) ; not ins(item/quantity) ; plus[ins(item/price), "5 s"]{name=P}
    @0 i1 c1 p1 p1- c1- i1- @9 i2      | 7: P:p1 E:c1+(p1)
    @0 i1 c1 q1 p1 p1- q1- c1- i1- @9 i2 | 9: P:p1
event E = x[2,2]{path=item} (ins(item/comment) | plus[ins(item/price), "5 s"]{name=P})
    @0 i1 c1 p1 p1- c1- i1- @9 i2      | 2: disjunction1:c1; 7: P:p1 disjunction1:(p1) E:(c1)+((p1))
event E = ins(item/comment) & (ins(item/price) ; not ins(item/quantity)){within="5 s", name=N}
    @0 i1 c1 p1 p1- c1- i1- @9 i2      | 7: N:p1 E:c1+(p1)
# a timer on a timer, a release on a timer, a timer on a release
event E = ins(item/comment) & plus[plus[ins(item/price), "2 s"]{name=P}, "3 s"]{name=Q}
    @0 i1 c1 p1 p1- c1- i1- @9 i2      | 7: P:p1 Q:(p1) E:c1+((p1))
event E = ins(item/comment) & (plus[ins(item/price), "2 s"]{name=P} & ins(item/quantity)){end=custom, name=Q}
    @0 i1 c1 p1 q1 q1- p1- c1- i1- @9 i2 flush | 9: P:p1 Q:(p1)+q1 E:c1+((p1)+q1)
event E = ins(item/comment) & plus[x[1,*]{end=non-local, name=M} ins(item/price), "3 s"]{name=Q}
    @0 i1 c1 p1 p1- c1- i1- @9 i2 @20 i3 | 7: M:p1; 8: Q:(p1) E:c1+((p1))
# of another event
event P = plus[ins(item/price), "5 s"]
event E(item) = ins(item/comment) & P(item/price)
    @0 i1 c1 p1 p1- c1- i1- @9 i2      | 7: P:p1 E:c1+(p1)
event P {flat} = plus[ins(item/price), "5 s"]
event E(item) = ins(item/comment) & P(item/price)
    @0 i1 c1 p1 p1- c1- i1- @9 i2      | 7: P:p1 E:c1+(p1)
# a window of a value
event E = ins(item/@partNum) as $n & plus[*(item/price/text()) as $n, "5 s"]{name=P}
    @0 i1 a1=7 p1 t1=7 t1- p1- a1- i1- @9 i2 | 9: P:t1=7{n=[7]} P:t1-{n=[7]} E:a1=7+(t1=7){n=7}
# no window opens at a node that is gone, whatever opens it: by a timer, an absence, a release
event E {context=$context} = periodic[plus[ins(item/price), "1 s"]{name=P, path=item}, "3 s", ins(item/quantity)]
    chronicle, recent, continuous, unrestricted, cumulative | @0 i1 p1 @9 i2 | 3: P:p1 E:(p1) E:(p1)
    chronicle, recent, continuous, unrestricted, cumulative | @0 i1 p1 p1- i1- @9 i2 @20 i3 | 5: P:p1
    chronicle, recent, continuous, unrestricted, cumulative | (@0 i1 p1 p1- i1-) @9 i2 >20 | 5: P:p1
event E = periodic[(ins(item/price) ; not ins(item/comment)){within="1 s", name=N}, "3 s", ins(item/quantity)]
    @0 i1 p1 @9 i2                     | 3: N:p1 E:(p1) E:(p1)
    @0 i1 p1 p1- i1- @9 i2 @20 i3      | 5: N:p1
event E = periodic[x[1,*]{end=non-local, name=M} ins(item/price), "3 s", ins(item/quantity)]
    @0 i1 p1 i2 @9 i3                  | 3: M:p1; 4: E:(p1) E:(p1)
    @0 i1 p1 p1- i1- @9 i2 @20 i3      | 5: M:p1
event E = periodic[x[1,*]{end=custom, name=M} ins(item/price), "3 s", ins(item/quantity)]
    @0 i1 p1 p1- i1- @1 i2 flush @9 i3 | 5: M:p1
event P = plus[ins(item/price), "1 s"]
event E(item) = periodic[P(item/price), "3 s", ins(item/quantity)]
    @0 i1 p1 p1- i1- @9 i2 @20 i3      | 5: P:p1
# nor is there one for what would close it
event E = periodic*[plus[ins(item/price), "1 s"]{name=P, path=item}, "3 s", plus[ins(item/comment), "9 s"]{name=C}]
    @0 i1 p1 c1 @20 i2                 | 4: P:p1 C:c1 E:(p1)+(c1){times=2}
    @0 i1 p1 c1 c1- p1- i1- @20 i2     | 7: P:p1 C:c1
event E = periodic*[ins(item/price), "3 s", plus[ins(item/comment), "9 s"]{name=C}]
    @0 i1 p1 c1 @20 i2                 | 4: C:c1 E:p1+(c1){times=2}
    @0 i1 p1 c1 c1- p1- i1- @20 i2     | 7: C:c1
# what opened it is used up with it
event E = periodic[x[1,*]{name=M, path=item} plus[ins(item/price), "1 s"]{name=P, path=item}, "3 s", ins(item/quantity)]
    @0 i1 p1 p1- @0.5 p1.2 p1.2- i1- @9 i2 | 7: P:p1 P:p1.2 M:(p1) M:(p1.2)
# the windows of W8 have no time of their own: what lies in one is found, however late
event E = aperiodic[ins(item/price), ins(item/quantity)] plus[ins(item/comment), "5 s"]{name=C}
    @0 i1 p1 c1 c1- p1- i1- @9 i2      | 7: C:c1 E:p1+(c1)
event E = aperiodic*[ins(item/price), plus[ins(item/quantity), "6 s"]{name=Q}] plus[ins(item/comment), "5 s"]{name=C}
    @0 i1 p1 c1 q1 q1- c1- p1- i1- @9 i2 | 9: C:c1 Q:q1 E:p1+(c1)+(q1)
# nobody else's node closes it
event E = periodic[x[1,*]{end=custom, name=M} ins(item/price), "3 s", ins(item/quantity)]
    @0 i1 p1 i2 p2 p2- i2- @1 c1 flush @5 i3 | 7: M:p1 M:p2; 8: E:(p1)
"""


@pytest.mark.parametrize("case", cases(GONE), ids=title)
def test_gone_nodes(case: Case) -> None:
    check(*case)


@pytest.mark.parametrize(
    "rules",
    [
        'event E = ins(item/comment) & plus[ins(item/price), "5 s"]',
        'event E = periodic[plus[ins(item/price), "5 s"]{path=item}, "3 s", ins(item/quantity)]',
        'event E = periodic[ins(item/price), "3 s", plus[ins(item/comment), "5 s"]]',
        'event E = ins(item/comment) & (ins(item/price) ; not ins(item/quantity)){within="5 s"}',
        'event E = (ins(item/price) ; not ins(item/quantity)){within="5 s", when="comment"} & ins(item/comment)',
        'event E = x[0,*] plus[plus[ins(item/price), "5 s"], "5 s"] & ins(item/comment)',
        'event E = aperiodic[ins(item/price), ins(item/quantity)] plus[ins(item/comment), "5 s"]',
        'event P {flat} = plus[ins(item/price), "5 s"]\nevent E(item) = ins(item/comment) & P(item/price)',
        "event E = ins(item/@partNum) as $n & ins(item/quantity/text()) as $n",
        "event E = not ins(item/@partNum) as $n ; ins(item/quantity/text()) as $n",
        'event E = x[2,2]{by="n"} ins(item/@partNum) as $n & ins(item/quantity)',
        'event E = x[2,*] plus[ins(item/@partNum) as $n, "5 s"]{by="n"} & ins(item/comment)',
    ],
)
def test_what_outlasts_its_node_is_freed_when_its_time_has_come(rules: str) -> None:
    """G4: what is kept depends on what has still to come, not on the length of the history."""
    detector = Detector(parse_rules(rules))
    most, ts = 0, 0
    for number in range(1, 160):
        words = (
            f"@{number} i{number} a{number}=5 p{number} c{number} c{number}- p{number}- a{number}- i{number}-"
        )
        for step in steps_of(words)[0]:
            assert isinstance(step, PrimitiveEvent)
            ts += 1
            ids = (1, *(1000 * number + each for each in step.ids[1:]))
            detector.feed(
                step._replace(ts=ts, ids=ids, at=f"2026-01-01T00:{number // 60:02d}:{number % 60:02d}Z")
            )
            detector._check()
        most = max(most, detector.size())
        if number == 80:
            after_80 = most
    assert most == after_80 < 400
    detector.advance("2026-01-02T00:00:00Z")
    assert detector.size() == 0
    departed = detector._evaluation.departed
    assert not (departed.late or departed.awaited or detector.setting.gone)
