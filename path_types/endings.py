"""Values kept by path type, found by the path types that a path equals or that end it (P4, E2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Generic, TypeVar

from .steps import Step
from .types import PathType

Value = TypeVar("Value")


class ByEnding(Generic[Value]):
    """Looks a path type up among others without making path types of its endings, most of which nobody has.

    >>> found = ByEnding({PathType.parse(text): text for text in ("price", "item/price", "name", "/order/item")})
    >>> list(found.of(PathType.parse("/order/item/price")))
    ['price', 'item/price']
    """

    def __init__(self, values: Mapping[PathType, Value]) -> None:
        self._absolute = {path: value for path, value in values.items() if path.absolute}
        self._relative: dict[int, dict[tuple[Step, ...], Value]] = {}
        for path, value in values.items():
            if not path.absolute:
                self._relative.setdefault(len(path), {})[path.steps] = value

    def of(self, path: PathType) -> Iterator[Value]:
        """The values of the path types that it equals (`equals_or_ends`) or that end it."""
        if path in self._absolute:
            yield self._absolute[path]
        steps, length = path.steps, len(path)
        for count, values in self._relative.items():
            ending = steps[length - count :] if count <= length else None
            if ending in values:
                yield values[ending]
