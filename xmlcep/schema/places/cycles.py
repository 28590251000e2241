"""Which completion events may build on which: recursive declarations must not close a cycle (G1)."""

from __future__ import annotations

from collections.abc import Mapping

from ..model import ElementPart, GroupKind, GroupPart, Part, Schema
from .nesting import strong_components

Edge = tuple[int, int]


def plain_edges(schema: Schema) -> frozenset[Edge]:
    """Pairs of parent and child between which the child's plain insertion has to do.

    In a cycle these are first the children that need not occur: whether they count as inserted or as complete
    makes no difference to when the parent is complete. What cycles are left (through choices) are opened
    where they return to a declaration that is being looked at.
    """
    needed: dict[int, dict[int, bool]] = {
        index: _children(declaration.content.model) for index, declaration in enumerate(schema.declarations)
    }
    for index, declaration in enumerate(schema.declarations):
        for derived in declaration.derived:
            for child, required in _children(derived.content.model).items():
                needed[index][child] = needed[index].get(child, False) or required
    plain: set[Edge] = set()
    for component in strong_components({index: tuple(children) for index, children in needed.items()}):
        members = set(component)
        plain |= {
            (index, child)
            for index in component
            for child, required in needed[index].items()
            if child in members and not required
        }
    remaining = {
        index: tuple(child for child in children if (index, child) not in plain)
        for index, children in needed.items()
    }
    return frozenset(plain | _back_edges(remaining))


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


def _back_edges(graph: Mapping[int, tuple[int, ...]]) -> set[Edge]:
    """The edges that lead back to a node the search has not left yet; without them there is no cycle."""
    found: set[Edge] = set()
    done: set[int] = set()
    entered: set[int] = set()
    for start in graph:
        if start in done:
            continue
        work = [(start, iter(graph[start]))]
        entered.add(start)
        while work:
            node, following = work[-1]
            for target in following:
                if target in entered:
                    found.add((node, target))
                elif target not in done:
                    entered.add(target)
                    work.append((target, iter(graph[target])))
                    break
            else:
                work.pop()
                entered.discard(node)
                done.add(node)
    return found
