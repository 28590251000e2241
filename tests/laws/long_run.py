"""The long run: the engine against the reference evaluator, a mode at a time, as many cases as there is time for.

``python -m tests.laws.long_run 1 3000 dense late`` draws 3,000 cases from seed 1 in each of these modes (without any:
in all) and prints the shortest difference of each, and in how many cases findings needed which construct. A mode is a
generator of rules and one of histories; in those called
``-aimed`` the histories have what the rules, which are those of the mode without that, wait for, as they mostly have in
lots and towers:

what the rules say of                                             is reached by
----------------------------------------------------------------- ------------------------------------------------------
contexts (Q1, Q2, E5), order, windows and gaps to   dense, dense-full, dense-plain: much at few nodes
their edges (W3, W4), `strict` (S3)
one constraint, exactly kept or exactly missed (W3, W4, S3, A1 to  edges: one operator, an item, time in such steps
A3, R1, Q4, A1, W3, W5, Q5), arrivals that are late
one event in several operands (Q1, H3), left out (M5)          twice, dense-twice
operands that may be left out, of several nodes (M4, M5)           silent, silent-aimed
names that are repeated on a path (P10, H1)              nested, nested-meet, meet-nested
termination, conditions, edits (D1 to D6, U1, U2, U6, G3)     meet, meet-moves
what outlasts its node (A4, W7, W10, G4)                          late, late-timed, late-moves
absences in a row, beside what may be nothing (A1 to A3, Q4, W3, absent, absent-meet, absent-dense
A3)
wholes and `having` (V6, Q5), runs (S2), `slide` (S4)             whole, whole-meet, full
trees above trees (G1, G2, H8)                            levels, levels-timed, levels-late, reuse, reuse-timed
external events (L7)                                          external
moves, the root that goes and comes back (E6, M4, U2)              moves, meet-moves, late-moves
operators of operators of every kind, with every option            pairs, pairs-aimed, lots, inner-lots
trees of such above one another, external events, timers, edits    towers
counts that wait, with what comes and goes (V6, D4, D5)       counts, batches
waits that timers and releases begin and end (D4, W5, A3)   timed-waits
`all[…]`, `& not`, `becomes` (A6, A7, B1 to B4)                   patterns
values (V1 to V7), filters (F1 to F5), opaque leaves (O1)          full, full-meet
"""

from __future__ import annotations

import sys
from collections import Counter
from typing import Any

from hypothesis import strategies as st

from tests import strategies as some
from tests.anew import draw_anew
from tests.laws.agreement import difference, shown
from tests.strategies import History
from tests.strategies.patterns import pattern_histories, pattern_rules
from tests.strategies.twice import rules_with_one_event_twice
from xmlcep.algebra import EventDefinition


def _aimed(rules: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[tuple[EventDefinition, ...], History]]:
    """Such rules, each with a history that has much for them."""
    return rules.flatmap(lambda drawn: st.tuples(st.just(drawn), some.aimed_histories(drawn)))


_AIMED = ("plain", "full", "reuse", "twice", "meet", "late", "whole", "absent", "levels", "pairs", "silent")
_APART: dict[str, tuple[st.SearchStrategy[Any], st.SearchStrategy[History]]] = {
    "plain": (some.rule_sets(), some.histories()),
    "full": (some.full_rule_sets(), some.timed_histories()),
    "full-meet": (some.full_rule_sets(), some.meeting_histories()),
    "reuse": (some.reusing_rule_sets(), some.histories()),
    "reuse-timed": (some.reusing_rule_sets(), some.timed_histories()),
    "reuse-meet": (some.reusing_rule_sets(), some.meeting_histories()),
    "twice": (rules_with_one_event_twice(), some.histories()),
    "meet": (some.meeting_rule_sets(), some.meeting_histories()),
    "nested": (some.nested_rule_sets(), some.nested_histories()),
    "nested-meet": (some.nested_rule_sets(), some.meeting_histories()),
    "meet-nested": (some.meeting_rule_sets(), some.nested_histories()),
    "late": (some.late_rule_sets(), some.late_histories()),
    "late-timed": (some.late_rule_sets(), some.timed_histories()),
    "whole": (some.whole_rule_sets(), some.timed_histories()),
    "whole-meet": (some.whole_rule_sets(), some.meeting_histories()),
    "external": (some.external_rule_sets(), some.external_histories()),
    "absent": (some.absence_rule_sets(), some.timed_histories()),
    "absent-meet": (some.absence_rule_sets(), some.meeting_histories()),
    "absent-dense": (some.absence_rule_sets(), some.dense_histories()),
    "levels": (some.levelled_rule_sets(), some.meeting_histories()),
    "levels-timed": (some.levelled_rule_sets(), some.timed_histories()),
    "levels-late": (some.levelled_rule_sets(), some.late_histories()),
    "moves": (some.full_rule_sets(), some.moving_histories()),
    "meet-moves": (some.meeting_rule_sets(), some.moving_histories()),
    "late-moves": (some.late_rule_sets(), some.moving_histories()),
    "dense": (some.dense_rule_sets(), some.dense_histories()),
    "edges": (some.edge_rule_sets(), some.edge_histories()),
    "dense-full": (some.full_rule_sets(), some.dense_histories()),
    "dense-plain": (some.rule_sets(), some.dense_histories()),
    "pairs": (some.pair_rule_sets(), some.pair_histories()),
    "silent": (some.silent_rule_sets(), some.silent_histories()),
    "dense-twice": (rules_with_one_event_twice(), some.dense_histories()),
}
MODES: dict[str, st.SearchStrategy[tuple[tuple[EventDefinition, ...], History]]] = {
    **{mode: st.tuples(rules, histories) for mode, (rules, histories) in _APART.items()},
    **{f"{mode}-aimed": _aimed(_APART[mode][0]) for mode in _AIMED},
    "counts": some.counts(),
    "batches": some.batches(),
    "timed-waits": some.timed_waits(),
    "lots": some.lots(),
    "inner-lots": some.inner_lots(),
    "towers": some.towers(),
    "patterns": pattern_rules().flatmap(lambda rules: st.tuples(st.just(rules), pattern_histories(rules))),
}


def differences(mode: str, first: int, cases: int) -> tuple[list[str], Counter[str]]:
    """What differs in so many cases of a mode, the shortest first, and which constructs findings needed, in how many
    cases."""
    found: list[str] = []
    counts: Counter[str] = Counter()

    def compare(drawn: tuple[tuple[EventDefinition, ...], History]) -> None:
        text = difference(*drawn, counts)
        if text:
            found.append(text)

    draw_anew(MODES[mode], first, cases, compare)
    return sorted(found, key=len), counts


def main(arguments: list[str]) -> int:
    first, cases, *modes = arguments
    status = 0
    for mode in modes or MODES:
        found, counts = differences(mode, int(first), int(cases))
        print(f"{mode}: {cases} cases, {len(found)} with a difference; {shown(counts)}", flush=True)
        if found:
            print(found[0], flush=True)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
