"""Relations of path types and event types, written out from the rules (P3 to P6, P8, P10, E2, F5).

The engine's own (`path_types`) are checked against these, so nothing is borrowed from there but the
values: a path type is a kind and a tuple of steps, a path instance has one id per step. ``a < b`` of the
rules is ``contained(a, b)`` here, ``a <e b`` is ``ends(a, b)``: the operands stand in the rules' order.
None is null, and passes through (P9).
"""

from __future__ import annotations

from path_types import PathInstance, PathType
from xmlcep.events import CompositeType, PrimitiveEvent, PrimitiveType, Scope

from .events import Event


def equal(a: PathType | None, b: PathType | None) -> bool:
    """The same kind and the same steps (P2)."""
    return a is not None and b is not None and a.absolute == b.absolute and a.steps == b.steps


def offsets(a: PathType, b: PathType) -> list[int]:
    """Every offset at which the steps of a occur in b."""
    return [i for i in range(len(b.steps)) if b.steps[i : i + len(a.steps)] == a.steps]


def contained(a: PathType | None, b: PathType | None) -> bool:
    """``a < b``: b uniquely contains a (P3)."""
    if a is None or b is None:
        return False
    if a.absolute and b.absolute:
        return 0 in offsets(a, b) and len(a.steps) < len(b.steps)
    if a.absolute and not b.absolute:
        return False
    if not a.absolute and b.absolute:
        return len(offsets(a, b)) == 1
    return len(offsets(a, b)) == 1 and len(a.steps) < len(b.steps)


def ends(a: PathType | None, b: PathType | None) -> bool:
    """``a <e b``: a is relative, its steps are b's last, and it is shorter, or b absolute (P4)."""
    if a is None or b is None or a.absolute:
        return False
    if len(a.steps) > len(b.steps) or (len(a.steps) == len(b.steps) and not b.absolute):
        return False
    return b.steps[-len(a.steps) :] == a.steps


def equals_or_ends(a: PathType | None, b: PathType | None) -> bool:
    """``a = b`` or ``a <e b``, as E2, M4 and G1 ask."""
    return equal(a, b) or ends(a, b)


def left_bound_intersection(a: PathType | None, b: PathType | None) -> PathType | None:
    """``a ∩lb b``: the common leading steps; of the common kind, else absolute; null if none (P5)."""
    if a is None or b is None:
        return None
    longest = 0
    for length in range(1, min(len(a.steps), len(b.steps)) + 1):
        if a.steps[:length] == b.steps[:length]:
            longest = length
    if longest == 0:
        return None
    kind = a.absolute if a.absolute == b.absolute else True
    return PathType.of(kind, a.steps[:longest])


def covered(a: PathType | None, b: PathType | None) -> range | None:
    """Which steps of b are a's, by index: where b contains a, or all of them if a = b (P6, P8)."""
    if a is None or b is None or not (contained(a, b) or equal(a, b)):
        return None
    start = 0 if a.absolute else offsets(a, b)[0]
    return range(start, start + len(a.steps))


def absolute_path_intersection(a: PathType | None, b: PathType | None) -> PathType | None:
    """``a ∩ab b``: the absolute path of b's steps up to the end of where b contains a; else null (P6)."""
    part = covered(a, b)
    if part is None or b is None:
        return None
    return PathType.of(True, b.steps[: part.stop])


def project(a: PathType | None, instance: PathInstance | None) -> PathInstance | None:
    """``π_a(instance)``: the part of the instance that a covers; else null (P8)."""
    if a is None or instance is None:
        return None
    part = covered(a, instance.path)
    if part is None:
        return None
    return PathInstance(a, instance.ids[part.start : part.stop])


def align(a: PathType, o: PathType, instance: PathInstance, scope: Scope = Scope.NODE) -> PathInstance | None:
    """Which part of the instance a means, if the instance was taken by o (P10); else null."""
    in_o, anywhere = occurrences(a, o), occurrences(a, instance.path)
    if in_o:
        start = matched(o, scope, instance.path).start + in_o[0]
    elif anywhere:
        start = anywhere[-1]
    else:
        return None
    return PathInstance(a, instance.ids[start : start + len(a.steps)])


def matched(o: PathType, scope: Scope, path: PathType) -> range:
    """Which steps of an absolute path type are those of o, if a node there was taken by it (P10, F5)."""
    most = len(path.steps) - (scope is Scope.BELOW)
    ends_at = [start + len(o.steps) for start in occurrences(o, path)]
    end = max(end for end in ends_at if end <= most)
    return range(end - len(o.steps), end)


def occurrences(a: PathType, b: PathType) -> list[int]:
    """Every offset at which a lies in b; an absolute one lies only where b begins at the document element (P3)."""
    found = offsets(a, b)
    return [start for start in found if not a.absolute or (b.absolute and start == 0)]


def compatible(event: Event, wanted: PrimitiveType | CompositeType) -> bool:
    """Whether the event's type is compatible with the type that is wanted (E2).

    A primitive type and a composite type never are. A composite without a path instance (T4) has no
    path type that anything could end.
    """
    if isinstance(event, PrimitiveEvent):
        if not isinstance(wanted, PrimitiveType):
            return False
        return wanted.operation in (event.op, "*") and meant(wanted.path, wanted.scope, event.path)
    if not isinstance(wanted, CompositeType) or event.instance is None:
        return False
    return wanted.name in (event.name, None) and meant(wanted.path, wanted.scope, event.instance.path)


def meant(path: PathType, scope: Scope, place: PathType) -> bool:
    """Whether nodes of path type ``place`` are meant: by the path itself (E2), or as lying below it (F5)."""
    if scope is Scope.NODE:
        return equals_or_ends(path, place)
    ends_at = [start + len(path.steps) for start in occurrences(path, place)]
    return any(end < len(place.steps) or scope is Scope.AT_OR_BELOW for end in ends_at)
