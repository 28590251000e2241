"""What is known of a list of stored events that come at its end and go at its front, as an accumulation's do.

Each follower is told of what comes and what goes, and has its answer in a time that does not depend on the length: the
values of variables that aggregates ask, the nearest common ancestor, the interval.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from operator import ge, le

from contexts import Entry
from contexts.entry import BINDINGS, EMPTY_END, EMPTY_START, EVENT
from path_types import PathType

from ...xpath import RunningExtreme, RunningValues
from ..values import values_in


class Follower(ABC):
    """Follows a list of entries."""

    __slots__ = ()

    @abstractmethod
    def append(self, entry: Entry) -> None:
        """An entry comes, at the end."""

    @abstractmethod
    def drop(self, entry: Entry) -> None:
        """The first entry, which is this one, goes."""


class ValueLists(Follower):
    """The lists of all values that variables have in the entries (V5), by name.

    As long as every entry has one value of each, as most do, what goes need not be looked at: it has been out of the
    processor's caches for long.
    """

    __slots__ = ("_has_one_of_each", "_items", "by_name")

    def __init__(self, by_name: Mapping[str, RunningValues], entries: Sequence[Entry]) -> None:
        """``by_name`` are the values of these entries."""
        self.by_name = by_name
        self._items = tuple(by_name.items())
        self._has_one_of_each = all(len(values_in(entry, name)) == 1 for entry in entries for name in by_name)

    def append(self, entry: Entry) -> None:
        bindings = entry[BINDINGS]
        for name, values in self._items:
            value = None if bindings is None else bindings.get(name)
            if type(value) is str:
                values.append(value)
                continue
            found = values_in(entry, name)
            if len(found) != 1:
                self._has_one_of_each = False
            for each in found:
                values.append(each)

    def drop(self, entry: Entry) -> None:
        for name, values in self._items:
            values.drop(1 if self._has_one_of_each else len(values_in(entry, name)))


class CommonAncestor(Follower):
    """The nearest node that all the events have at or above them (T4 in flat context, T4).

    Paths of which each has so much in common with the one before all have the least of that in common.
    """

    __slots__ = ("_common", "_in_common", "_last")

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._last: tuple[int, ...] | None = None
        self._common: deque[int] = deque()  # how many ids each event but the first shares with the one before
        self._in_common = RunningExtreme(le)
        for entry in entries:
            self.append(entry)

    def append(self, entry: Entry) -> None:
        ids, last = entry[EVENT][3], self._last
        self._last = ids
        if last is not None:
            length = _common(last, ids)
            self._common.append(length)
            self._in_common.add(length)

    def drop(self, entry: Entry) -> None:
        if self._common:
            self._in_common.remove(self._common.popleft())
        else:
            self._last = None

    def place(self, first: Entry) -> tuple[PathType | None, tuple[int, ...]]:
        """Its path instance, ``first`` being the first entry; as `xmlcep.engine.composer.nearest_common_ancestor`."""
        event = first[EVENT]
        path, ids = event[2], event[3]
        if self._common:
            ids = ids[: self._in_common.value()]
        return (None, ()) if path is None or not ids else (_upper_part(path, len(ids)), ids)


class EventInterval(Follower):
    """From the least start to the greatest end of the events themselves (E5), whatever "before" compares."""

    __slots__ = ("_end", "_start")

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._start, self._end = RunningExtreme(le), RunningExtreme(ge)
        for entry in entries:
            self.append(entry)

    def append(self, entry: Entry) -> None:
        event = entry[EVENT]
        start, end = event.start, event.end
        if start is not None and end is not None:
            self._start.add(start)
            self._end.add(end)

    def drop(self, entry: Entry) -> None:
        event = entry[EVENT]
        start, end = event.start, event.end
        if start is not None and end is not None:
            self._start.remove(start)
            self._end.remove(end)

    def interval(self) -> tuple[float, float]:
        """As `xmlcep.engine.composer.interval`."""
        start, end = self._start.value(), self._end.value()
        return (EMPTY_START if start is None else start), (EMPTY_END if end is None else end)


def _common(a: tuple[int, ...], b: tuple[int, ...]) -> int:
    """How many ids both begin with."""
    if a == b:
        return len(a)
    length = 0
    for one, other in zip(a, b, strict=False):
        if one != other:
            break
        length += 1
    return length


@lru_cache(maxsize=10_000)
def _upper_part(path: PathType, length: int) -> PathType:
    return PathType.of(True, path.steps[:length])
