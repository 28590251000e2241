"""Timers and plus: what fires when, in which rounds, and what a firing looks like (W5 to W7), what
waits for a condition (D4, U2)."""

# ruff: noqa: E501 (a row of a table is one line)

from __future__ import annotations

from typing import Any

import pytest

from tests.spec.alphabet import steps_of
from tests.spec.tables import EVALUATORS, Case, Runner, cases, check, title

PLUS = """
event E(item) = plus[ins(item/price), "5 s"]
    @0 p1 @3 p1.2 @6 i2 @9 i3 | 3: p1; 4: p1.2
    # at the first time point that is later; exactly then it is in time; each node by itself
    @0 p1 @5 i2 @5.001 i3 | 3: p1
    @0 p1 p1- @6 i2 | 3: p1
    # in the order of the nodes, whatever came first; by the time, if that differs
    @0 p2 p1 @9 i3 | 3: p1 p2
    # it is said that the time has passed; otherwise nothing fires
    @0 p1 >5 >20 | 1: p1
    @0 p1 >4 >2 @4 i2 >4.999 flush close |
    @0 p1 close >9 |
    # what is over when an edit has ended is not said again (W6)
    (@0 p1 @9 c1) >5 >9 | 2: p1
    # a flush ends an edit, whatever its last record says (U1): time moves on
    (@0 p1 flush @6 i2) | 2: p1
    (@0 p1 @6 i2) |
event E = plus[plus[ins(item/price), "2 s"]{name=P}, "3 s"]
    @0 p1 @9 i2                        | 2: P:p1 E:(p1)
    @0 p1 @4 i2 @5 i3 @6 i4            | 2: P:p1; 4: E:(p1)
# its path is that of its operand, so that each node is by itself
event E = plus[ins(item/price), "5 s"]
    @0 p1 @3 p1.2 @6 i2 @9 i3          | 3: p1; 4: p1.2
# a multiplicity is consumed when it is raised: until then it goes on counting, and begins anew (W7)
event E = plus[x[1,*]{name=M} ins(item/price), "5 s"]
    @0 p1 @3 p1.2 @6 i2 @9 p1.3 @20 i3 | 1: M:p1; 2: M:p1+p1.2; 4: M:p1.3 E:(p1+p1.2); 5: E:(p1.3)
# what fires late was detected when it was due, before what has come already
event E = plus[plus[ins(item/quantity), "1 s"] | (x[1,*]{end=custom} ins(item/price) ; not ins(item/comment)){within="2 s"}, "10 s"]
    @0 p1 @4 q1 @9 i2 flush @10 i3 @13 i4 @20 i5 | 5: (((p1))); 6: ((q1))
# as an operand; its interval is that of its operand, in the past
event E = plus[ins(item/price), "5 s"]{name=P} ; ins(item/price/text())
    @0 i1 p1 t1=5 @6 i2                | 4: P:p1 E:(p1)+t1=5
event E = ins(item/quantity) & plus[ins(item/price), "5 s"]{name=P}
    @0 p1 q1 @6 i2                     | 3: P:p1 E:q1+(p1)
    @0 p1 @6 q1                        | 2: P:p1 E:q1+(p1)
# by values
event E = plus[*(item/@partNum) as $n, "5 s"]{by="n"}
    @0 a1=7 @3 a1=8 @6 i2 @9 i3        | 3: a1=7{n=7}; 4: a1=8{n=8}
# quiet for so long is what the absence of the same says (W7)
event E {within="5 s"} = ins(item/price) ; not ins(item/price)
    @0 p1 @3 p1.2 @6 i2 @9 i3          | 3: p1; 4: p1.2
event E(item) {within="5 s"} = ins(item/price) ; not ins(item/price)
    @0 p1 @3 p1.2 @6 i2 @9 i3          | 4: p1.2
    @0 p1 @5 p1.2 @6 i2 @11 i3         | 4: p1.2
# a guard is asked when it fires
event E {if="comment"} = plus[ins(item), "5 s"]
    @0 i1 @1 c1 @6 i2 @20 i3           | 3: i1
    @0 i1 @6 c1 @7 i2                  |
    @0 i1 c1 @1 i1- @9 i2              |
"""

