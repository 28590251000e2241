"""Groups: which events may combine at all, by their place in the tree and by values (rules P10, H1, H2, V2).

A group's key is its *place*, a node id, or the place together with the values of the variables that extend the group.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from path_types import PathType

from .entry import BINDINGS, EVENT, Entry

Key: TypeAlias = Any
"""A place (int), or a tuple of a place and values (`ByValue`); all keys of an operator are of one kind, so that they
can be sorted."""

KeysByPlace: TypeAlias = dict[int, set[Key]]
"""The keys of the groups there are at each place, where values tell groups of one place apart."""

FLAT_KEY = 0
_UNKNOWN: Any = object()


class Grouping(ABC):
    """How an operator divides events into groups."""

    __slots__ = ()

    @abstractmethod
    def place(self, path: PathType | None, ids: Sequence[int]) -> int | None:
        """The place of a path instance; None when it takes no part (P10, H1)."""

    @abstractmethod
    def key_of(self, entry: Entry) -> Key | None:
        """The key of the group of an entry; None when it takes no part."""

    @abstractmethod
    def key(self, place: int, bindings: Mapping[str, object] | None) -> Key | None:
        """The key of the group at this place with these variables; None when a value is missing (V2)."""

    @abstractmethod
    def place_of(self, key: Key) -> int:
        """The place of a key."""


class Hierarchical(Grouping):
    """Groups events by the node to which they are aligned (P10).

    ``aligned`` says how many leading steps of a path type lead to that node, None if it is aligned to none: it is asked
    once for each path type. The place is the node's id: ids are unique in a document, for ever (H1).

    >>> grouping = Hierarchical({PathType.parse("/order/item/price"): 2}.get)
    >>> grouping.place(PathType.parse("/order/item/price"), (1, 5, 9))
    5
    >>> grouping.place(PathType.parse("/order"), (1,)) is None
    True
    """

    __slots__ = ("_aligned", "_indexes")

    def __init__(self, aligned: Callable[[PathType], int | None]) -> None:
        self._aligned = aligned
        self._indexes: dict[PathType | None, Any] = {None: None}

    def place(self, path: PathType | None, ids: Sequence[int]) -> int | None:
        index = self._indexes.get(path, _UNKNOWN)
        if index is _UNKNOWN:
            assert path is not None
            length = self._aligned(path)
            index = self._indexes[path] = None if length is None else length - 1
        return None if index is None else ids[index]

    def key_of(self, entry: Entry) -> Key | None:
        event = entry[EVENT]
        index = self._indexes.get(event[2], _UNKNOWN)
        if index is _UNKNOWN:
            return self.place(event[2], event[3])
        return None if index is None else event[3][index]

    def key(self, place: int, bindings: Mapping[str, object] | None) -> Key | None:
        return place

    def place_of(self, key: Key) -> int:
        assert isinstance(key, int)
        return key


class Flat(Grouping):
    """No hierarchical context: all events are at one place (H2)."""

    __slots__ = ()

    def place(self, path: PathType | None, ids: Sequence[int]) -> int:
        return FLAT_KEY

    def key_of(self, entry: Entry) -> Key | None:
        return FLAT_KEY

    def key(self, place: int, bindings: Mapping[str, object] | None) -> Key | None:
        return place

    def place_of(self, key: Key) -> int:
        return FLAT_KEY


class ByValue(Grouping):
    """Groups by place and, at one place, by the values of variables, compared as ``text`` writes them (V2, V3).

    A list that has one value stands for it; a variable without a value, or with several, makes the event take no part.

    >>> by_part = ByValue(Flat(), ("part",), str)
    >>> by_part.key(7, {"part": "926-AA"}), by_part.key(7, {"part": ()})
    ((7, '926-AA'), None)
    """

    __slots__ = ("at", "names", "only", "text")

    def __init__(
        self, at: Hierarchical | Flat, names: tuple[str, ...], text: Callable[[object], str]
    ) -> None:
        self.at = at
        self.names = names
        self.text = text
        self.only = names[0] if len(names) == 1 else None  # most joins are by one

    def place(self, path: PathType | None, ids: Sequence[int]) -> int | None:
        return self.at.place(path, ids)

    def key_of(self, entry: Entry) -> Key | None:
        event = entry[EVENT]
        place = self.at.place(event[2], event[3])
        return None if place is None else self.key(place, entry[BINDINGS])

    def key(self, place: int, bindings: Mapping[str, object] | None) -> Key | None:
        only = self.only
        if only is not None and bindings is not None:
            value = bindings.get(only)
            if type(value) is str:
                return place, value
        key: list[Key] = [place]
        for name in self.names:
            value = None if bindings is None else bindings.get(name)
            if isinstance(value, tuple):
                value = value[0] if len(value) == 1 else None
            if value is None:
                return None
            key.append(value if isinstance(value, str) else self.text(value))
        return tuple(key)

    def place_of(self, key: Key) -> int:
        assert isinstance(key, tuple)
        place = key[0]
        assert isinstance(place, int)
        return place


def note_key(keys: KeysByPlace, key: Key) -> None:
    """There is a group with this key now, a place with values."""
    place = key[0]
    there = keys.get(place)
    if there is None:
        keys[place] = {key}
    else:
        there.add(key)


def drop_key(keys: KeysByPlace, key: Key) -> None:
    """There is none with this key any more, if there was one."""
    place = key[0]
    there = keys.get(place)
    if there is not None:
        there.discard(key)
        if not there:
            del keys[place]
