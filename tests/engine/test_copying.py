"""A copied detector goes on as the original does, and neither disturbs the other (rule L4)."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.laws.agreement import rules_of
from tests.strategies import histories
from tests.strategies.full_rules import full_rule_sets
from tests.strategies.histories import History
from xmlcep import Detector, PrimitiveEvent
from xmlcep.algebra import EventDefinition
from xmlcep.errors import XmlCepError


def take(detector: Detector, step: object) -> str:
    """What a detector raises at a step of a history, in raise order."""
    if isinstance(step, PrimitiveEvent):
        return " ".join(map(str, detector.feed(step)))
    assert step == "flush"
    return " ".join(map(str, detector.flush()))


def fed(detector: Detector, steps: Sequence[object]) -> list[str]:
    """What a detector raises at these steps and at the end; an error of evaluation ends it."""
    raised = []
    try:
        raised += [take(detector, step) for step in steps]
        raised.append(" ".join(map(str, detector.close())))
    except XmlCepError as error:
        raised.append(str(error))
    return raised


@settings(max_examples=30, deadline=None)
@given(full_rule_sets(), histories(busy=True), st.floats(0, 1))
def test_a_copy_goes_on_as_its_original(
    definitions: tuple[EventDefinition, ...], history: History, share: float
) -> None:
    rules = rules_of(definitions)
    steps = history.steps
    at = int(len(steps) * share)
    expected = fed(Detector(rules, operators=True), steps)
    detector = Detector(rules, operators=True)
    try:
        before = [take(detector, step) for step in steps[:at]]
    except XmlCepError:
        return
    first = detector.copy()
    assert before + fed(first, steps[at:]) == expected
    second = detector.copy()
    fed(detector, steps[at:][:1])
    assert before + fed(second, steps[at:]) == expected
    assert first.size() == 0
