"""What the engine keeps is bounded by what lives in the document (G4)."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings

from tests.laws.agreement import rules_of
from tests.strategies import History, histories, rule_sets
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