ROUNDS = """
# each time that something is due at is a time point of its own, and one round through all trees
event A(item) = plus[ins(item/price), "5 s"]
event B(item) = plus[ins(item/quantity), "5 s"]
event C {context=unrestricted} = A(item) & B(item)
    @0 p1 q1 @9 i2                     | 3: A:p1 B:q1 C:(p1)+(q1)
    @0 p1 @1 q1 @9 i2                  | 3: A:p1 B:q1 C:(p1)+(q1)
# so what was detected at another time was detected before, though ts is the same
event E {flat, order=$context} = plus[ins(item/price), "2 s"]{name=P} ; plus[ins(item/quantity), "3 s"]{name=Q}
    detection    | @0 p1 q1 @9 i2      | 3: P:p1 Q:q1 E:(p1)+(q1)
    detection    | @0 q1 p1 @9 i2      | 3: P:p1 Q:q1 E:(p1)+(q1)
    interval     | @0 q1 p1 @9 i2      | 3: P:p1 Q:q1
    detection    | @0 p1 @1 p1.2 q1 @9 i2 | 4: P:p1 P:p1.2 Q:q1 E:(p1)+(q1)
event E {flat, order=detection} = plus[ins(item/price), "2 s"]{name=P} ; plus[ins(item/quantity), "2 s"]{name=Q}
    @0 p1 q1 @9 i2                     | 3: P:p1 Q:q1
# what is made due then is of the same round, in whatever tree
event P(item) = periodic[ins(item/price), "2 s", del(item)]
event Q(item) = periodic[P(item), "2 s", del(item)]
event E {order=detection, context=unrestricted} = P(item) ; Q(item)
    @0 p1 @3 i2                        | 2: P:p1 Q:(p1)
    @0 p1 @5 i2                        | 2: P:p1 P:p1 Q:(p1) Q:(p1) E:(p1)+((p1))
event E {flat, order=detection} = plus[ins(item/price), "2 s"]{name=P} ; ins(item/quantity)
    @0 p1 @9 q1                        | 2: P:p1 E:(p1)+q1
event E {flat, order=detection} = ins(item/quantity) ; plus[ins(item/price), "2 s"]{name=P}
    @0 p1 @9 q1                        | 2: P:p1
# a firing is nothing that happened elsewhere (D2), but the record before which it is, is
event E = (plus[ins(item/price), "5 s"]{name=P, path=item} & ins(item/quantity)){end=non-local}
    @0 p1 q1 >9                        | 2: P:p1
    @0 p1 q1 >9 @10 c1 @11 i2          | 2: P:p1; 4: E:(p1)+q1
    @0 p1 q1 @9 i2                     | 3: P:p1 E:(p1)+q1
# a flush after the time was said has that time point
event E = (plus[ins(item/price), "5 s"]{name=P, path=item} & ins(item/quantity)){end=custom}
    @0 p1 q1 >9 flush                  | 2: P:p1 E:(p1)+q1
# and that time, whatever was due before
event A(item) = plus[ins(item/price), "1 s"]
event B(item) = plus[(ins(item/price) & ins(item/quantity)){end=custom, name=Q}, "5 s"]
    @0 p1 q1 >10 flush >14             | 2: A:p1 Q:p1+q1
    @0 p1 q1 >10 flush >15             | 2: A:p1 Q:p1+q1 B:(p1+q1)
# an external event has the time of the document when it is raised (L7): what an edit has said of later counts from the
# next edit on (U2), and to say that this has passed before it has changes nothing (W6)
event Seen(item/price) = external
event E = plus[Seen(item/price), "5 s"]
    @0 i1 p1 ^Seen:p1 >5               | 2: Seen:0 E:(0)
    @0 i1 p1 >3 ^Seen:p1 >7            | 2: Seen:0
    @0 i1 p1 >3 ^Seen:p1 >8            | 2: Seen:0 E:(0)
    (@0 i1 p1 @9 c1) ^Seen:p1 >9       | 3: Seen:0 E:(0)
    (@0 i1 p1 @9 c1) >6 ^Seen:p1 >9    | 3: Seen:0 E:(0)
    (@0 i1 p1 @9 c1) >9 ^Seen:p1 >13   | 3: Seen:0
"""


