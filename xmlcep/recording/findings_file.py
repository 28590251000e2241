"""Findings kept in a file so that recovery neither loses one nor keeps one twice."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from ..closing import Closing
from ..events import CompositeEvent
from ..files import reading
from ..log.errors import LogError
from ..log.json_codec import FASTEST
from ..log.tail import repair_tail


class FindingsFile(Closing):
    """Finding records, one JSON object per line; call it with each composite event of one recorded watch.

    ``count`` is how many the file holds. A record is in the file with its line end or does not count, so after a crash
    this is exactly what was kept:

        with FindingsFile("findings.jsonl") as findings:
            recovered = recover("order.jsonl", rules, on_event=findings, delivered=findings.count)
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.count = 0
        if self.path.exists():
            repair_tail(self.path)
            with reading(self.path) as stream:
                self.count = sum(1 for _ in stream)
        self._file = self.path.open("ab", buffering=0)
        self._size = self._file.tell()

    def __call__(self, composite: CompositeEvent) -> None:
        """Keeps a record; raises `LogError` if it cannot be written: the file is as before then, for another try."""
        line = FASTEST.dumps(composite.to_record()) + b"\n"
        written = 0
        try:
            while written < len(line):  # a disk that fills up takes part of it, without a word
                written += self._file.write(line[written:])
        except OSError as error:
            with suppress(OSError):  # else the torn line is cut off when the file is opened again
                self._file.truncate(self._size)
            raise LogError(f"{self.path}: cannot be written: {error.strerror}") from error
        self._size += len(line)
        self.count += 1

    def close(self) -> None:
        """Closes the file."""
        self._file.close()
