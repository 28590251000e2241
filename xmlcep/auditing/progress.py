"""How far an audit is: both engines report it as `Advance` values.

An audit takes *steps*: the local engine reads (and replays what it reads), perhaps sorts and replays what
stood out of order, and writes; with Spark there are two steps, of which nothing is told but that they begin: Spark has
an interface of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ..log.parquet import row_groups
from .inputs import LogFile
from .splits import PartReader


@dataclass(frozen=True, slots=True)
class Advance:
    """How far an audit is.

    ``stage`` says in a word what is being done, ``step`` which one it is (from 1) of how many ``steps`` as far as
    is known: only after reading it is known whether there is something to sort. ``done`` is the share of the
    step that is done, from 0 to 1. ``records`` were read so far (a step that reads again begins at 0) of
    ``total``, which is None if not known.
    """

    stage: str
    step: int
    steps: int
    done: float
    records: int
    total: int | None = None


Progress: TypeAlias = Callable[[Advance], None]


class Steps:
    """Tells ``progress`` of the steps of an audit, ``stages``, one after the other; does nothing if it is None."""

    def __init__(self, progress: Progress | None, stages: Sequence[str]) -> None:
        self.told = progress is not None
        self._progress = progress
        self._stages = list(stages)
        self._step = 0

    def begin(self, *, records: int = 0, total: int | None = None) -> None:
        """The next step begins."""
        self._step += 1
        self.tell(0.0, records, total)

    def insert(self, *stages: str) -> None:
        """Steps that were not planned come after the present one."""
        self._stages[self._step : self._step] = stages

    def tell(self, done: float, records: int, total: int | None = None) -> None:
        """So much of the present step is done."""
        if self._progress is not None:
            stage = self._stages[self._step - 1]
            self._progress(
                Advance(stage, self._step, len(self._stages), min(max(done, 0.0), 1.0), records, total)
            )


class Reading:
    """Which share of the bytes of files was read, while they are read one after the other.

    Of a JSON Lines file the reader tells where it is, of a Parquet file the number of its records is known.
    Raises `LogError` for a Parquet file that cannot be read.
    """

    def __init__(self, files: Sequence[LogFile]) -> None:
        self.records = 0
        """How many records were read: to be counted by the one who reads."""
        self._size = sum(file.size for file in files)
        self._rows = {
            file.place: sum(group.records for group in row_groups(file.path, file.name))
            for file in files
            if file.kind == "parquet"
        }
        self.total = sum(self._rows.values()) if len(self._rows) == len(files) else None
        """How many records there are, if all files say so."""
        self._before = 0  # bytes of the files that were read
        self._file: LogFile | None = None
        self._first = 0  # how many records were read before it
        self._reader: PartReader | None = None

    def begin(self, file: LogFile, reader: PartReader) -> None:
        """The next file is read."""
        if self._file is not None:
            self._before += self._file.size
        self._file, self._reader, self._first = file, reader, self.records

    @property
    def done(self) -> float:
        """The share that was read."""
        file = self._file
        if file is None or not self._size:
            return 0.0
        within: float = 0
        if rows := self._rows.get(file.place):
            within = file.size * (self.records - self._first) / rows
        elif self._reader is not None:
            within = self._reader.position
        return (self._before + min(within, file.size)) / self._size