WAITS = """
# what a timer brings is asked of as what an event brings (D4), on the document before the record behind it (U2)
event E {when="not(comment)"} = plus[ins(item/price), "2 s"]{name=P} & ins(item/quantity)
    @0 i1 p1 q1 @5 c1                      | 4: P:p1 E:(p1)+q1
    @0 i1 c1 p1 q1 @5 b1 @6 c1-            | 5: P:p1; 6: E:(p1)+q1
    @0 i1 c1 p1 q1 @5 c1-                  | 5: P:p1 E:(p1)+q1
# what its window has brought waits as in D4, and nothing ends it any more (A3)
event E {when="not(comment)", within="2 s"} = ins(item/price) ; not ins(item/quantity)
    @0 i1 c1 p1 @5 b1 q1 @6 c1-            | 6: p1
# while it waits counting goes on, and then it starts over (D5); what a timer brings later is raised at once
event E(item) {when="not(comment)"} = x[1,*] plus[ins(item/price), "2 s"]{name=P}
    @0 i1 p1 @3 c1 p1.2 @9 b1 @10 c1- @11 p1.3 @20 b1! | 3: P:p1 E:(p1); 5: P:p1.2; 6: E:(p1)+(p1.2); 8: P:p1.3 E:(p1)+(p1.2)+(p1.3)
# a timer makes go what it waited with (M1): it waits with what integrates that (D4)
event E(item) {when="not(comment)"} = x[1,*]{name=M} plus[ins(item/price), "2 s"]{name=P} & ins(item/quantity)
    @0 i1 c1 p1 q1 @3 p1.2 @6 b1 @7 c1- q1.2 | 5: P:p1 M:(p1); 6: P:p1.2 M:(p1)+(p1.2); 7: E:((p1)+(p1.2))+q1
event E(item) {end=custom, when="not(comment)"} = x[1,*]{name=M, path=item} plus[ins(item/price), "2 s"]{name=P} & ins(item/quantity)
    @0 i1 c1 p1 q1 @3 flush p1.2 @6 flush c1- flush | 5: P:p1 M:(p1); 6: P:p1.2 M:(p1)+(p1.2) E:((p1)+(p1.2))+q1
# so does a flush
event E {when="not(comment)"} = x[1,*]{name=M, end=custom} ins(item/price) & ins(item/quantity)
    i1 c1 p1 q1 flush p1.2 flush c1- q1.2  | 4: M:p1; 5: M:p1.2; 6: E:(p1)+q1; 7: E:(p1.2)+q1.2
event E(item) {when="not(comment)"} = x[1,*] x[1,*]{name=M, end=custom} ins(item/price)
    i1 p1 flush c1 p1.2 flush c1- p1.3 flush | 2: M:p1 E:(p1); 4: M:p1.2; 5: E:(p1)+(p1.2); 6: M:p1.3 E:(p1)+(p1.2)+(p1.3)
"""


@pytest.mark.parametrize("case", cases(PLUS) + cases(ROUNDS) + cases(WAITS), ids=title)
def test_timers(case: Case) -> None:
    check(*case)


def firing(
    run: Runner, words: str, rules: str = 'event E = plus[ins(item/price), "2.5 s"]'
) -> dict[str, Any]:
    (record,) = run(rules, steps_of(words)[0])
    return {name: record.get(name) for name in ("ts", "at", "txn", "meta", "start", "end")}


@pytest.mark.parametrize("run", EVALUATORS)
def test_a_firing_is_nobodys(run: Runner) -> None:
    """W5: the time point of the record before which it is, the time at which it was due, no user, no transaction."""
    expected = {
        "ts": 2, "at": "2026-01-01T00:00:02.500Z", "txn": None, "meta": None, "start": 1, "end": 1,
    }  # fmt: skip
    assert firing(run, "[@0 p1~ann] [@9 i2~bob]") == expected


@pytest.mark.parametrize("run", EVALUATORS)
def test_a_firing_at_an_advance_is_at_the_last_time_point(run: Runner) -> None:
    """W6."""
    assert firing(run, "@0 p1 @1 i2 >9") == {
        "ts": 2, "at": "2026-01-01T00:00:02.500Z", "txn": None, "meta": None, "start": 1, "end": 1,
    }  # fmt: skip


@pytest.mark.parametrize("run", EVALUATORS)
@pytest.mark.parametrize("words", ["@0 p1 i2 i2! i3", "p1 i2 i2! i3"])
def test_what_is_due_by_changes_has_no_time(run: Runner, words: str) -> None:
    """W5."""
    rules = 'event E = (ins(item/price) ; not ins(item/quantity)){within="3 changes"}'
    record = firing(run, words, rules)
    assert (record["ts"], record["at"]) == (4, None)


@pytest.mark.parametrize("run", EVALUATORS)
def test_what_is_due_at_a_flush_is_as_any_release(run: Runner) -> None:
    """W5."""
    rules = 'event E = (ins(item/price) ; not ins(item/quantity)){within="1 transaction"}'
    record = firing(run, "[@0 p1~ann @1 c1~bob]", rules)
    assert (record["ts"], record["txn"], record["meta"]) == (2, 1, {"user": "bob"})
