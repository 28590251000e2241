"""Documents have nothing to do with one another: a detector for each, of the same rules, and one after the other."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests import strategies as some
from tests.laws.agreement import rules_of, take
from tests.strategies import History
from xmlcep.algebra import EventDefinition
from xmlcep.engine import Detector

any_rules = st.one_of(
    some.full_rule_sets(),
    some.meeting_rule_sets(),
    some.late_rule_sets(),
    some.levelled_rule_sets(),
    some.rule_sets(),
    some.reusing_rule_sets(),
    some.external_rule_sets(),
)


def any_history(doc: str) -> st.SearchStrategy[History]:
    return st.one_of(
        some.timed_histories(doc=doc),
        some.meeting_histories(doc=doc),
        some.late_histories(doc=doc),
        some.moving_histories(doc=doc),
    )


def raised(detector: Detector, step: Any) -> list[dict[str, Any]]:
    return [composite.to_record() for composite in take(detector, step)]


@settings(max_examples=30, deadline=None)
@given(any_rules, st.tuples(any_history("a"), any_history("b")), st.lists(st.booleans(), max_size=80))
def test_detectors_that_take_turns(
    definitions: tuple[EventDefinition, ...], histories: tuple[History, History], turns: list[bool]
) -> None:
    """Each raises what it would raise alone, however their documents' records alternate."""
    rules = rules_of(definitions)
    alone = []
    for history in histories:
        detector = Detector(rules, operators=True)
        alone.append([raised(detector, step) for step in (*history.steps, "close")])
    detectors = [Detector(rules, operators=True) for _ in histories]
    waiting = [[*history.steps, "close"] for history in histories]
    found: list[list[Any]] = [[] for _ in histories]
    for turn in (*turns, *(False,) * len(waiting[0]), *(True,) * len(waiting[1])):
        if waiting[turn]:
            found[turn].append(raised(detectors[turn], waiting[turn].pop(0)))
    assert found == alone


@settings(max_examples=30, deadline=None)
@given(any_rules, any_history("a"), any_history("b"), st.integers(0, 60))
def test_a_detector_that_begins_again(
    definitions: tuple[EventDefinition, ...], before: History, history: History, many: int
) -> None:
    """After `reset` it raises what a new one would, wherever it was; so it does without, where it says so."""
    rules = rules_of(definitions)
    new, used = Detector(rules, operators=True), Detector(rules, operators=True)
    for step in before.steps[:many]:
        take(used, step)
    if not used.is_as_new():
        used.reset()
    for step in (*history.steps, "close"):
        assert raised(used, step) == raised(new, step)
