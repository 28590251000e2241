"""What has occurred, and what in it is like a type that has not: for messages and explanations (Y3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from path_types import PathType, Step, equals_or_ends
from path_types.names import local_name

from ..events import ANY, PrimitiveType
from ..suggestions import KnownNames

ChangeType: TypeAlias = tuple[str, PathType]
"""The operation and the absolute path type of a change."""

MOST_TYPES = 5_000
"""Types of changes that are looked at: documents may have names without end."""

_TEXT = Step.text()


class Occurred:
    """The types of all changes, each with how often it has occurred."""

    def __init__(self, types: Mapping[ChangeType, int]) -> None:
        self.types = dict(sorted(types.items(), key=str)[:MOST_TYPES])
        self.paths = list(dict.fromkeys(path for _, path in self.types))
        self._names = _names(self.paths)
        self._by_local = {local_name(name): name for name in self._names}
        self._known = KnownNames(self._by_local)

    def has(self, path: PathType) -> bool:
        """Whether something at such a path has occurred."""
        return any(equals_or_ends(path, each) for each in self.paths)

    def text_to_update(self, type_: PrimitiveType) -> PathType | None:
        """Of updates of elements, which have no value, the text that was meant; None for all other types."""
        if type_.operation != "upd" or not type_.path.last.is_element:
            return None
        return type_.path.child(_TEXT)

    def anywhere(self, path: PathType) -> PathType | None:
        """Of an absolute path at which nothing has occurred a real path that ends with its steps; None without one."""
        if not path.absolute or self.has(path):
            return None
        return next((each for each in self.paths if equals_or_ends(path.relative, each)), None)

    def of_any_operation(self, type_: PrimitiveType) -> list[tuple[ChangeType, int]]:
        """What has occurred at the places of a type, whatever the operation."""
        any_ = type_._replace(operation=ANY)
        return [(each, count) for each, count in self.types.items() if any_.accepts(*each)]

    def of_nodes(
        self, last: Step, operation: str = ANY, above: Step | None = None
    ) -> list[tuple[ChangeType, int]]:
        """What has occurred to nodes of this name, wherever they are; ``above``: in elements of that name only."""
        return [
            ((done, path), count)
            for (done, path), count in self.types.items()
            if operation in (ANY, done) and path.last == last
            if above is None or (len(path) > 1 and path.steps[-2] == above)
        ]

    def in_other_namespaces(self, type_: PrimitiveType) -> tuple[ChangeType, PathType] | None:
        """What has occurred most often at a path of the same names in other namespaces, and the path with these."""
        wanted, length = type_.path, len(type_.path)
        plain = _without_namespaces(wanted.steps)
        found = []
        for (operation, path), count in self.types.items():
            if type_.operation in (ANY, operation) and (len(path) == length or not wanted.absolute):
                ending = path.steps[-length:]
                if ending != wanted.steps and _without_namespaces(ending) == plain:
                    found.append((count, (operation, path), ending))
        if not found:
            return None
        _, most_frequent, ending = max(found, key=lambda one: one[0])
        return most_frequent, PathType.of(wanted.absolute, ending)

    def unknown_name(self, path: PathType) -> str | None:
        """The first name in a path that nothing has, nor any name like it; None if there is none."""
        return next((step.test for step in path.steps if self._near(step) is None), None)

    def spelt(self, path: PathType) -> PathType:
        """The path with the names that it may mean, as far as there are any."""
        return PathType.of(path.absolute, [self._near(step) or step for step in path.steps])

    def respelt(self, path: PathType) -> PathType | None:
        """`spelt`, if something has occurred there; else the same with an attribute for the element at its end, or the
        other way round; None if nothing has occurred there either."""
        repaired = self.spelt(path)
        if repaired is not path and self.has(repaired):
            return repaired
        if path.last == _TEXT:
            return None
        other = Step.attribute if path.last.is_element else Step.element
        turned = PathType.of(path.absolute, (*repaired.steps[:-1], other(repaired.last.test)))
        return turned if self.has(turned) else None

    def _near(self, step: Step) -> Step | None:
        """The step with the name that it may mean; None if there is none like it."""
        if step.test in self._names or step == _TEXT:
            return step
        near = self._known.nearest(local_name(step.test))
        return None if near is None else Step(step.axis, self._by_local[near])


def _without_namespaces(steps: Iterable[Step]) -> list[Step]:
    return [Step(step.axis, local_name(step.test)) for step in steps]


def _names(paths: Iterable[PathType]) -> dict[str, None]:
    """The names in these path types; what is above of several is looked at once."""
    seen: set[PathType] = set()
    names: dict[str, None] = {}
    for path in paths:
        for place in path.upwards():
            if place in seen:
                break
            seen.add(place)
            if place.last != _TEXT:
                names[place.last.test] = None
    return names
