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
    walk,
)
from .naming import Prefixes


class Unseen(NamedTuple):
    """A content model without its required wildcards, and the XPath condition that stands for them."""

    part: Part | None
    condition: str | None
    comments: tuple[str, ...]


def unseen_parts(part: Part, schema: Schema, prefixes: Prefixes) -> Unseen:
    """Takes required parts with a wildcard out of a content model.

    A path names every node, so that there is no event "any element"; but a condition can count children.
    """
    if not any(isinstance(inner, WildcardPart) for inner in walk(part)):
        return Unseen(part, None, ())
    optional = ("wildcard: other elements are allowed inside and are not waited for",)
    if part.lower == 0:
        return Unseen(part, None, optional)
    together = isinstance(part, GroupPart) and part.kind is GroupKind.ALL and part.lower == 1
    parts = part.parts if isinstance(part, GroupPart) and together else (part,)
    required = [p for p in parts if p.lower and any(isinstance(inner, WildcardPart) for inner in walk(p))]
    if not required:
        return Unseen(part, None, optional)
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
    return Unseen(
        rest,
        condition or None,
        ("wildcard: elements that the schema does not name are counted by the condition",),
    )


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

    def test(self, part: Part) -> str:
        """True when there is enough for the part; "" when it asks for nothing."""
        if part.lower == 0:
            return ""
        if isinstance(part, ElementPart):
            names = [self.schema.declarations[index].name for index in part.declarations]
            return _at_least(" | ".join(map(self.prefixes.in_condition, names)), part.lower)
        if isinstance(part, WildcardPart):
            return _at_least(self._other(part.wildcard), part.lower)
        inner = [test for p in part.parts if (test := self.test(p))]
        word = " or " if part.kind is GroupKind.CHOICE else " and "
        return inner[0] if len(inner) == 1 else f"({word.join(inner)})" if inner else ""

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
