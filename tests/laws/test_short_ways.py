"""The short ways through the engine raise what the general way does, record by record.

What goes a short way: a record that is the one arrival in each of its trees, a clock that only moves on, two operands
without constraints, conditions that no edit touches, expressions that are asked of tables. Here the same engine runs
with all of them closed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from contexts import AnyOrder
from contexts.constraints import Violations
from contexts.search import Constrained
from tests import strategies as some
from tests.constructs import UNKNOWN_TO_THE_ENGINE, constructs_of
from tests.laws.agreement import (
    Findings,
    as_the_engine_sees,
    engine_findings,
    rules_of,
    take,
)
from tests.strategies import EVERYTHING, SNOOP, History
from xmlcep.algebra import ContextName, EventDefinition
from xmlcep.documents import Replica
from xmlcep.engine import Detector, bound_dispatch, dispatch
from xmlcep.engine.departed import Departed
from xmlcep.engine.evaluation import Evaluation
from xmlcep.engine.operators import combining, conjunction, multiplicity, sequence
from xmlcep.engine.operators.integrating import MultiplicityState
from xmlcep.engine.release import Deferral
from xmlcep.engine.timeline import Timeline
from xmlcep.engine.tree import NO_ANSWERS, TreeState
from xmlcep.events import PrimitiveEvent, TimePoint
from xmlcep.rules import parse_rules

KNOWN = EVERYTHING - UNKNOWN_TO_THE_ENGINE
OFTEN = (
    ("within",),
    ("variable", "join"),
    ("edit", "release"),
    ("within", "join", "edit"),
    ("within", "trailing"),
    ("within", "having", "by"),
)


_BOTH = (False, True)  # whether the composites of inner operators are reported


class _Asked(dict[Any, Any]):
    """No answers, which count as some."""

    def __bool__(self) -> bool:
        return True


@contextmanager
def general_way() -> Iterator[None]:
    """Within it, every engine that is made takes the general way."""
    of_type, new = dispatch.primitive_dispatch, Detector.__init__

    def indirect(*given: Any) -> Any:
        found = of_type(*given)
        return None if found is None else replace(found, alone=None, touches=found.rechecks)

    def not_plain(detector: Any, *given: Any, **options: Any) -> None:
        new(detector, *given, **options)
        detector._is_plain = False

    process, new_multiplicity = Evaluation.process, MultiplicityState.__init__
    new_bound = bound_dispatch._bound

    def together(*given: Any) -> Any:
        return replace(new_bound(*given), direct=None, first=None)

    look_after_releases = Departed.look_after_releases

    def look_at_all(departed: Any) -> None:
        """Whatever was released, and however few there are."""
        departed._waiting.released.update(departed._trees)
        look_after_releases(departed)
        departed.look()

    def all_at_once(
        evaluation: Any,
        record: Any,
        bound: Any,
        outside: Any,
        only: Any = None,
        before: Any = NO_ANSWERS,
        *due: Any,
    ) -> Any:
        """The trees are not taken one by one where something has been asked before the record."""
        return process(evaluation, record, bound, outside, only, before or _Asked(), *due)

    def alone(evaluation: Any, record: Any, bound: Any) -> None:
        all_at_once(evaluation, record, bound, {})

    def not_short(state: Any, *given: Any, **options: Any) -> None:
        new_multiplicity(state, *given, **options)
        state._is_short = state._raises_at_once = state._is_plain = False

    touch = Deferral.touch

    def touch_always(deferral: Any, node: int) -> bool:
        """Whatever happens at or below a node may change what its condition reads; it is seen when it happens."""
        touch(deferral, node)
        deferral.touched.add(node)
        return True

    def release_all(evaluation: Any, cause: Any) -> None:
        evaluation.run(cause, {}, {})
        evaluation.departed.look_after_releases()

    environment = Replica.environment

    def in_the_tree(replica: Any, *given: Any) -> Any:
        seen = environment(replica, *given)
        return None if seen is None else seen._replace(element=replica.element(seen.place[1]), place=None)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Replica, "environment", in_the_tree)
        patch.setattr(Replica, "environment_in_tree", in_the_tree)
        patch.setattr(dispatch, "primitive_dispatch", indirect)
        patch.setattr(bound_dispatch, "_bound", together)
        for module in (conjunction, sequence):
            patch.setattr(module, "is_plain_pair", lambda *given: False)
            patch.setattr(module, "is_windowed_pair", lambda *given: False)
        patch.setattr(multiplicity, "takes_records", lambda *given: False)
        patch.setattr(combining, "_is_primitive", lambda *given: False)
        patch.setattr(Timeline, "passes", lambda *given: False)
        patch.setattr(Timeline, "move", Timeline.begin)
        patch.setattr(TreeState, "take_composite", lambda *given: False)
        patch.setattr(Detector, "__init__", not_plain)
        patch.setattr(Deferral, "touch", touch_always)
        patch.setattr(Evaluation, "process", all_at_once)
        patch.setattr(Evaluation, "process_alone", alone)
        patch.setattr(Evaluation, "release_elsewhere", release_all)
        patch.setattr(Departed, "look_after_releases", look_at_all)
        patch.setattr(MultiplicityState, "__init__", not_short)
        patch.setattr(AnyOrder, "constrained", True)
        patch.setattr(Violations, "one_is_enough", False)
        patch.setattr(Constrained, "_foremost", lambda *given: None)
        dispatch._select.cache_clear()
        yield
    dispatch._select.cache_clear()


def check(definitions: Sequence[EventDefinition], history: History) -> None:
    steps = [as_the_engine_sees(step) for step in history.steps]
    short, fed = engine_findings(definitions, steps), _fed(definitions, steps)
    records = [step for step in steps if isinstance(step, PrimitiveEvent)]
    with general_way():
        general = engine_findings(definitions, steps)
        assert _fed(definitions, steps) == fed
        replayed = {operators: _replayed(definitions, records, operators=operators) for operators in _BOTH}
    assert short == general
    for construct in constructs_of(definitions, history.steps) if any(short) else ():
        event(construct)
    for operators in _BOTH:
        assert _replayed(definitions, records, operators=operators) == replayed[operators]
        from_tuples = _replayed(definitions, [tuple(record) for record in records], operators=operators)
        assert from_tuples == replayed[operators]


def _fed(definitions: Sequence[EventDefinition], steps: Sequence[Any]) -> Findings:
    """What the roots raise, in raise order."""
    detector = Detector(rules_of(definitions))
    return [[composite.to_record() for composite in take(detector, step)] for step in (*steps, "close")]


def _replayed(definitions: Sequence[EventDefinition], records: Sequence[Any], *, operators: bool) -> Findings:
    """What is raised in a replay, of events or of plain tuples of their layout."""
    detector = Detector(rules_of(definitions), operators=operators)
    return [[composite.to_record() for composite in detector.replay(records)]]


def _in_part(
    definitions: Sequence[EventDefinition], steps: Sequence[Any], unseen: frozenset[int]
) -> Findings:
    """What is raised at each step where of some records, given by their places, only their time points are told."""
    detector = Detector(rules_of(definitions))
    found: Findings = []
    for place, step in enumerate((*steps, "close")):
        if isinstance(step, PrimitiveEvent) and place in unseen:
            raised = detector.elsewhere(TimePoint(step.ts, step.at, step.doc, step.txn))
        else:
            raised = take(detector, step)
        found.append(sorted((composite.to_record() for composite in raised), key=repr))
    return found


ASKED = """
event Asked = (x[1,*] ins(item/price) & *(item/quantity)) {end=non-local, when="count(price) = count(quantity)"}
event Raised = (*(item/price) & *(item/quantity)) {end=non-local}
event Seen(order) = (Raised(item) & ins(item)) {when="item/price"}
"""


@pytest.mark.parametrize(
    "rules",
    [some.meeting_rule_sets(), some.rule_sets(), st.just(parse_rules(ASKED).definitions)],
    ids=("meeting", "any", "asked"),
)
@settings(max_examples=40, deadline=None)
@given(data=st.data(), history=some.meeting_histories())
def test_what_happens_elsewhere(
    rules: st.SearchStrategy[tuple[EventDefinition, ...]], data: st.DataObject, history: History
) -> None:
    definitions = data.draw(rules)
    steps = [as_the_engine_sees(step) for step in history.steps]
    unseen = frozenset(place for place in range(len(steps)) if not data.draw(st.integers(0, 2)))
    short = _in_part(definitions, steps, unseen)
    with general_way():
        general = _in_part(definitions, steps, unseen)
    assert short == general
    for construct in constructs_of(definitions, history.steps) if any(short) else ():
        event(construct)


@settings(max_examples=30, deadline=None)
@given(
    some.full_rule_sets(constructs=KNOWN),
    some.timed_histories(advances="advance" not in UNKNOWN_TO_THE_ENGINE),
)
def test_with_every_construct(definitions: tuple[EventDefinition, ...], history: History) -> None:
    check(definitions, history)


@settings(max_examples=40, deadline=None)
@given(
    st.one_of(
        some.meeting_rule_sets(), some.late_rule_sets(), some.absence_rule_sets(), some.levelled_rule_sets()
    ),
    st.one_of(some.meeting_histories(), some.late_histories(), some.moving_histories()),
)
def test_edits_releases_conditions_and_timers(
    definitions: tuple[EventDefinition, ...], history: History
) -> None:
    check(definitions, history)


@settings(max_examples=30, deadline=None)
@given(
    st.one_of(some.dense_rule_sets(), some.edge_rule_sets()),
    st.one_of(some.dense_histories(), some.edge_histories()),
)
def test_much_at_few_nodes(definitions: tuple[EventDefinition, ...], history: History) -> None:
    check(definitions, history)


@settings(max_examples=20, deadline=None)
@given(some.external_rule_sets(), some.external_histories())
def test_external_events(definitions: tuple[EventDefinition, ...], history: History) -> None:
    check(definitions, history)


@pytest.mark.parametrize("constructs", OFTEN, ids="+".join)
@settings(max_examples=20, deadline=None)
@given(data=st.data(), history=some.timed_histories(advances="advance" not in UNKNOWN_TO_THE_ENGINE))
def test_with_little_else(constructs: tuple[str, ...], data: st.DataObject, history: History) -> None:
    check(data.draw(some.full_rule_sets(constructs=KNOWN.intersection(constructs))), history)


@settings(max_examples=37, deadline=None)
@given(some.rule_sets(), some.histories())
def test_contexts_and_termination(definitions: tuple[EventDefinition, ...], history: History) -> None:
    check(definitions, history)


@pytest.mark.parametrize("context", SNOOP)
@settings(max_examples=30, deadline=None)
@given(data=st.data(), history=some.histories())
def test_every_context(context: ContextName, data: st.DataObject, history: History) -> None:
    check(data.draw(some.rule_sets(max_events=2, contexts=(context,))), history)


USED = """
event Complete = ins(item) ; (ins(item/price) & ins(item/quantity))
event Renewed {context=recent} = Complete(item) & *(item/price)
event Twice(order) = x[2,2] Renewed(item)
event Priced = Complete(item) ; upd(item/price/text())
"""
COLLECTED = """
event Priced = ins(item) ; ins(item/price)
event All(order) {context=cumulative} = (*(order) & x[1,*]{path=order} Priced(item)) {end=custom}
event Either(order) {context=unrestricted} = Priced(item) | All(order)
event Listed(order) = x[2,3] Either(order)
"""
WAITED_FOR = """
event Quiet = (*(item/price) & *(item/quantity)) {end=non-local}
event Seen = ins(item) ; Quiet(item)
event Both = (Seen(item) & *(item/price)) {end=non-local}
event Sane(order) {context=continuous} = Seen(item) & x[0,1]{path=order} ins(item/price)
"""

PAIRS = """
event Complete = ins(item) ; (ins(item/price) & ins(item/quantity))
event Changed = upd(item/price/text()) & upd(item/quantity/text())
event Ended = *(item/comment) & (del(item) ; ins(item))
"""


@pytest.mark.parametrize("text", [PAIRS, USED, COLLECTED, WAITED_FOR])
@settings(max_examples=30, deadline=None)
@given(history=some.histories(busy=True, min_actions=6))
def test_trees_that_use_others(text: str, history: History) -> None:
    check(parse_rules(text).definitions, history)
