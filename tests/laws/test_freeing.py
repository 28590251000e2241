"""What the engine keeps is bounded by what lives in the document (G4)."""

from __future__ import annotations

from typing import Any

from hypothesis import event, given, settings

from tests.constructs import UNKNOWN_TO_THE_ENGINE
from tests.laws.agreement import Advance, as_the_engine_sees, rules_of
from tests.strategies import EVERYTHING, History, full_rule_sets, histories, rule_sets, timed_histories
from xmlcep.algebra import EventDefinition
from xmlcep.engine import Detector
from xmlcep.events import PrimitiveEvent


def detector_after(rules: tuple[EventDefinition, ...], steps: tuple[Any, ...]) -> Detector:
    """The detector when it has taken the steps; its invariants are checked after each."""
    detector = Detector(rules_of(rules))
    for step in steps:
        if isinstance(step, PrimitiveEvent):
            detector.feed(step)
        else:
            detector.flush()
        detector._check()
    return detector


@settings(max_examples=60, deadline=None)
@given(rule_sets(flat=False), histories(clear=True))
def test_nothing_is_kept_of_a_document_that_is_gone(
    rules: tuple[EventDefinition, ...], history: History
) -> None:
    """Once all its nodes are deleted and nothing is deferred any more."""
    assert detector_after(rules, (*history.steps, "flush")).size() == 0


@settings(max_examples=40, deadline=None)
@given(rule_sets(), histories())
def test_a_closed_detector_keeps_nothing(rules: tuple[EventDefinition, ...], history: History) -> None:
    detector = detector_after(rules, history.steps)
    detector.close()
    assert detector.size() == 0


@settings(max_examples=40, deadline=None)
@given(
    full_rule_sets(constructs=EVERYTHING - UNKNOWN_TO_THE_ENGINE) | rule_sets(flat=False),
    timed_histories(advances="advance" not in UNKNOWN_TO_THE_ENGINE),
)
def test_to_forget_a_group_is_to_take_it_out_of_the_stores(
    rules: tuple[EventDefinition, ...], history: History
) -> None:
    """Of operators that say which these are, after every step."""
    detector = Detector(rules_of(rules))
    for step in map(as_the_engine_sees, history.steps):
        if isinstance(step, Advance):
            detector.advance(step.time)
        elif step == "flush":
            detector.flush()
        else:
            detector.feed(step)
        forgetful, other = detector.copy(), detector.copy()
        for index, tree in forgetful.trees.items():
            for state, same in zip(tree.states, other.trees[index].states, strict=True):
                stores = same.by_group()
                for key in [*state.group_keys()] if stores is not None else ():
                    state.forget(key)
                    for groups in stores or ():
                        groups.pop(key, None)
                    event(type(state).__name__)
        assert forgetful.to_state() == other.to_state()
