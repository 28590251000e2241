"""Elements inside others of their name: which there are, and the paths that only they have.

An element inside another of its name has that name twice in its path, so that a path of the name alone is not
uniquely contained in it (P3). ``rule/rule`` is, for elements exactly two deep.
"""

from __future__ import annotations

from collections.abc import Iterator

from path_types import PathType, Step

from ...graphs import strong_components
from ..model import Schema

MAX_CHAIN = 3
"""Steps from an element to the next of its declaration inside it: ``rule/rule`` has 1, ``list/item/list`` 2."""

MAX_CHAINS = 4
"""Ways from an element to the next of its declaration that are followed; the first of them in depth."""

MAX_WAYS = 2_000
"""Ways that are looked at in search of them."""


def nesting_declarations(schema: Schema, children: tuple[tuple[int, ...], ...]) -> Iterator[int]:
    """The declarations that one of the same name can contain, however deep."""
    components = strong_components(dict(enumerate(children)))
    for component in components:
        members = set(component)
        if len(component) > 1 or component[0] in children[component[0]]:
            yield from members
    # A name can come back without a cycle, through different declarations of it.
    below: dict[int, set[str]] = {}
    for component in components:  # children first
        names: set[str] = set()
        for index in component:
            for child in children[index]:
                names |= {schema.declarations[child].name} | below.get(child, set())
        for index in component:
            below[index] = names
    repeated = {d.name for i, d in enumerate(schema.declarations) if d.name in below[i]}
    for index, declaration in enumerate(schema.declarations):
        if declaration.name in repeated:
            yield index


def nested_places(
    schema: Schema,
    children: tuple[tuple[int, ...], ...],
    places: tuple[tuple[PathType, ...], ...],
    depth: int,
) -> Iterator[tuple[PathType, ...]]:
    """For every declaration the places of its elements inside others of it, up to ``depth`` of them.

    The shortest way back to the declaration is followed as deep as asked for (``rule/rule``, ``rule/rule/rule``,
    …), other ways once.
    """
    mates = [0] * len(children)
    for number, component in enumerate(strong_components(dict(enumerate(children)))):
        for index in component:
            mates[index] = number
    for index in range(len(schema.declarations)):
        starts = [place.steps for place in places[index] if not place.absolute]
        first, *others = _chains(schema, children, index, mates) or [()]
        found: dict[PathType, None] = {}
        for start in starts:
            for times in range(1, depth + 1 if first else 1):
                found[PathType.of(False, (*start, *first * times))] = None
            for chain in others if depth else ():
                found[PathType.of(False, (*start, *chain))] = None
        yield tuple(found)


def _chains(
    schema: Schema, children: tuple[tuple[int, ...], ...], index: int, mates: list[int]
) -> list[tuple[Step, ...]]:
    """The ways from an element to the next of its declaration inside it, the shortest first."""
    found: list[tuple[Step, ...]] = []
    level: list[tuple[int, ...]] = [(index,)]
    for _ in range(MAX_CHAIN):
        further: list[tuple[int, ...]] = []
        for way in level:
            for child in children[way[-1]]:
                if child == index:
                    names = [schema.declarations[i].name for i in (*way[1:], index)]
                    found.append(tuple(map(Step.element, names)))
                    if len(found) == MAX_CHAINS:
                        return found
                elif mates[child] == mates[index] and child not in way and len(further) < MAX_WAYS:
                    further.append((*way, child))
        level = further
    return found
