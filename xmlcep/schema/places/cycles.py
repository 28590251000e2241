"""Children that may be inside others of their declaration: no event can be made of itself (G1).

Between a parent and such a child the child's completion event does not do: it would close a cycle.
"""

from __future__ import annotations

from ...graphs import strong_components
from ..model import Declaration, ElementPart, GroupKind, GroupPart, Part, Schema

Edge = tuple[int, int]


def find_recursion(schema: Schema) -> dict[Edge, bool]:
    """The pairs of parent and child that can be in each other, however deep.

    The value says whether the child may be needed. If not, it makes no difference to when the parent is complete
    whether the child counts as inserted or as complete. Without these pairs the declarations form no cycle.
    """
    needed = {index: _all_children(declaration) for index, declaration in enumerate(schema.declarations)}
    components = strong_components({index: tuple(children) for index, children in needed.items()})
    component = {index: number for number, members in enumerate(components) for index in members}
    return {
        (index, child): is_needed
        for index, children in needed.items()
        for child, is_needed in children.items()
        if component[child] == component[index]
    }


def _all_children(declaration: Declaration) -> dict[int, bool]:
    """The children of all contents that an element can have, and whether any of them may be needed."""
    found: dict[int, bool] = {}
    for content in declaration.contents():
        for child, is_needed in _children(content.model).items():
            found[child] = found.get(child, False) or is_needed
    return found


def _children(part: Part | None) -> dict[int, bool]:
    """The children in a part, and whether any of them may be needed."""
    found: dict[int, bool] = {}
    waiting: list[tuple[Part, bool]] = [(part, True)] if part is not None else []
    while waiting:
        inner, needed = waiting.pop()
        needed = needed and inner.lower > 0
        if isinstance(inner, ElementPart):
            for child in inner.declarations:
                found[child] = found.get(child, False) or needed
        elif isinstance(inner, GroupPart):
            # a choice that can be made in another way, for nothing, needs none of its branches
            idle = inner.kind is GroupKind.CHOICE and any(p.lower == 0 for p in inner.parts)
            waiting += [(p, needed and not idle) for p in inner.parts]
    return found
