"""A batch of change records, as the fast readers hand them out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .errors import Origin
from .records import Row


class Batch(NamedTuple):
    """Change records of one file: ``rows`` in file order and the number of each in the file (``numbers``)."""

    file: str
    rows: list[Row]
    numbers: Sequence[int]

    def origin(self, index: int) -> Origin:
        """Where the row with this index stands."""
        return Origin(self.file, self.numbers[index])
