"""The engine raises what the reference evaluator raises, step by step, for every construct that it runs.

What it does not run yet stands in `tests.constructs`. The histories have edits of several records, transactions,
users, and time that passes.
"""

from __future__ import annotations

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from path_types import PathType
from tests import strategies as some
from tests.constructs import UNKNOWN_TO_THE_ENGINE, constructs_of
from tests.laws.agreement import difference, rules_of
from tests.strategies import EDGES, EVERYTHING, History
from xmlcep.algebra import OPERATORS, EventDefinition, Operator
from xmlcep.events import PrimitiveEvent
from xmlcep.rules import parse_rules

KNOWN = EVERYTHING - UNKNOWN_TO_THE_ENGINE
# What is seldom drawn, or seldom decides, unless it stands in few other things' way.
FEW = {"within", "variable"} & KNOWN


def histories() -> st.SearchStrategy[History]:
    return some.timed_histories(advances="advance" not in UNKNOWN_TO_THE_ENGINE)


def check(definitions: tuple[EventDefinition, ...], history: History) -> None:
    text = difference(definitions, history)
    assert not text, text
    for construct in constructs_of(definitions, history.steps):
        event(construct)


@settings(max_examples=50, deadline=None)
@given(some.full_rule_sets(constructs=KNOWN), histories())
def test_everything_together(definitions: tuple[EventDefinition, ...], history: History) -> None:
    check(definitions, history)


@settings(max_examples=60, deadline=None)
@given(some.meeting_rule_sets(), some.meeting_histories())
def test_edits_releases_conditions_and_timers(
    definitions: tuple[EventDefinition, ...], history: History
) -> None:
    check(definitions, history)


@settings(max_examples=60, deadline=None)
@given(some.nested_rule_sets(), some.nested_histories())
def test_names_that_are_repeated_on_paths(definitions: tuple[EventDefinition, ...], history: History) -> None:
    check(definitions, history)


@settings(max_examples=60, deadline=None)
@given(some.late_rule_sets(), some.late_histories())
def test_timers_and_releases_at_nodes_that_are_gone(
    definitions: tuple[EventDefinition, ...], history: History
) -> None:
    check(definitions, history)


@settings(max_examples=75, deadline=None)
@given(some.dense_rule_sets(), some.dense_histories())
def test_much_at_few_nodes(definitions: tuple[EventDefinition, ...], history: History) -> None:
    check(definitions, history)


@pytest.mark.parametrize("about", EDGES)
@settings(max_examples=12, deadline=None)
@given(data=st.data(), history=some.edge_histories())
def test_the_edges_of_constraints(about: str, data: st.DataObject, history: History) -> None:
    check(data.draw(some.edge_rule_sets(about=about)), history)


@settings(max_examples=75, deadline=None)
@given(some.absence_rule_sets(), st.one_of(some.timed_histories(), some.meeting_histories()))
def test_what_must_not_occur(definitions: tuple[EventDefinition, ...], history: History) -> None:
    check(definitions, history)


@settings(max_examples=50, deadline=None)
@given(
    some.levelled_rule_sets(),
    st.one_of(some.timed_histories(), some.meeting_histories(), some.late_histories()),
)
def test_trees_above_trees(definitions: tuple[EventDefinition, ...], history: History) -> None:
    check(definitions, history)


@settings(max_examples=75, deadline=None)
@given(
    st.one_of(
        some.full_rule_sets(),
        some.meeting_rule_sets(),
        some.late_rule_sets(),
        some.absence_rule_sets(),
        some.rule_sets(),
    ),
    some.moving_histories(),
)
def test_subtrees_that_move(definitions: tuple[EventDefinition, ...], history: History) -> None:
    check(definitions, history)


@settings(max_examples=50, deadline=None)
@given(some.external_rule_sets(), some.external_histories())
def test_external_events(definitions: tuple[EventDefinition, ...], history: History) -> None:
    check(definitions, history)


@settings(max_examples=50, deadline=None)
@given(some.silent_rule_sets(), some.silent_histories())
def test_silent_empties_of_several_nodes(definitions: tuple[EventDefinition, ...], history: History) -> None:
    check(definitions, history)


