"""Laws of path types and path instances, on random ones.

When does ``a <e b`` imply ``a < b``? Ending looks at b's last steps only, containment wants a to occur
once. So it does exactly when a's steps occur nowhere else in b: always without recursion, not for
``item <e /item/item``.
"""

from __future__ import annotations

import pickle

from hypothesis import given
from hypothesis import strategies as st

from path_types import (
    PathInstance,
    PathType,
    Step,
    absolute_path_intersection,
    align,
    contains,
    ends,
    equals_or_ends,
    left_bound_intersection,
    offset,
    project,
)
from path_types.endings import ByEnding
from path_types.relations import aligned, leading, offsets
from tests.strategies import path_types

# Two names make recursion and coincidences common.
paths = path_types(names=("item", "order"))


@st.composite
def instances(draw: st.DrawFn) -> PathInstance:
    """An absolute path type with distinct ids."""
    path = draw(paths)
    ids = draw(st.lists(st.integers(1, 99), min_size=len(path), max_size=len(path), unique=True))
    return PathInstance.of(PathType.of(True, path.steps), tuple(ids))


@st.composite
def taken(draw: st.DrawFn) -> tuple[PathInstance, PathType]:
    """A path instance, and a path type that takes what happens there (E2)."""
    instance = draw(instances())
    return instance, draw(st.sampled_from(instance.path.endings))


@given(paths, taken())
def test_alignment_is_projection_where_that_has_an_answer(
    part: PathType, at: tuple[PathInstance, PathType]
) -> None:
    instance, own = at
    projection = project(part, instance)
    assert projection is None or align(part, own, instance) == projection


@given(paths, taken())
def test_what_is_aligned_lies_on_the_way(part: PathType, at: tuple[PathInstance, PathType]) -> None:
    """Nothing is aligned exactly where the part does not occur at all."""
    instance, own = at
    length = aligned(part, own, instance.path)
    assert (length is None) is not bool(offsets(part, instance.path))
    assert length is None or equals_or_ends(part, leading(instance.path, length))


@given(paths, taken())
def test_alignment_goes_by_the_operand(part: PathType, at: tuple[PathInstance, PathType]) -> None:
    """By a longer own path type the node is never deeper; by the part itself it is the event's own."""
    instance, own = at
    length = aligned(part, own, instance.path)
    longer = [each for each in instance.path.endings if len(each) > len(own)]
    assert all((aligned(part, each, instance.path) or 0) <= (length or 0) for each in longer)
    if equals_or_ends(part, instance.path):
        assert aligned(part, part, instance.path) == len(instance.path)


def occurrences(part: PathType, whole: PathType) -> list[int]:
    """Every offset at which whole has part's steps."""
    ends_at = len(whole) - len(part) + 1
    return [i for i in range(max(0, ends_at)) if whole.steps[i : i + len(part)] == part.steps]


@given(paths, paths)
def test_left_bound_intersection_is_commutative(a: PathType, b: PathType) -> None:
    assert left_bound_intersection(a, b) is left_bound_intersection(b, a)


@given(paths)
def test_left_bound_intersection_is_idempotent(a: PathType) -> None:
    assert left_bound_intersection(a, a) is a


@given(paths, paths, paths)
def test_left_bound_intersection_is_associative(a: PathType, b: PathType, c: PathType) -> None:
    left = left_bound_intersection(left_bound_intersection(a, b), c)
    assert left is left_bound_intersection(a, left_bound_intersection(b, c))


@given(paths, paths)
def test_left_bound_intersection_begins_both(a: PathType, b: PathType) -> None:
    common = left_bound_intersection(a, b)
    if common is None:
        assert a.steps[0] != b.steps[0]
    else:
        n = len(common)
        assert common.steps == a.steps[:n] == b.steps[:n]
        assert a.steps[n : n + 1] != b.steps[n : n + 1] or n == len(a) == len(b)
        assert common.absolute is (a.absolute or b.absolute)


@given(paths, paths)
def test_containment_is_one_occurrence_in_something_longer_or_absolute(a: PathType, b: PathType) -> None:
    if a.absolute:
        expected = b.absolute and len(a) < len(b) and 0 in occurrences(a, b)
    else:
        expected = len(occurrences(a, b)) == 1 and (len(a) < len(b) or b.absolute)
    assert contains(b, a) is expected


