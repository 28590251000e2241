"""Timers in parts of a document: what a key raises because time has passed is what the document raises, at the same
time points, whatever else happens in it (W5)."""

from __future__ import annotations

from typing import Any

from hypothesis import given, note, settings
from hypothesis import strategies as st

from tests.auditing.test_against_reference import found_in_parts, found_locally
from tests.auditing.test_every_construct import Log, cut_into_files, log_of, of_document, watched
from tests.auditing.test_time import simulated
from tests.laws.agreement import rules_of
from tests.strategies import History, show_rules
from tests.strategies.timed import timed_histories
from tests.strategies.timers import timer_rule_sets
from xmlcep.auditing import audit
from xmlcep.auditing.plan import make_plan
from xmlcep.events import PrimitiveEvent
from xmlcep.log.records import ClockRecord

UNTIL = st.sampled_from([None, "2026-01-01T00:00:30Z", "2026-01-01T01:05:00+01:00"])


@settings(max_examples=100)
@given(
    timer_rule_sets(),
    st.lists(st.tuples(timed_histories(), st.integers(0, 30)), min_size=1, max_size=2),
    st.booleans(),
    UNTIL,
)
def test_audits_find_what_a_watch_raises(
    definitions: Any, histories: list[tuple[History, int]], operators: bool, until: str | None
) -> None:
    note(show_rules(definitions))
    rules = rules_of(definitions)
    if not make_plan(rules).fires_in_keys:
        return
    logs = [log_of(of_document(history, f"doc{n}"), f"doc{n}") for n, (history, _) in enumerate(histories)]
    wanted = [record for log in logs for record in watched(log, rules, operators=operators, until=until)]
    with cut_into_files(logs, [cut for _, cut in histories]) as files:
        assert found_locally(files, rules, operators=operators, until=until) == wanted
        assert found_in_parts(files, rules, operators=operators, until=until) == wanted


@st.composite
def noisy(draw: st.DrawFn, log: Log) -> Log:
    """The log as it should not be: with records that are missing, repeated, at each other's places, of no time; clock
    records anywhere."""
    log = list(log)
    noise = st.tuples(
        st.sampled_from(["drop", "swap", "again", "soon", "clock"]), st.integers(0, 40), st.integers(-9, 9)
    )
    for kind, place, seconds in draw(st.lists(noise, max_size=6)):
        index = place % len(log)
        item = log[index]
        if kind == "drop" and len(log) > 2:
            del log[index]
        elif kind == "swap":
            log[index - 1], log[index] = log[index], log[index - 1]
        elif kind == "again":
            log.insert(draw(st.integers(0, len(log))), item)
        elif kind == "soon" and isinstance(item, PrimitiveEvent):
            log[index] = item._replace(at="soon")
        elif kind == "clock" and item.at is not None and item.at != "soon":
            log.insert(index + 1, ClockRecord(item.doc, item.ts, f"2026-01-01T00:00:{abs(seconds):02}Z"))
    return log


@settings(max_examples=60)
@given(timer_rule_sets(asking=False), timed_histories(), st.integers(0, 30), UNTIL, st.data())
def test_bad_records_have_the_same_effect_on_the_clock_everywhere(
    definitions: Any, history: History, cut: int, until: str | None, data: st.DataObject
) -> None:
    note(show_rules(definitions))
    rules = rules_of(definitions)
    if not make_plan(rules).fires_in_keys:
        return
    log = data.draw(noisy(log_of(of_document(history, "doc"), "doc")))
    with cut_into_files([log], [cut]) as files:
        result = audit(files, rules, engine="local", until=until, out=files[0].with_name("f.jsonl"))
        assert simulated(files, rules, until=until) == (list(result.records()), result.summary.quarantined)
