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
from tests.reference import Advance, Raise
from tests.strategies import History
from xmlcep import Detector, PrimitiveEvent
from xmlcep.algebra import ContextName, EventDefinition, Termination
from xmlcep.engine.durable import read_detector, write_detector
from xmlcep.engine.durable.pieces import Division, Pieces, PieceScribe
from xmlcep.errors import XmlCepError
from xmlcep.rules import Rules
from xmlcep.timestamps import microseconds


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


# ---- in pieces -------------------------------------------------------------------------------------------------


class InPieces:
    """A detector that is another one at each step, of which only those pieces are read that the step concerns."""

    def __init__(self, rules: Rules, *, operators: bool) -> None:
        self._new = lambda: Detector(rules, operators=operators)
        self._division = Division(self._new())
        self._rest: str | None = None
        self._kept: dict[int, str] = {}

    def take(self, step: Any) -> list[dict[str, Any]]:
        detector = self._new()
        pieces = Pieces(self._division, lambda node: json.loads(self._kept.get(node, "null")))
        if self._rest is not None:
            rest = json.loads(self._rest)
            read_detector(pieces.reader(rest), rest["detector"], detector)
        pieces.load(detector, *self._concerned(detector, step), flushes=not isinstance(step, PrimitiveEvent))
        detector._check()
        raised = take(detector, step)
        scribe = PieceScribe(pieces, detector)
        rest = {"detector": write_detector(scribe, detector), **scribe.state()}
        for node, piece in pieces.changed(scribe):
            if piece is None:
                del self._kept[node]
            else:
                self._kept[node] = json.dumps(piece)
        assert rest["pieces"][0] == len(self._kept)
        self._rest = json.dumps(rest)
        return raised

    def _concerned(self, detector: Detector, step: Any) -> tuple[list[list[int]], int, int | None]:
        last = detector.last_fed
        ts, time = (0, None) if last is None else (last.ts, detector.setting.clock.time)
        if isinstance(step, Raise):
            return [self._division.places(str(step.place.path), step.place.ids)], ts, time
        if isinstance(step, Advance):
            return [], ts, max(microseconds(step.time), time or 0)
        if not isinstance(step, PrimitiveEvent):
            return [], ts, time
        at = None if step.at is None else microseconds(step.at)
        return [self._division.places(str(step.path), step.ids)], step.ts, max(at or 0, time or 0)


def check_in_pieces(definitions: tuple[EventDefinition, ...], history: History, *, operators: bool) -> None:
    rules = rules_of(definitions)
    whole = raised_over(rules, history.steps, frozenset(), operators=operators)
    detector = InPieces(rules, operators=operators)
    raised: list[Any] = []
    try:
        raised += [detector.take(as_the_engine_sees(step)) for step in history.steps]
        raised.append(detector.take("close"))
    except XmlCepError as error:
        raised.append(f"{type(error).__name__}: {error}")
        assert raised[-1] == whole[-1]
    else:
        assert raised == whole


@settings(max_examples=40, deadline=None)
@given(some.full_rule_sets(), some.timed_histories(), st.booleans())
def test_in_pieces_with_every_construct(
    definitions: tuple[EventDefinition, ...], history: History, operators: bool
) -> None:
    check_in_pieces(definitions, history, operators=operators)


@settings(max_examples=20, deadline=None)
@given(
    st.one_of(
        some.meeting_rule_sets(), some.late_rule_sets(), some.absence_rule_sets(), some.levelled_rule_sets()
    ),
    st.one_of(some.meeting_histories(), some.late_histories(), some.moving_histories()),
)
def test_in_pieces_where_much_waits(definitions: tuple[EventDefinition, ...], history: History) -> None:
    check_in_pieces(definitions, history, operators=True)
