"""Children of an element that has very many."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import overload

SHORT = 500
"""Up to so many items a plain list is faster."""

_CHUNK = 200


class LongList(Sequence[int]):
    """A list of different whole numbers that finds, inserts and deletes one without looking at all the others.

    >>> numbers = LongList(range(5))
    >>> numbers.insert(2, 9)
    >>> del numbers[0]
    >>> list(numbers), numbers.index(9), numbers[-1]
    ([1, 9, 2, 3, 4], 1, 4)
    """

    __slots__ = ("_chunk_of", "_chunks", "_length")

    def __init__(self, numbers: Iterable[int]) -> None:
        given = list(numbers)
        self._chunks = [given[start : start + _CHUNK] for start in range(0, len(given), _CHUNK)] or [[]]
        self._chunk_of = {number: chunk for chunk in self._chunks for number in chunk}
        self._length = len(given)

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[int]:
        for chunk in self._chunks:
            yield from chunk

    def __reversed__(self) -> Iterator[int]:
        for chunk in reversed(self._chunks):
            yield from reversed(chunk)

    def __contains__(self, number: object) -> bool:
        return number in self._chunk_of

    @overload
    def __getitem__(self, index: int) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[int]: ...
    def __getitem__(self, index: int | slice) -> int | Sequence[int]:
        if isinstance(index, slice):
            start, stop, step = index.indices(self._length)
            return [self[at] for at in range(start, stop, step)]
        if index == -1 and self._length:
            return self._chunks[-1][-1]
        chunk, at = self._place(index)
        return chunk[at]

    def index(self, number: int, start: int = 0, stop: int | None = None) -> int:
        """Where a number is; raises `ValueError` if it is not there."""
        chunk = self._chunk_of.get(number)
        if chunk is None:
            raise ValueError(f"{number} is not in the list")
        before = 0
        for other in self._chunks:
            if other is chunk:
                return before + chunk.index(number)
            before += len(other)
        raise AssertionError("a chunk that is none")

    def insert(self, index: int, number: int) -> None:
        """Puts a number before the one at ``index``."""
        chunk, at = self._place(index) if index < self._length else (self._chunks[-1], len(self._chunks[-1]))
        chunk.insert(at, number)
        self._chunk_of[number] = chunk
        self._length += 1
        if len(chunk) > 2 * _CHUNK:
            moved = chunk[_CHUNK:]
            del chunk[_CHUNK:]
            self._chunks.insert(next(i for i, other in enumerate(self._chunks) if other is chunk) + 1, moved)
            self._chunk_of.update((one, moved) for one in moved)

    def append(self, number: int) -> None:
        """Puts a number behind the last."""
        self.insert(self._length, number)

    def __delitem__(self, index: int) -> None:
        chunk, at = self._place(index)
        del self._chunk_of[chunk[at]]
        del chunk[at]
        self._length -= 1
        if not chunk and len(self._chunks) > 1:
            del self._chunks[next(i for i, other in enumerate(self._chunks) if other is chunk)]

    def _place(self, index: int) -> tuple[list[int], int]:
        """The chunk and the index in it of an index that is there."""
        if index < 0:
            index += self._length
        if 0 <= index < self._length:
            for chunk in self._chunks:
                if index < len(chunk):
                    return chunk, index
                index -= len(chunk)
        raise IndexError("list index out of range")
