"""Rules that ask reference documents or other languages: engine and reference evaluator raise the same (V8, O1)."""

from __future__ import annotations

from hypothesis import given, settings

from tests.constructs import UNKNOWN_TO_THE_ENGINE
from tests.laws.agreement import difference
from tests.strategies import SNOOP, histories
from tests.strategies.full_rules import full_rule_sets
from xmlcep.algebra import EventDefinition

ASKING = frozenset({"filter", "variable", "having", "guard", "edit", "release", "reference"})
OPAQUE = frozenset({"filter", "scope", "edit", "release", "opaque"})


@settings(max_examples=50, deadline=None)
@given(full_rule_sets(constructs=ASKING - UNKNOWN_TO_THE_ENGINE, contexts=SNOOP), histories(busy=True))
def test_the_engine_asks_what_the_reference_evaluator_asks(
    definitions: tuple[EventDefinition, ...], history
) -> None:  # type: ignore[no-untyped-def]
    assert not difference(definitions, history)


@settings(max_examples=50, deadline=None)
@given(full_rule_sets(constructs=OPAQUE - UNKNOWN_TO_THE_ENGINE, contexts=SNOOP), histories(busy=True))
def test_leaves_in_other_languages(definitions: tuple[EventDefinition, ...], history) -> None:  # type: ignore[no-untyped-def]
    assert not difference(definitions, history)