@given(paths, paths)
def test_ending_implies_containment_exactly_where_it_is_the_only_occurrence(a: PathType, b: PathType) -> None:
    if ends(a, b):
        assert contains(b, a) is (occurrences(a, b) == [len(b) - len(a)])


@given(paths, paths, paths)
def test_ending_is_transitive(a: PathType, b: PathType, c: PathType) -> None:
    if ends(a, b) and ends(b, c):
        assert ends(a, c)


@given(paths, paths)
def test_containment_and_ending_are_irreflexive_and_asymmetric(a: PathType, b: PathType) -> None:
    assert not contains(a, a) and not ends(a, a)
    assert not (contains(b, a) and contains(a, b))
    assert not (ends(b, a) and ends(a, b))


@given(paths, paths)
def test_compatibility_is_equality_or_ending(a: PathType, b: PathType) -> None:
    assert equals_or_ends(a, b) is (a == b or ends(a, b))


@given(paths, paths)
def test_absolute_path_intersection_exists_where_the_part_is_covered(a: PathType, b: PathType) -> None:
    result = absolute_path_intersection(a, b)
    assert (result is not None) is (contains(b, a) or a is b)
    if result is not None:
        assert result.absolute and result.steps == b.steps[: len(result)]
        assert result.steps[len(result) - len(a) :] == a.steps


@given(paths, instances())
def test_projection_exists_where_the_path_is_covered(a: PathType, instance: PathInstance) -> None:
    projection = project(a, instance)
    assert (projection is not None) is (contains(instance.path, a) or a is instance.path)
    if projection is not None:
        start = offset(a, instance.path)
        assert start is not None
        assert projection.path is a and projection.ids == instance.ids[start : start + len(a)]


@given(paths, paths, instances())
def test_projection_of_a_projection(a: PathType, b: PathType, instance: PathInstance) -> None:
    """``π_a(π_b(pi)) = π_a(pi)`` wherever both are there: a projection never picks other nodes."""
    inner, direct = project(b, instance), project(a, instance)
    outer = project(a, inner)
    if outer is not None and direct is not None:
        assert outer == direct
    if inner is not None and direct is not None and contains(b, a):
        assert outer == direct


@given(instances())
def test_projection_on_itself_is_itself(instance: PathInstance) -> None:
    assert project(instance.path, instance) == instance
    assert project(instance.path.relative, instance) == PathInstance(instance.path.relative, instance.ids)


@given(paths)
def test_printing_and_parsing_round_trip(a: PathType) -> None:
    assert PathType.parse(str(a)) is a


@given(paths)
def test_path_types_are_interned_values(a: PathType) -> None:
    again = PathType.of(a.absolute, list(a.steps))
    assert again is a and hash(again) == hash(a)
    assert pickle.loads(pickle.dumps(a)) is a
    assert PathType.of(True, a.steps).relative is PathType.of(False, a.steps)


@given(paths)
def test_what_is_above_and_what_it_ends_with(a: PathType) -> None:
    assert [path.steps for path in a.upwards()] == [a.steps[:n] for n in range(len(a), 0, -1)]
    assert a.endings == (a, *(PathType.of(False, a.steps[n:]) for n in range(len(a))))


@given(paths, st.lists(paths, max_size=8), st.lists(st.integers(0, 4), max_size=3))
def test_looking_up_by_ending_finds_what_it_equals_or_what_ends_it(
    a: PathType, others: list[PathType], cuts: list[int]
) -> None:
    known = {*others, *(PathType.of(False, a.steps[n:]) for n in cuts if n < len(a))}
    found = list(ByEnding({path: path for path in known}).of(a))
    assert set(found) == {path for path in known if equals_or_ends(path, a)}
    assert len(found) == len(set(found))


@given(paths)
def test_parent_and_child_are_inverse(a: PathType) -> None:
    if a.last.is_element:
        below = a.child(Step.element("comment"))
        assert below.parent is a and below.last == Step.element("comment") and len(below) == len(a) + 1
