"""What a content model demands that no event can be named for: required wildcards become conditions."""

from __future__ import annotations

from typing import NamedTuple

from .model import (
    ElementPart,
    GroupKind,
    GroupPart,
    Part,
    Schema,
    Wildcard,
    WildcardPart,
    elements,
    local,
    walk,
)
from .naming import Prefixes


class Unseen(NamedTuple):
    """A content model without its required wildcards, and the XPath condition that stands for them."""

    part: Part | None
    condition: str | None
    comments: tuple[str, ...]


def unseen_parts(part: Part, own: str, schema: Schema, prefixes: Prefixes) -> Unseen:
    """Takes required parts with a wildcard, or with a child called ``own``, out of an element's content model.

    A path names every node, so that there is no event "any element"; and a child of the element's own name has that
    name twice in its path, so that its events are not grouped with the element's (P3). But a condition can count.
    """

    def is_unseen(inner: Part) -> bool:
        if isinstance(inner, ElementPart):
            return any(schema.declarations[index].name == own for index in inner.declarations)
        return isinstance(inner, WildcardPart)

    comments = (_WILDCARD_OPTIONAL,) if any(isinstance(inner, WildcardPart) for inner in walk(part)) else ()
    if part.lower == 0:
        return Unseen(part, None, comments)
    together = isinstance(part, GroupPart) and part.kind is GroupKind.ALL and part.lower == 1
    parts = part.parts if isinstance(part, GroupPart) and together else (part,)
    required = [p for p in parts if p.lower and any(map(is_unseen, walk(p)))]
    if not required:
        return Unseen(part, None, comments)
    tests = _Tests(schema, prefixes, tuple(dict.fromkeys(elements(part))))
    condition = " and ".join(dict.fromkeys(filter(None, map(tests.test, required))))
    kept = tuple(_optional(p) if p in required else p for p in parts)
    left = tuple(p for p in kept if not isinstance(p, WildcardPart))
    rest: Part | None = None
    if len(left) == 1:
        rest = left[0]
    elif left:
        lower = 1 if any(p.lower for p in left) else 0
        rest = GroupPart(GroupKind.ALL, left, lower, part.upper if together else 1)
    counted = (
        [_WILDCARD_COUNTED] if any(isinstance(i, WildcardPart) for p in required for i in walk(p)) else []
    )
    if any(isinstance(i, ElementPart) and is_unseen(i) for p in required for i in walk(p)):
        counted.append(_OWN_COUNTED.format(local(own)))
    return Unseen(rest, condition or None, tuple(counted))


_WILDCARD_OPTIONAL = "wildcard: other elements are allowed inside and are not waited for"
_WILDCARD_COUNTED = "wildcard: elements that the schema does not name are counted by the condition"
_OWN_COUNTED = "recursive: {0} elements directly inside are counted by the condition, complete or not (P3)"


def _optional(part: Part) -> Part:
    if isinstance(part, GroupPart):
        return GroupPart(part.kind, part.parts, 0, part.upper)
    if isinstance(part, ElementPart):
        return ElementPart(part.declarations, 0, part.upper)
    return WildcardPart(part.wildcard, 0, part.upper)


class _Tests:
    """XPath for parts, looked at from the element; ``named`` are the children that its content names."""

    def __init__(self, schema: Schema, prefixes: Prefixes, named: tuple[int, ...]) -> None:
        self.prefixes = prefixes
        self.schema = schema
        self.names = tuple(dict.fromkeys(schema.declarations[index].name for index in named))

    def test(self, part: Part, times: int = 1) -> str:
        """True when there is enough for the part, ``times`` over; "" when it asks for nothing."""
        times *= part.lower
        if times == 0:
            return ""
        if not isinstance(part, GroupPart):
            return _at_least(self._nodes(part), times)
        if part.kind is GroupKind.ALL:
            return _joined(" and ", [test for p in part.parts if (test := self.test(p, times))])
        single = [p for p in part.parts if not isinstance(p, GroupPart) and p.lower == 1]
        if len(single) == len(part.parts):
            return _at_least(" | ".join(map(self._nodes, single)), times)
        # several rounds of a choice between groups are more than counting can tell: one of them has to do
        return _joined(" or ", [self.test(p) for p in part.parts])

    def _nodes(self, part: ElementPart | WildcardPart) -> str:
        if isinstance(part, WildcardPart):
            return self._other(part.wildcard)
        names = [self.schema.declarations[index].name for index in part.declarations]
        return " | ".join(map(self.prefixes.in_condition, names))

    def _other(self, wildcard: Wildcard) -> str:
        uris = [f"namespace-uri() = '{uri}'" for uri in wildcard.namespaces]
        tests = []
        if uris:
            joined = " or ".join(uris)
            tests.append(
                f"not({joined})" if wildcard.excluding else joined if len(uris) == 1 else f"({joined})"
            )
        excluded = [
            name for name in (*self.names, *wildcard.names) if wildcard.admits(name) or name in wildcard.names
        ]
        if excluded:
            tests.append(
                f"not({' or '.join(f'self::{self.prefixes.in_condition(name)}' for name in excluded)})"
            )
        return f"*[{' and '.join(tests)}]" if tests else "*"


def _at_least(nodes: str, count: int) -> str:
    return nodes if count == 1 else f"count({nodes}) >= {count}"


def _joined(word: str, tests: list[str]) -> str:
    return tests[0] if len(tests) == 1 else f"({word.join(tests)})" if tests else ""
