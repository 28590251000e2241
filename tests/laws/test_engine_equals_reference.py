"""The engine raises what the reference evaluator raises, step by step, in the same order, inner operators'
composites included, on random rules and histories with flushes and deletions."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.laws.agreement import difference
from tests.strategies import SNOOP, histories, rule_sets
from tests.strategies.twice import rules_with_one_event_twice
from xmlcep.algebra import ContextName, EventDefinition


@settings(max_examples=37, deadline=None)
@given(rule_sets(), histories())
def test_any_rules(definitions: tuple[EventDefinition, ...], history) -> None:  # type: ignore[no-untyped-def]
    assert not difference(definitions, history)


@settings(max_examples=50, deadline=None)
@given(rules_with_one_event_twice(), histories())
def test_one_event_in_several_operands(definitions: tuple[EventDefinition, ...], history) -> None:  # type: ignore[no-untyped-def]
    assert not difference(definitions, history)


@pytest.mark.parametrize("context", SNOOP)
@settings(max_examples=30, deadline=None)
@given(data=st.data(), history=histories())
def test_every_context(context: ContextName, data: st.DataObject, history) -> None:  # type: ignore[no-untyped-def]
    definitions = data.draw(rule_sets(max_events=2, contexts=(context,)))
    assert not difference(definitions, history)
