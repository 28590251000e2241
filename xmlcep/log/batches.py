"""Change records in batches, as the fast readers hand them out, and what is among them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from .errors import Origin
from .records import Aside, Row

AnAside = TypeVar("AnAside", bound=Aside)


class Batch(NamedTuple):
    """Change records of one file: ``rows`` in file order and the number of each in the file (``numbers``)."""

    file: str
    rows: list[Row]
    numbers: Sequence[int]

    def origin(self, index: int) -> Origin:
        """Where the row with this index is."""
        return Origin(self.file, self.numbers[index])

    def part(self, start: int, end: int) -> Batch:
        """The rows from one index to another."""
        return Batch(self.file, self.rows[start:end], self.numbers[start:end])


def numbers_of(rows: Sequence[Row], first: int, skipped: Sequence[int]) -> Sequence[int]:
    """The numbers of rows, made of records the first of which has the number ``first``; of those ``skipped``, by their
    index, there is none."""
    if not skipped:
        return range(first, first + len(rows))
    left_out = set(skipped)
    return [first + index for index in range(len(rows) + len(left_out)) if index not in left_out]


def among(batch: Batch, asides: Iterable[tuple[int, int, AnAside]]) -> Iterator[tuple[int, AnAside] | Batch]:
    """A batch, and other records of its file where they are: behind how many rows, number, record."""
    done = 0
    for until, number, aside in asides:
        if until > done:
            yield batch.part(done, until)
        yield number, aside
        done = until
    if done < len(batch.rows):
        yield batch.part(done, len(batch.rows)) if done else batch
