"""Whether one event can reach an operator through two leaves: the same as looking at all pairs."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from path_types import PathType
from tests.strategies.path_types import path_types
from xmlcep.events import ANY, CompositeType, EventType, PrimitiveType, Scope
from xmlcep.rules.overlap import may_repeat

PATHS = path_types(max_steps=3, names=("a", "b"))


def types(scopes: st.SearchStrategy[Scope]) -> st.SearchStrategy[EventType]:
    """Event types that mean so much below their path."""
    return st.builds(PrimitiveType, st.sampled_from(["ins", "upd", ANY]), PATHS, scopes) | st.builds(
        CompositeType, st.sampled_from(["A", "B", None]), PATHS, scopes
    )


def overlap(a: EventType, b: EventType) -> bool:
    """E2, the paths taken for relative ones: an event can be compatible with both."""
    if isinstance(a, PrimitiveType) and isinstance(b, PrimitiveType):
        words = {a.operation, b.operation} - {ANY}
    elif isinstance(a, CompositeType) and isinstance(b, CompositeType):
        words = {a.name, b.name} - {None}
    else:
        return False
    shorter = min(len(a.path), len(b.path))
    return len(words) < 2 and a.path.steps[-shorter:] == b.path.steps[-shorter:]


@given(st.lists(types(st.just(Scope.NODE)), max_size=6))
def test_the_same_as_all_pairs(types: list[EventType]) -> None:
    assert may_repeat(types) == any(overlap(a, b) for a, b in combinations(types, 2))


@given(st.lists(types(st.sampled_from(Scope)), max_size=6), st.data())
def test_what_means_all_below_errs_on_the_side_of_yes(types: list[EventType], data: st.DataObject) -> None:
    """F5: where some event is compatible with two of the types, it is said."""
    event = data.draw(
        path_types(max_steps=3, names=("a", "b")).map(lambda path: PathType.of(True, path.steps))
    )
    word = data.draw(st.sampled_from(["ins", "upd"]))
    taken = [t for t in types if isinstance(t, PrimitiveType) and t.accepts(word, event)]
    assert may_repeat(types) or len(taken) < 2
