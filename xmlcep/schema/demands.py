"""What a content model demands: simplified model groups, and the least bags of children that satisfy them.

Events cannot see positions: an element counts as complete when what has been inserted is *enough* for valid
content, whatever else there is by then and in whatever order it came.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from .model import ElementPart, GroupKind, GroupPart, Part, WildcardPart, elements

MAX_BAGS = 24
"""Least bags that are written out when one name is in several required parts."""

MAX_BAG_SIZE = 64
"""Children in one such bag."""

Bag = Counter[tuple[int, ...]]


def simplified(part: Part | None) -> Part | None:
    """The part without what says nothing: groups of one, groups in groups of their kind; None: no content.

    What need not occur gets the lower bound 0, so that a group is required exactly when its bound says so.
    """
    if not isinstance(part, GroupPart):
        return part
    inner = [found for p in part.parts if (found := simplified(p)) is not None]
    flat: list[Part] = []
    for p in inner:
        opened = isinstance(p, GroupPart) and p.kind is part.kind and is_once(p)
        flat += p.parts if isinstance(p, GroupPart) and opened else [p]
    flat = _merged(flat) if part.kind is GroupKind.ALL else list(dict.fromkeys(flat))
    if not flat:
        return None
    if len(flat) == 1:
        return _times(flat[0], part.lower, part.upper)
    group = GroupPart(part.kind, tuple(flat), part.lower, part.upper)
    return replace(group, lower=0) if can_be_empty(group) else group


def can_be_empty(group: GroupPart) -> bool:
    """Whether the parts of a group allow that there is nothing, however often the group has to occur."""
    return (all if group.kind is GroupKind.ALL else any)(part.lower == 0 for part in group.parts)


def is_once(group: GroupPart) -> bool:
    """Whether a group says no more than its parts do: it occurs once, or is optional just because they are."""
    return group.upper == 1 and (group.lower == 1 or can_be_empty(group))


def _merged(parts: list[Part]) -> list[Part]:
    """The same element in several places of a sequence is one part with the bounds added up."""
    merged: list[Part] = []
    at: dict[tuple[int, ...], int] = {}
    for part in parts:
        if isinstance(part, ElementPart) and part.declarations in at:
            known = merged[at[part.declarations]]
            upper = None if known.upper is None or part.upper is None else known.upper + part.upper
            merged[at[part.declarations]] = ElementPart(part.declarations, known.lower + part.lower, upper)
            continue
        if isinstance(part, ElementPart):
            at[part.declarations] = len(merged)
        merged.append(part)
    return merged


def _times(part: Part, lower: int, upper: int | None) -> Part:
    """``part``, ``lower`` to ``upper`` times over."""
    low = part.lower * lower
    high = None if part.upper is None or upper is None else part.upper * upper
    return replace(part, lower=low, upper=high)


def most_required(part: Part | None) -> int:
    """How many children a part needs to be there, in the branches of its choices that need most."""
    if part is None:
        return 0
    if not isinstance(part, GroupPart):
        return part.lower
    inner = [most_required(each) for each in part.parts]
    return part.lower * (sum if part.kind is GroupKind.ALL else max)(inner)


def is_entangled(part: Part | None) -> bool:
    """Whether an event could be counted for two required parts at once, as both have a leaf for it (T5).

    That is so when the same element is in two required parts of a sequence, or in two branches of a choice
    that has to be made more than once.
    """
    return part is not None and _entangled(part, repeated=False)


def _entangled(part: Part, repeated: bool) -> bool:
    if not isinstance(part, GroupPart) or part.lower == 0:
        return False
    repeated = repeated or part.lower > 1
    counted = (
        [p for p in part.parts if p.lower > 0] if part.kind is GroupKind.ALL and not repeated else part.parts
    )
    if part.kind is GroupKind.ALL or repeated:
        names: Counter[int] = Counter()
        for p in counted:
            names.update(set(elements(p)))
        if any(count > 1 for count in names.values()):
            return True
    return any(_entangled(p, repeated) for p in part.parts)


def least_bags(part: Part | None) -> list[Bag] | None:
    """The least bags of children (element part -> how many) that make valid content; None: too many.

    A wildcard asks for nothing here: what stands for it has no name.
    """
    try:
        return _least(list(_bags(part)))
    except _TooMany:
        return None


class _TooMany(Exception):
    """More bags than `MAX_BAGS`, or a bag of more than `MAX_BAG_SIZE`."""


def _bags(part: Part | None) -> Iterator[Bag]:
    if part is None or part.lower == 0 or isinstance(part, WildcardPart):
        yield Counter()
    elif isinstance(part, ElementPart):
        if part.lower > MAX_BAG_SIZE:
            raise _TooMany
        yield Counter({part.declarations: part.lower})
    elif part.kind is GroupKind.CHOICE:
        once = [bag for inner in part.parts for bag in _bags(inner)]
        yield from _sums([once] * _bounded(part.lower))
    else:
        yield from _sums([list(_bags(inner)) for inner in part.parts] * _bounded(part.lower))


def _bounded(times: int) -> int:
    if times > MAX_BAG_SIZE:
        raise _TooMany
    return times


def _sums(choices: list[list[Bag]]) -> list[Bag]:
    """All sums of one bag of each list, without those that contain another."""
    sums: list[Bag] = [Counter()]
    for bags in choices:
        sums = _least([first + second for first in sums for second in bags])
    return sums


def _least(bags: list[Bag]) -> list[Bag]:
    distinct = list({frozenset(bag.items()): bag for bag in bags}.values())
    least = [bag for bag in distinct if not any(other <= bag for other in distinct if other is not bag)]
    if len(least) > MAX_BAGS or any(bag.total() > MAX_BAG_SIZE for bag in least):
        raise _TooMany
    return least
