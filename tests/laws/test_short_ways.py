"""The short ways through the engine raise what the general way does, record by record.

What goes a short way: a record that is the one arrival in each of its trees, a clock that only moves on, two operands
without constraints, conditions that no edit touches, expressions that are asked of tables. ``general=True`` closes all
of them (`xmlcep.engine.setting.Setting`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

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
from xmlcep.engine import Detector
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


def check(definitions: Sequence[EventDefinition], history: History) -> None:
    steps = [as_the_engine_sees(step) for step in history.steps]
    short = engine_findings(definitions, steps)
    assert short == engine_findings(definitions, steps, general=True)
    assert _fed(definitions, steps) == _fed(definitions, steps, general=True)
    records = [step for step in steps if isinstance(step, PrimitiveEvent)]
    for operators in (False, True):  # whether the composites of inner operators are reported
        general = _replayed(definitions, records, operators=operators, general=True)
        assert _replayed(definitions, records, operators=operators) == general
        assert _replayed(definitions, [tuple(record) for record in records], operators=operators) == general
    for construct in constructs_of(definitions, history.steps) if any(short) else ():
        event(construct)


def _fed(definitions: Sequence[EventDefinition], steps: Sequence[Any], *, general: bool = False) -> Findings:
    """What the roots raise, in raise order."""
    detector = Detector(rules_of(definitions), general=general)
    return [[composite.to_record() for composite in take(detector, step)] for step in (*steps, "close")]


def _replayed(
    definitions: Sequence[EventDefinition], records: Sequence[Any], *, operators: bool, general: bool = False
) -> Findings:
    """What is raised in a replay, of events or of plain tuples of their layout."""
    detector = Detector(rules_of(definitions), operators=operators, general=general)
    return [[composite.to_record() for composite in detector.replay(records)]]


def _in_part(
    definitions: Sequence[EventDefinition], steps: Sequence[Any], unseen: frozenset[int], *, general: bool
) -> Findings:
    """What is raised at each step where of some records, given by their places, only their time points are told."""
    detector = Detector(rules_of(definitions), general=general)
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
    short = _in_part(definitions, steps, unseen, general=False)
    assert short == _in_part(definitions, steps, unseen, general=True)
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
