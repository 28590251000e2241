"""Documents have nothing to do with one another: a detector for each, of the same rules, and one after the other."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.laws.agreement import rules_of, take
from tests.strategies import (
    History,
    external_rule_sets,
    full_rule_sets,
    late_histories,
    late_rule_sets,
    levelled_rule_sets,
    meeting_histories,
    meeting_rule_sets,
    moving_histories,
    reusing_rule_sets,
    rule_sets,
    timed_histories,
)
from xmlcep.algebra import EventDefinition
from xmlcep.engine import Detector

any_rules = st.one_of(
    full_rule_sets(), meeting_rule_sets(), late_rule_sets(), levelled_rule_sets(), rule_sets(), reusing_rule_sets(),
    external_rule_sets(),
)  # fmt: skip


def any_history(doc: str) -> st.SearchStrategy[History]:
    return st.one_of(
        timed_histories(doc=doc), meeting_histories(doc=doc), late_histories(doc=doc), moving_histories(doc=doc)
    )  # fmt: skip


def raised(detector: Detector, step: Any) -> list[dict[str, Any]]:
    return [composite.to_record() for composite in take(detector, step)]


@settings(max_examples=60, deadline=None)
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


@settings(max_examples=60, deadline=None)
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
