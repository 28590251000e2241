"""Children that may stand inside others of their name: events cannot be made of themselves (G1), nor follow all ways.

Between a parent and such a child the child's completion event does not do: it would close a cycle, or there is none
for the way in which the child is nested here.
"""

from __future__ import annotations

from ...graphs import strong_components
from ..model import Declaration, ElementPart, GroupKind, GroupPart, Part, Schema

Edge = tuple[int, int]


def find_recursion(schema: Schema) -> dict[Edge, bool]:
    """The pairs of parent and child where the child may stand, by way of the parent, inside another of its name.

    The value says whether the child may be needed. If not, it makes no difference to when the parent is complete
    whether the child counts as inserted or as complete. Without these pairs the declarations form no cycle.
    """
    needed = {index: _all_children(declaration) for index, declaration in enumerate(schema.declarations)}
    components = strong_components({index: tuple(children) for index, children in needed.items()})
    component = {index: number for number, members in enumerate(components) for index in members}
    numbers: dict[str, int] = {}
    bits = [1 << numbers.setdefault(each.name, len(numbers)) for each in schema.declarations]
    # The names of the elements above a component's, and of those in it that can stand in each other; as bits.
    above = [0] * len(components)
    found: dict[Edge, bool] = {}
    for number in reversed(range(len(components))):  # parents first
        members = components[number]
        if len(members) > 1 or members[0] in needed[members[0]]:
            for index in members:
                above[number] |= bits[index]
        for index in members:
            names = above[number] | bits[index]
            for child, is_needed in needed[index].items():
                if is_needed and names & bits[child]:
                    found[index, child] = True
                elif component[child] == number:
                    found[index, child] = False
                else:
                    above[component[child]] |= names
    return found


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
