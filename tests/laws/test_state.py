"""A detector made of the state of another goes on as that one would, wherever the history is cut (rule G6)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import orjson
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import strategies as some
from tests.laws import agreement
from tests.laws.agreement import as_the_engine_sees, rules_of
from tests.strategies import History
from xmlcep import Detector
from xmlcep.algebra import ContextName, EventDefinition, Termination
from xmlcep.errors import XmlCepError
from xmlcep.rules import Rules


def take(detector: Detector, step: Any) -> list[dict[str, Any]]:
    """What a detector raises at a step of a history, in raise order."""
    return [composite.to_record() for composite in agreement.take(detector, as_the_engine_sees(step))]


def again(rules: Rules, detector: Detector) -> Detector:
    """The detector that its state describes, which has gone through JSON; its own state is the same."""
    state = detector.to_state()
    assert json.loads(orjson.dumps(state)) == state  # plain, without tuples and classes
    other = Detector.from_state(rules, state)
    assert json.loads(json.dumps(other.to_state())) == state
    assert other.size() == detector.size()
    assert str(other.pending(limit=None)) == str(detector.pending(limit=None))
    assert other.next_due() == detector.next_due()
    other._check()
    return other


def raised_over(rules: Rules, steps: Sequence[Any], cuts: frozenset[int], *, operators: bool) -> list[Any]:
    """What is raised step by step and at the end, by a detector that is another one behind each cut; an error of
    evaluation ends it."""
    detector = Detector(rules, operators=operators)
    raised: list[Any] = []
    try:
        for index, step in enumerate(steps):
            if index in cuts:
                detector = again(rules, detector)
            raised.append(take(detector, step))
        raised.append([composite.to_record() for composite in detector.close()])
    except XmlCepError as error:
        raised.append(f"{type(error).__name__}: {error}")
    return raised


def check_cut_before_each_step(
    definitions: tuple[EventDefinition, ...], history: History, *, operators: bool
) -> None:
    rules = rules_of(definitions)
    whole = raised_over(rules, history.steps, frozenset(), operators=operators)
    everywhere = frozenset(range(len(history.steps)))
    assert raised_over(rules, history.steps, everywhere, operators=operators) == whole


cut_places = st.frozensets(st.integers(0, 40), max_size=6)


@settings(max_examples=37, deadline=None)
@given(some.full_rule_sets(), some.timed_histories(), cut_places, st.booleans())
def test_cut_with_every_construct(
    definitions: tuple[EventDefinition, ...], history: History, cuts: frozenset[int], operators: bool
) -> None:
    rules = rules_of(definitions)
    whole = raised_over(rules, history.steps, frozenset(), operators=operators)
    assert raised_over(rules, history.steps, cuts, operators=operators) == whole


@settings(max_examples=20, deadline=None)
@given(some.rule_sets(), some.histories(busy=True, min_actions=4, max_actions=12), st.booleans())
def test_cut_before_each_step(
    definitions: tuple[EventDefinition, ...], history: History, operators: bool
) -> None:
    check_cut_before_each_step(definitions, history, operators=operators)


@settings(max_examples=20, deadline=None)
@given(
    st.one_of(
        some.meeting_rule_sets(), some.late_rule_sets(), some.absence_rule_sets(), some.levelled_rule_sets()
    ),
    st.one_of(some.meeting_histories(), some.late_histories(), some.moving_histories()),
)
def test_cut_where_much_waits(definitions: tuple[EventDefinition, ...], history: History) -> None:
    """For a release, for a time, for what a condition reads: within edits, too."""
    check_cut_before_each_step(definitions, history, operators=True)


@settings(max_examples=20, deadline=None)
@given(some.external_rule_sets(), some.external_histories())
def test_cut_around_external_events(definitions: tuple[EventDefinition, ...], history: History) -> None:
    check_cut_before_each_step(definitions, history, operators=True)


_RUNS = some.full_rule_sets(contexts=(ContextName.NEXT,), constructs={"next", "within", "any"}, max_events=1)


@settings(max_examples=20, deadline=None)
@given(_RUNS, some.histories(busy=True, min_actions=6, max_actions=14))
def test_cut_of_runs_before_each_step(definitions: tuple[EventDefinition, ...], history: History) -> None:
    """Context next knows what it has by identity."""
    check_cut_before_each_step(definitions, history, operators=True)


_LATE = some.rule_sets(ends=(Termination.CUSTOM, Termination.NON_LOCAL))


@settings(max_examples=20, deadline=None)
@given(_LATE, some.histories(busy=True, min_actions=6, max_actions=14))
def test_cut_of_what_waits_for_a_release(definitions: tuple[EventDefinition, ...], history: History) -> None:
    check_cut_before_each_step(definitions, history, operators=True)
