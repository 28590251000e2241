"""What a content model demands that no event can be named for, or none grouped with the element: conditions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from ..suggestions import listed
from .enough import Enough
from .model import (
    MOST_LISTED,
    GroupKind,
    GroupPart,
    Part,
    Schema,
    WildcardPart,
    elements,
    local,
    walk,
)


class Unseen(NamedTuple):
    """A content model without the parts that no event can wait for, and the XPath condition that stands for them."""

    part: Part | None
    condition: str | None
    comments: tuple[str, ...]


def unseen_parts(part: Part, schema: Schema, enough: Enough, is_counted: Callable[[int], bool]) -> Unseen:
    """Takes required parts that no event can wait for out of a content model.

    These are parts with a wildcard (a path names every node, so that there is no event "any element"), and groups that
    have to occur several times with a child in them that ``is_counted``: no event tells when it is complete.
    """

    def is_unseen(inner: Part) -> bool:
        if isinstance(inner, GroupPart):
            return inner.lower > 1 and any(map(is_counted, elements(inner)))
        return isinstance(inner, WildcardPart)

    comments = (_WILDCARD_OPTIONAL,) if any(isinstance(inner, WildcardPart) for inner in walk(part)) else ()
    if part.lower == 0:
        return Unseen(part, None, comments)
    together = isinstance(part, GroupPart) and part.kind is GroupKind.ALL and part.lower == 1
    parts = part.parts if isinstance(part, GroupPart) and together else (part,)
    required = [p for p in parts if p.lower and any(map(is_unseen, walk(p)))]
    if not required:
        return Unseen(part, None, comments)
    found = [enough.part(p, elements(part)) for p in required]
    condition = " and ".join(dict.fromkeys(test.text for test in found if test.text))
    kept = tuple(replace(p, lower=0) if p in required else p for p in parts)
    left = tuple(p for p in kept if not isinstance(p, WildcardPart))
    rest: Part | None = None
    if len(left) == 1:
        rest = left[0]
    elif left:
        lower = 1 if any(p.lower for p in left) else 0
        rest = GroupPart(GroupKind.ALL, left, lower, part.upper if together else 1)
    counted = [
        _WILDCARD_COUNTED for p in required if any(isinstance(inner, WildcardPart) for inner in walk(p))
    ]
    told = [index for p in required for index in elements(p) if is_counted(index)]
    if told:
        names = list(dict.fromkeys(local(schema.declarations[index].name) for index in told))
        counted.append(counted_remark(listed(names, MOST_LISTED), exact=all(test.exact for test in found)))
    return Unseen(rest, condition or None, tuple(dict.fromkeys(counted)))


_WILDCARD_OPTIONAL = "wildcard: other elements are allowed inside and are not waited for"
_WILDCARD_COUNTED = "wildcard: elements that the schema does not name are counted by the condition"


def counted_remark(names: str, *, exact: bool) -> str:
    """The comment on children of which a condition says whether they are complete."""
    said = f"a condition, not an event, says whether there is enough in {names}"
    return said if exact else f"{said}, to a limited depth"
