"""What the analysis calls terminating ends, on random documents (L9); random rules keep tree and shadow in step."""

from __future__ import annotations

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.actions.random_rules import ends, graph_of, random_rules


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 1_000_000), st.integers(0, 1_000_000))
def test_without_a_cycle_every_cascade_ends(seed: int, edits: int) -> None:
    """No rule can come twice in a chain, so none is deeper than there are rules."""
    rules = random_rules(seed)
    graph = graph_of(rules)
    assume(graph.terminates)
    assert ends(rules, edits, edits=12, limit=len(rules.active_rules)), str(rules)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 1_000_000), st.integers(0, 1_000_000))
def test_what_does_not_end_has_a_cycle(seed: int, edits: int) -> None:
    """The other way round; and whatever is undone, tree and shadow agree (`ends` looks)."""
    rules = random_rules(seed)
    if not ends(rules, edits, edits=8, limit=20):
        assert not graph_of(rules).terminates, str(rules)
