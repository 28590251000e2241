"""Laws of explanations: asking changes nothing (Y5), and there is an answer to every question (Y1 to Y3)."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

from path_types import PathType
from tests.constructs import UNKNOWN_TO_THE_ENGINE
from tests.explaining.law import law
from tests.laws.agreement import rules_of
from tests.reference import Advance
from tests.strategies import History as Steps
from tests.strategies import show_history, show_rules
from tests.strategies.full_rules import EVERYTHING, full_rule_sets
from tests.strategies.timed import timed_histories
from xmlcep.engine import Detector
from xmlcep.engine.errors import EvaluationError
from xmlcep.events import CompositeEvent, PrimitiveEvent
from xmlcep.explaining.history import History
from xmlcep.explaining.proposals import Proposal
from xmlcep.explaining.why import why
from xmlcep.explaining.why_not import why_not
from xmlcep.rules import Rules

KNOWN = tuple(name for name in EVERYTHING if name not in UNKNOWN_TO_THE_ENGINE)


def taken(detector: Any, step: Any) -> list[CompositeEvent]:
    """What a detector raises at a step."""
    if step == "flush":
        return detector.flush()
    return detector.advance(step.time) if isinstance(step, Advance) else detector.feed(step)


def after(rules: Rules, history: Steps) -> Detector:
    """A detector that has taken a history."""
    detector = Detector(rules)
    for step in history.steps:
        taken(detector, step)
    return detector


@law(full_rule_sets(constructs=KNOWN), timed_histories(), st.integers(1, 3), examples=30)
def test_asking_changes_nothing(definitions, history, often: int) -> None:  # type: ignore[no-untyped-def]
    rules = rules_of(definitions)
    asked, unasked = Detector(rules, operators=True), Detector(rules, operators=True)
    names = [tree.name for tree in rules.graph.trees]
    findings: list[CompositeEvent] = []
    for number, step in enumerate(history.steps):
        try:
            expected = taken(unasked, step)
        except EvaluationError:
            return
        raised = taken(asked, step)
        assert list(map(repr, raised)) == list(map(repr, expected))  # a value can be NaN
        findings += raised
        if number % often == 0:
            groups = asked.pending(limit=None)
            assert groups.total == len(groups) and str(groups)
            for group in groups:
                assert 0 <= group.fraction <= 1 and group.text() and group.to_record()
            for name in names:
                assert asked.why_not(name, findings=findings).text()
            for finding in [one for one in raised if one.operator is None]:
                assert asked.why(finding, findings=findings).text()
        assert asked.size() == unasked.size()
        asked._check()
    assert repr(asked.close()) == repr(unasked.close())


@law(full_rule_sets(constructs=KNOWN), timed_histories(), examples=30)
def test_there_is_always_an_answer(definitions, history) -> None:  # type: ignore[no-untyped-def]
    rules = rules_of(definitions)
    for tree in rules.graph.trees:
        past = History(rules, tree.name)
        raised = 0
        for step in history.steps:
            try:
                taken(past, step)
            except EvaluationError:
                return
            for finding in past.raised[raised:]:
                answer = why(past.evidence, finding)
                assert answer.text() and answer.to_record()
            raised = len(past.raised)
        past.end_edit()
        answer = why_not(past.evidence)
        assert answer.text() and answer.to_record()
        said = "\n".join([show_rules(definitions), answer.text(), show_history(history)])
        assert answer.cause is not None or past.raised, said


# Constructs that values do not decide.
PLAIN = frozenset(KNOWN) & {
    "any",
    "relation",
    "plus",
    "within",
    "gap",
    "strict",
    "slide",
    "scope",
    "release",
    "trailing",
}


@law(full_rule_sets(max_events=1, constructs=PLAIN), timed_histories(edits=False), examples=60)
def test_what_would_complete_it_does(definitions, history) -> None:  # type: ignore[no-untyped-def]
    """Y4: fed in its order as edits of one record at the present time, a list raises the event at the node."""
    rules = rules_of(definitions)

    try:
        present = after(rules, history)
    except EvaluationError:
        return
    for group in present.pending(complete=True):
        assert group.completion is not None
        for proposal in group.completion.proposals:
            detector = after(rules, history)
            raised = feed_proposal(detector, proposal, history)
            said = "\n".join([show_rules(definitions), show_history(history), group.text(), str(proposal)])
            assert any(
                one.name == group.event and one.ids[: len(group.ids)] == group.ids for one in raised
            ), said


def feed_proposal(detector: Detector, proposal: Proposal, history: Any) -> list[CompositeEvent]:
    """What a detector raises when a list comes after a history, and what releases it."""
    events = history.events
    ts, at, raised = events[-1].ts, events[-1].at, []
    for change in proposal.changes:
        ts += 1
        ids = tuple(100_000 - node if node < 0 else node for node in change.ids)
        raised += detector.feed(PrimitiveEvent(ts, change.operation, change.path, ids, at=at))
    if proposal.release == "flush":
        raised += detector.flush()
    elif proposal.release == "an event elsewhere":
        raised += detector.feed(
            PrimitiveEvent(ts + 1, "ins", PathType.parse("/elsewhere"), (200_000,), at=at)
        )
    elif proposal.release:
        raised += detector.advance(proposal.release.removeprefix("time "))
    return raised


@law(full_rule_sets(constructs=KNOWN), timed_histories(), st.integers(0, 30), examples=40)
def test_a_state_answers_as_the_detector_did(definitions, history, cut: int) -> None:  # type: ignore[no-untyped-def]
    """G6: asked why not, a detector that goes on from a state says what the one says that it was made of."""
    rules = rules_of(definitions)
    detector = Detector(rules)
    try:
        for step in history.steps[:cut]:
            taken(detector, step)
    except EvaluationError:
        return
    again = Detector.from_state(rules, json.loads(json.dumps(detector.to_state())))
    for tree in rules.graph.trees:
        assert again.why_not(tree.name).to_record() == detector.why_not(tree.name).to_record()
