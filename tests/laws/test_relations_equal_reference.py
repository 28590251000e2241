"""The relations of path types and event types (P3 to P8, P10, E2) against the reference's, on random ones.

Two names and short paths make recursion, equal lengths and near misses common.
"""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st

import path_types
from path_types import PathInstance, PathType
from path_types.relations import aligned
from tests.reference import relations
from tests.reference.events import Composite
from tests.strategies import path_types as any_path_types
from xmlcep.events import CompositeType, PrimitiveEvent, PrimitiveType, Scope

paths = st.none() | any_path_types(max_steps=4, names=("item", "order"))
some_paths = any_path_types(max_steps=4, names=("item", "order"))
operations = st.sampled_from(("ins", "upd", "del"))
names = st.sampled_from(("Complete", "Changed"))


@given(paths, paths)
def test_relations_of_path_types(a: PathType | None, b: PathType | None) -> None:
    assert path_types.contains(b, a) is relations.contained(a, b)
    assert path_types.ends(a, b) is relations.ends(a, b)
    assert path_types.equals_or_ends(a, b) is relations.equals_or_ends(a, b)
    assert path_types.left_bound_intersection(a, b) is relations.left_bound_intersection(a, b)
    assert path_types.absolute_path_intersection(a, b) is relations.absolute_path_intersection(a, b)
    covered = relations.covered(a, b)
    assert path_types.offset(a, b) == (None if covered is None else covered.start)


@given(paths, some_paths)
def test_projection(a: PathType | None, path: PathType) -> None:
    instance = PathInstance(path, tuple(range(1, len(path) + 1)))
    assert path_types.project(a, instance) == relations.project(a, instance)


@given(some_paths, some_paths, st.data())
def test_alignment(a: PathType, path: PathType, data: st.DataObject) -> None:
    """By leaves that take the event (E2, F5)."""
    absolute = PathType.of(True, path.steps)
    instance = PathInstance(absolute, tuple(range(1, len(path) + 1)))
    scope = data.draw(st.sampled_from(Scope))
    takers = [own for above in absolute.upwards() for own in above.endings if scope.covers(own, absolute)]
    assume(takers)
    own = data.draw(st.sampled_from(takers))
    part = relations.align(a, own, instance, scope)
    length = aligned(a, own, absolute, below=scope is Scope.BELOW)
    assert length == (None if part is None else instance.ids.index(part.ids[-1]) + 1)
    if scope is Scope.NODE:
        assert path_types.align(a, own, instance) == part


@given(some_paths, some_paths, operations, operations | st.just("*"))
def test_compatibility_of_primitive_types(a: PathType, b: PathType, operation: str, wanted: str) -> None:
    path = PathType.of(True, a.steps)
    event = PrimitiveEvent(1, operation, path, tuple(range(len(path))))
    accepts = PrimitiveType(wanted, b).accepts(operation, path)
    assert accepts is relations.compatible(event, PrimitiveType(wanted, b))
    assert not relations.compatible(event, CompositeType(None, b))


@given(some_paths, some_paths, names, names | st.none())
def test_compatibility_of_composite_types(a: PathType, b: PathType, name: str, wanted: str | None) -> None:
    path = PathType.of(True, a.steps)
    cause = PrimitiveEvent(1, "ins", path, tuple(range(len(path))))
    event = Composite(name, cause.instance, [], cause, None)
    assert CompositeType(wanted, b).accepts(name, path) is relations.compatible(
        event, CompositeType(wanted, b)
    )
    assert not relations.compatible(event, PrimitiveType("*", b))
