"""The hierarchical context: events combine only below the same ancestor (rules H1, H2, K1, K2)."""

from __future__ import annotations

from collections.abc import Sequence

from path_types import PathType, offset

FLAT_KEY = 0


class Hierarchical:
    """Groups events by their projection on a path type.

    The group key is the node id at the end of the projection: ids are unique in a document and a node keeps
    its ancestors for life, so equal keys mean equal projections (K1).

    >>> grouping = Hierarchical(PathType.parse("item"))
    >>> grouping.key(PathType.parse("/order/item/price"), (1, 5, 9))
    5
    >>> grouping.key(PathType.parse("/order"), (1,)) is None
    True
    """

    __slots__ = ("_indexes", "path")

    def __init__(self, path: PathType) -> None:
        self.path = path
        self._indexes: dict[PathType, int | None] = {}

    def index(self, path: PathType) -> int | None:
        """Which of the ids of an instance of ``path`` is the group key; None if nothing is projected."""
        try:
            return self._indexes[path]
        except KeyError:
            start = offset(self.path, path)
            index = self._indexes[path] = None if start is None else start + len(self.path) - 1
            return index

    def key(self, path: PathType | None, ids: Sequence[int]) -> int | None:
        """The group key of a path instance; None when its projection is null (P8, H1)."""
        index = None if path is None else self.index(path)
        return None if index is None else ids[index]


class Flat:
    """No hierarchical context: all events form one group (H2)."""

    __slots__ = ()

    def key(self, path: PathType | None, ids: Sequence[int]) -> int:
        """The one group's key, whatever the event."""
        return FLAT_KEY


Grouping = Hierarchical | Flat
