"""Path instances, their projection and alignment (rules P7, P8, P10)."""

from __future__ import annotations

from typing import NamedTuple

from .errors import PathError
from .relations import aligned, offset
from .types import PathType


class PathInstance(NamedTuple):
    """A path type with one node identifier per step, such as ``/order1/item1/price1``.

    Equal iff path types and ids are equal (P7). Make one with `PathInstance.of`, which checks the lengths.

    >>> price = PathInstance.of(PathType.parse("/order/item/price"), (1, 5, 9))
    >>> str(price), str(project(PathType.parse("item"), price))
    ('/order#1/item#5/price#9', 'item#5')
    """

    path: PathType
    ids: tuple[int, ...]

    @classmethod
    def of(cls, path: PathType, ids: tuple[int, ...]) -> PathInstance:
        """The instance of ``path`` with these ids; raises `PathError` unless there is one id per step."""
        if len(path) != len(ids):
            raise PathError(f"{path} has {len(path)} steps but {len(ids)} node ids were given: {list(ids)}")
        return cls(path, ids)

    def __str__(self) -> str:
        steps = "/".join(f"{step}#{node}" for step, node in zip(self.path.steps, self.ids, strict=True))
        return ("/" if self.path.absolute else "") + steps


def project(path: PathType | None, instance: PathInstance | None) -> PathInstance | None:
    """The projection ``π_path(instance)``: the part of instance that path covers, or None (P8, P9)."""
    if path is None or instance is None:
        return None
    start = offset(path, instance.path)
    if start is None:
        return None
    return PathInstance(path, instance.ids[start : start + len(path)])


def align(path: PathType, own: PathType, instance: PathInstance) -> PathInstance | None:
    """The part of ``instance`` that ``path`` means if ``own``, which ends the instance's path or is it, took what
    happened there (P10); None if it means none."""
    end = aligned(path, own, instance.path)
    return None if end is None else PathInstance(path, instance.ids[end - len(path) : end])