@settings(max_examples=30, deadline=None)
@given(some.pair_rule_sets(), some.pair_histories())
def test_operators_of_operators(definitions: tuple[EventDefinition, ...], history: History) -> None:
    check(definitions, history)


@settings(max_examples=60, deadline=None)
@given(st.one_of(some.lots(), some.lots(), some.inner_lots()))
def test_what_falls_to_operators_by_lot(drawn: tuple[tuple[EventDefinition, ...], History]) -> None:
    check(*drawn)


@settings(max_examples=45, deadline=None)
@given(st.one_of(some.counts(), some.batches(), some.timed_waits()))
def test_counts_and_what_timers_bring_that_wait(drawn: tuple[tuple[EventDefinition, ...], History]) -> None:
    check(*drawn)


@settings(max_examples=40, deadline=None)
@given(some.towers())
def test_towers_of_trees(drawn: tuple[tuple[EventDefinition, ...], History]) -> None:
    check(*drawn)


@settings(max_examples=50, deadline=None)
@given(
    st.data(),
    st.one_of(
        some.levelled_rule_sets(),
        some.pair_rule_sets(),
        some.meeting_rule_sets(),
        some.late_rule_sets(),
        some.absence_rule_sets(),
        some.whole_rule_sets(),
    ),
)
def test_what_rules_wait_for(data: st.DataObject, definitions: tuple[EventDefinition, ...]) -> None:
    check(definitions, data.draw(some.aimed_histories(definitions)))


@settings(max_examples=30, deadline=None)
@given(some.whole_rule_sets(), st.one_of(some.timed_histories(), some.meeting_histories()))
def test_what_is_asked_of_a_whole(definitions: tuple[EventDefinition, ...], history: History) -> None:
    check(definitions, history)


@pytest.mark.parametrize("construct", sorted(KNOWN))
@settings(max_examples=20, deadline=None)
@given(data=st.data(), history=histories())
def test_one_construct_at_a_time(construct: str, data: st.DataObject, history: History) -> None:
    check(data.draw(some.full_rule_sets(constructs={construct, *FEW})), history)


@pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: operator.kind)
@settings(max_examples=20, deadline=None)
@given(data=st.data(), history=histories())
def test_every_operator(operator: type[Operator], data: st.DataObject, history: History) -> None:
    """As the root of a rule; what is in its way if the engine does not run it is left out."""
    if operator.kind in UNKNOWN_TO_THE_ENGINE:
        pytest.skip(f"the engine does not run {operator.kind} yet")
    check(data.draw(some.full_rule_sets(constructs=KNOWN, root=operator, max_depth=1)), history)


@settings(max_examples=20, deadline=None)
@given(
    st.one_of(
        some.full_rule_sets(constructs=KNOWN),
        some.meeting_rule_sets(),
        some.late_rule_sets(),
        some.whole_rule_sets(),
        some.external_rule_sets(),
        some.absence_rule_sets(),
        some.levelled_rule_sets(),
        some.dense_rule_sets(),
        some.edge_rule_sets(),
        some.silent_rule_sets(),
        some.pair_rule_sets(),
        some.lot_rule_sets(),
        some.tower_rule_sets(),
    )
)
def test_every_rule_set_that_is_drawn_is_one(definitions: tuple[EventDefinition, ...]) -> None:
    """It passes what checks rules, and means what it says."""
    assert rules_of(definitions).definitions == definitions


def test_empty_composites_before_a_last_not() -> None:
    """H3, M5, A3: found by `test_what_must_not_occur` when its examples are drawn anew."""
    rules = (
        "event E(order) {context=cumulative, end=custom}"
        " = x[0,2] ins(order/item/price/text()) ; not upd(order/item/@partNum)"
    )
    price = PathType.parse("/order/item/price")
    prices = [
        PrimitiveEvent(ts, "ins", price, (1, item, ts), None, None, 0, None, "doc", None)
        for ts, item in ((3, 2), (5, 4))
    ]
    assert not difference(parse_rules(rules).definitions, History((*prices, "flush")))
