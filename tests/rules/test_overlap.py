"""Whether one event can reach an operator through two leaves: the same as looking at all pairs."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.strategies.path_types import path_types
from xmlcep.events import ANY, CompositeType, EventType, PrimitiveType, Scope
from xmlcep.rules.overlap import may_repeat

PATHS = path_types(max_steps=2, names=("a", "b"))
SCOPES = st.sampled_from([*[Scope.NODE] * 9, Scope.BELOW])
TYPES = st.builds(PrimitiveType, st.sampled_from(["ins", "upd", ANY]), PATHS, SCOPES) | st.builds(
    CompositeType, st.sampled_from(["A", "B", None]), PATHS, SCOPES
)


def overlap(a: EventType, b: EventType) -> bool:
    """E2: an event can be compatible with both. Paths are taken for relative ones, and with a scope (F5) for any."""
    if isinstance(a, PrimitiveType) and isinstance(b, PrimitiveType):
        words = {a.operation, b.operation} - {ANY}
    elif isinstance(a, CompositeType) and isinstance(b, CompositeType):
        words = {a.name, b.name} - {None}
    else:
        return False
    if Scope.BELOW in (a.scope, b.scope):
        return len(words) < 2
    shorter = min(len(a.path), len(b.path))
    return len(words) < 2 and a.path.steps[-shorter:] == b.path.steps[-shorter:]


@settings(max_examples=400)
@given(st.lists(TYPES, max_size=4))
def test_the_same_as_all_pairs(types: list[EventType]) -> None:
    assert may_repeat(types) == any(overlap(a, b) for a, b in combinations(types, 2))
