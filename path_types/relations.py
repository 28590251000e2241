"""Relations and operators on path types (rules P3 to P6, P10), null (None) passing through those of P9."""

from __future__ import annotations

from .types import PathType


def offsets(part: PathType, whole: PathType) -> list[int]:
    """Where the steps of ``part`` stand in ``whole``, however often.

    An absolute one is anchored: its only place is the beginning of an absolute one (P3, decided).
    """
    length, wanted, steps = len(part), part.steps, whole.steps
    if part.absolute:
        return [0] if whole.absolute and steps[:length] == wanted else []
    return [i for i in range(len(steps) - length + 1) if steps[i : i + length] == wanted]


def offset(part: PathType | None, whole: PathType | None) -> int | None:
    """Where ``whole`` covers ``part``: the index of the step of ``whole`` that part's first step is.

    None unless ``part < whole`` or ``part = whole`` (P3, P8).
    """
    if part is None or whole is None:
        return None
    if part is whole:
        return 0
    found = offsets(part, whole)
    return found[0] if len(found) == 1 else None


def aligned(part: PathType, own: PathType, whole: PathType, *, below: bool = False) -> int | None:
    """How many leading steps of ``whole`` lead to the node that ``part`` means, if ``own`` took what happened there
    (``below``: somewhere below a node of ``own``); None: it means none (P10).

    >>> section, title = PathType.parse("section"), PathType.parse("title")
    >>> whole = PathType.parse("/section/section/para/title")
    >>> aligned(section, title, whole), aligned(section, PathType.parse("section/section/para/title"), whole)
    (2, 1)
    """
    inside = offsets(part, own)
    if inside:
        most = len(whole) - len(own) - below
        return max(at for at in offsets(own, whole) if at <= most) + inside[0] + len(part)
    found = offsets(part, whole)
    return found[-1] + len(part) if found else None


def contains(whole: PathType | None, part: PathType | None) -> bool:
    """Containment ``part < whole``: whole uniquely contains part (P3)."""
    return part is not whole and offset(part, whole) is not None


def leading(path: PathType, length: int) -> PathType:
    """The path type of its first ``length`` steps, which are at least one."""
    above: PathType | None = path
    for _ in range(len(path) - length):
        assert above is not None
        above = above.parent
    assert above is not None
    return above


def ends(part: PathType | None, whole: PathType | None) -> bool:
    """Ending ``part <e whole``: relative ``part`` is the end of the more special ``whole`` (P4)."""
    if part is None or whole is None or part.absolute:
        return False
    m, n = len(part), len(whole)
    return (m < n or (m == n and whole.absolute)) and whole.steps[n - m :] == part.steps


def equals_or_ends(part: PathType | None, whole: PathType | None) -> bool:
    """``part = whole`` or ``part <e whole``, the test behind type compatibility (E2) and reuse (G1)."""
    return part is not None and (part is whole or ends(part, whole))


def either_ends(first: PathType, second: PathType) -> bool:
    """Whether one of them is or ends the other: there are nodes whose path is, or ends with, both (P4)."""
    return equals_or_ends(first, second) or ends(second, first)


def left_bound_intersection(first: PathType | None, second: PathType | None) -> PathType | None:
    """``first ∩lb second``: the common leading steps; absolute if the kinds differ (P5)."""
    if first is None or second is None:
        return None
    common = 0
    for a, b in zip(first.steps, second.steps, strict=False):
        if a != b:
            break
        common += 1
    if not common:
        return None
    absolute = first.absolute or second.absolute
    return PathType.of(absolute, first.steps[:common])


def absolute_path_intersection(part: PathType | None, whole: PathType | None) -> PathType | None:
    """``part ∩ab whole``: whole's steps up to the end of where it contains part, absolute (P6)."""
    start = offset(part, whole)
    if start is None or part is None or whole is None:
        return None
    return PathType.of(True, whole.steps[: start + len(part)])
