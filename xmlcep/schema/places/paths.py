"""Where the elements of a declaration stand: the path types by which events know them.

A name that only one declaration has is a path of one step, which serves every parent (Example 14), also one of that
name (P10). If several declarations share a name, the path begins at an ancestor that tells them apart.
"""

from __future__ import annotations

from collections import deque
from typing import TypeAlias

from path_types import PathType, Step, ends

from ..model import Schema, elements

MAX_STEPS = 8
"""Steps of a path that tells declarations of one name apart."""

MAX_PLACES = 40
"""Places of one declaration."""


Places: TypeAlias = tuple[tuple[PathType, ...], ...]
"""Those of the declarations, by index; none where the path would grow beyond `MAX_STEPS` or `MAX_PLACES`."""


def find_places(schema: Schema) -> Places:
    """The places of all declarations."""
    children = tuple(_children(schema, index) for index in range(len(schema.declarations)))
    candidates = _candidates(schema, children)
    by_name: dict[str, list[int]] = {}
    for index, declaration in enumerate(schema.declarations):
        by_name.setdefault(declaration.name, []).append(index)
    return tuple(
        _shortest(index, by_name[declaration.name], candidates)
        for index, declaration in enumerate(schema.declarations)
    )


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
