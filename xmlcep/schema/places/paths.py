"""Where the elements of a declaration stand: the path types by which events know them.

A name that only one declaration has is a path of one step, which serves every parent (Example 14). If several
declarations share a name, the path begins at an ancestor that tells them apart. An element inside another of
the same name has that name twice in its path, so that no shorter path contains it uniquely (P3): it has
a place of its own, as deep as asked for.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import NamedTuple

from path_types import PathType, Step, ends, offset

from ..model import Schema, elements
from .nesting import nested_places, nesting_declarations

MAX_STEPS = 8
"""Steps of a path that tells declarations of one name apart."""

MAX_PLACES = 40
"""Places of one declaration."""


class Places(NamedTuple):
    """The places of the declarations (by index), the nested ones among them, and how declarations lie.

    ``places[i]`` is empty when the path would grow beyond `MAX_STEPS` or `MAX_PLACES`. ``nests`` are the
    declarations whose elements can stand inside one of the same name; ``above`` has the names that elements of a
    name can stand in directly, "" for none (the root).
    """

    places: tuple[tuple[PathType, ...], ...]
    nested: tuple[tuple[PathType, ...], ...]
    children: tuple[tuple[int, ...], ...]
    nests: frozenset[int]
    above: Mapping[str, frozenset[str]]

    def of_child(self, child: int, path: PathType) -> list[PathType]:
        """The places that elements of ``child`` can have if their path ends in ``path``, the parent's and its own.

        Several if the parent's path leaves open how deep the child is nested. A place that ``path`` has twice is
        none of them (P3), nor is one that would need another parent of the name further up: then the
        path up to the parent would not be unique.
        """
        found: list[PathType] = []
        for place in (*self.places[child], *self.nested[child]):
            if ends(path, place):
                above = self.above[place.steps[0].test] if not place.absolute else frozenset()
                if above - {path.steps[-2].test}:
                    found.append(place)
            elif place is path or (ends(place, path) and offset(place, path) is not None):
                found.append(place)
        return found


def find_places(schema: Schema, depth: int) -> Places:
    """The places of all declarations; ``depth``: how often a name may stand inside itself."""
    children = tuple(_children(schema, index) for index in range(len(schema.declarations)))
    candidates = _candidates(schema, children)
    by_name: dict[str, list[int]] = {}
    for index, declaration in enumerate(schema.declarations):
        by_name.setdefault(declaration.name, []).append(index)
    places = tuple(
        _shortest(index, by_name[declaration.name], candidates)
        for index, declaration in enumerate(schema.declarations)
    )
    nests = frozenset(nesting_declarations(schema, children))
    nested = list(nested_places(schema, children, places, depth))
    return Places(
        places, _told_apart(schema, by_name, places, nested), children, nests, _above(schema, children)
    )


def _above(schema: Schema, children: tuple[tuple[int, ...], ...]) -> dict[str, frozenset[str]]:
    """For every name the names of the elements it can stand in."""
    found: dict[str, set[str]] = {declaration.name: set() for declaration in schema.declarations}
    for parent, below in enumerate(children):
        for child in below:
            found[schema.declarations[child].name].add(schema.declarations[parent].name)
    for root in schema.roots:
        found[schema.declarations[root].name].add("")
    return {name: frozenset(names) for name, names in found.items()}


def _told_apart(
    schema: Schema,
    by_name: dict[str, list[int]],
    places: tuple[tuple[PathType, ...], ...],
    nested: list[tuple[PathType, ...]],
) -> tuple[tuple[PathType, ...], ...]:
    """The nested places without those that elements of another declaration of the name can have, too."""
    told: list[tuple[PathType, ...]] = []
    for index, declaration in enumerate(schema.declarations):
        others = [
            path
            for other in by_name[declaration.name]
            if other != index
            for path in (*places[other], *nested[other])
        ]
        told.append(
            tuple(
                path
                for path in dict.fromkeys(nested[index])
                if path not in places[index]
                and not any(path is other or ends(path, other) or ends(other, path) for other in others)
            )
        )
    return tuple(told)


def _children(schema: Schema, index: int) -> tuple[int, ...]:
    found: dict[int, None] = {}
    for content in schema.declarations[index].contents():
        found.update(dict.fromkeys(elements(content.model)))
    return tuple(found)


def _candidates(schema: Schema, children: tuple[tuple[int, ...], ...]) -> list[list[PathType] | None]:
    """For every declaration the paths from an ancestor with a name of its own; None: too many or too long."""
    names: dict[str, int] = {}
    for declaration in schema.declarations:
        names[declaration.name] = names.get(declaration.name, 0) + 1
    found: list[list[PathType] | None] = [[] for _ in schema.declarations]
    waiting: deque[tuple[int, PathType]] = deque()

    def add(index: int, path: PathType) -> None:
        known = found[index]
        if known is None or path in known:
            return
        if len(path) > MAX_STEPS or len(known) >= MAX_PLACES:
            found[index] = None
            return
        known.append(path)
        waiting.append((index, path))

    for index, declaration in enumerate(schema.declarations):
        if names[declaration.name] == 1:
            add(index, PathType.of(False, [Step.element(declaration.name)]))
        elif index in schema.roots:
            add(index, PathType.of(True, [Step.element(declaration.name)]))
    while waiting:
        index, path = waiting.popleft()
        for child in children[index]:
            name = schema.declarations[child].name
            if names[name] > 1:
                add(child, path.child(Step.element(name)))
    return found


def _shortest(
    index: int, same_name: list[int], candidates: list[list[PathType] | None]
) -> tuple[PathType, ...]:
    """The candidates, each cut at the front as far as it still tells the declaration from its namesakes."""
    own = candidates[index]
    if own is None:
        return ()
    others = [candidates[other] for other in same_name if other != index]
    if any(paths is None for paths in others):
        return ()  # the others' paths are not all known, so nothing tells for sure
    found: dict[PathType, None] = {}
    for path in own:
        found[_cut(path, [other for paths in others for other in paths or ()])] = None
    return tuple(path for path in found if not any(ends(other, path) for other in found if other is not path))


def _cut(path: PathType, others: list[PathType]) -> PathType:
    for length in range(1, len(path)):
        suffix = PathType.of(False, path.steps[len(path) - length :])
        if not any(suffix is other or ends(suffix, other) or ends(other, suffix) for other in others):
            return suffix
    return path
