"""The engine raises what the reference evaluator raises, step by step, for every construct that it runs.

What it does not run yet stands in `tests.constructs`. The histories have edits of several records, transactions,
users, and time that passes.
"""

from __future__ import annotations

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from tests.constructs import UNKNOWN_TO_THE_ENGINE, constructs_of
from tests.laws.agreement import difference, rules_of
from tests.strategies import (
    EDGES,
    EVERYTHING,
    History,
    absence_rule_sets,
    dense_histories,
    dense_rule_sets,
    edge_histories,
    edge_rule_sets,
    external_histories,
    external_rule_sets,
    full_rule_sets,
    late_histories,
    late_rule_sets,
    levelled_rule_sets,
    meeting_histories,
    meeting_rule_sets,
    moving_histories,
    rule_sets,
    timed_histories,
    whole_rule_sets,
)
from xmlcep.algebra import OPERATORS, EventDefinition, Operator

KNOWN = EVERYTHING - UNKNOWN_TO_THE_ENGINE
# What is seldom drawn, or seldom decides, unless it stands in few other things' way.
FEW = {"within", "variable"} & KNOWN


def histories() -> st.SearchStrategy[History]:
    return timed_histories(advances="advance" not in UNKNOWN_TO_THE_ENGINE)


def check(definitions: tuple[EventDefinition, ...], history: History) -> None:
    assert not difference(definitions, history)
    for construct in constructs_of(definitions, history.steps):
        event(construct)


@settings(max_examples=100, deadline=None)
@given(full_rule_sets(constructs=KNOWN), histories())
def test_everything_together(definitions: tuple[EventDefinition, ...], history: History) -> None:
    check(definitions, history)


@settings(max_examples=120, deadline=None)
@given(meeting_rule_sets(), meeting_histories())
def test_edits_releases_conditions_and_timers(
    definitions: tuple[EventDefinition, ...], history: History
) -> None:
    check(definitions, history)


@settings(max_examples=120, deadline=None)
@given(late_rule_sets(), late_histories())
def test_timers_and_releases_at_nodes_that_are_gone(
    definitions: tuple[EventDefinition, ...], history: History
) -> None:
    check(definitions, history)


@settings(max_examples=150, deadline=None)
@given(dense_rule_sets(), dense_histories())
def test_much_at_few_nodes(definitions: tuple[EventDefinition, ...], history: History) -> None:
    check(definitions, history)


@pytest.mark.parametrize("about", EDGES)
@settings(max_examples=12, deadline=None)
@given(data=st.data(), history=edge_histories())
def test_the_edges_of_constraints(about: str, data: st.DataObject, history: History) -> None:
    check(data.draw(edge_rule_sets(about=about)), history)


@settings(max_examples=150, deadline=None)
@given(absence_rule_sets(), st.one_of(timed_histories(), meeting_histories()))
def test_what_must_not_occur(definitions: tuple[EventDefinition, ...], history: History) -> None:
    check(definitions, history)


@settings(max_examples=100, deadline=None)
@given(levelled_rule_sets(), st.one_of(timed_histories(), meeting_histories(), late_histories()))
def test_trees_above_trees(definitions: tuple[EventDefinition, ...], history: History) -> None:
    check(definitions, history)


@settings(max_examples=150, deadline=None)
@given(
    st.one_of(full_rule_sets(), meeting_rule_sets(), late_rule_sets(), absence_rule_sets(), rule_sets()),
    moving_histories(),
)
def test_subtrees_that_move(definitions: tuple[EventDefinition, ...], history: History) -> None:
    check(definitions, history)


@settings(max_examples=100, deadline=None)
@given(external_rule_sets(), external_histories())
def test_external_events(definitions: tuple[EventDefinition, ...], history: History) -> None:
    check(definitions, history)


@settings(max_examples=120, deadline=None)
@given(whole_rule_sets(), st.one_of(timed_histories(), meeting_histories()))
def test_what_is_asked_of_a_whole(definitions: tuple[EventDefinition, ...], history: History) -> None:
    check(definitions, history)


@pytest.mark.parametrize("construct", sorted(KNOWN))
@settings(max_examples=25, deadline=None)
@given(data=st.data(), history=histories())
def test_one_construct_at_a_time(construct: str, data: st.DataObject, history: History) -> None:
    check(data.draw(full_rule_sets(constructs={construct, *FEW})), history)


@pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: operator.kind)
@settings(max_examples=20, deadline=None)
@given(data=st.data(), history=histories())
def test_every_operator(operator: type[Operator], data: st.DataObject, history: History) -> None:
    """As the root of a rule; what is in its way if the engine does not run it is left out."""
    if operator.kind in UNKNOWN_TO_THE_ENGINE:
        pytest.skip(f"the engine does not run {operator.kind} yet")
    check(data.draw(full_rule_sets(constructs=KNOWN, root=operator, max_depth=1)), history)


@settings(max_examples=40, deadline=None)
@given(
    st.one_of(
        full_rule_sets(constructs=KNOWN),
        meeting_rule_sets(),
        late_rule_sets(),
        whole_rule_sets(),
        external_rule_sets(),
        absence_rule_sets(),
        levelled_rule_sets(),
        dense_rule_sets(),
        edge_rule_sets(),
    )
)
def test_every_rule_set_that_is_drawn_is_one(definitions: tuple[EventDefinition, ...]) -> None:
    """It passes what checks rules, and means what it says."""
    assert rules_of(definitions).definitions == definitions
