"""Numbers for types of records: counts by type are short with them where they are kept of each document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import TypeAlias

from path_types import PathType

RecordType: TypeAlias = tuple[str, PathType]
"""Operation and path."""


class TypeNumbers:
    """A number for each type of record, in the order in which they are met."""

    def __init__(self) -> None:
        self._numbers: dict[RecordType, int] = {}
        self._types: list[RecordType] = []

    def written(self, counts: Mapping[RecordType, int], before: Sequence[int] = ()) -> list[int]:
        """Counts as numbers of types, each with its count behind it, together with those that were written before."""
        numbers = {self._number(type_): count for type_, count in counts.items()}
        for number, count in zip(before[::2], before[1::2], strict=True):
            numbers[number] = numbers.get(number, 0) + count
        return list(chain.from_iterable(numbers.items()))

    def read(self, written: Sequence[int]) -> dict[RecordType, int]:
        """The counts again."""
        return {self._types[number]: count for number, count in zip(written[::2], written[1::2], strict=True)}

    def _number(self, type_: RecordType) -> int:
        number = self._numbers.setdefault(type_, len(self._types))
        if number == len(self._types):
            self._types.append(type_)
        return number
