"""What the seals of the logs of an audit say: unbroken, broken where, or that there are none.

The lines of a sealed log are read once more for it, by themselves: a chain has to be followed from its beginning, and
the engines take files in parts. Of other logs only the beginnings and the ends of files are looked at.
"""

from __future__ import annotations

import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, groupby, islice
from pathlib import Path
from typing import Any, Literal

from ..log import LogError, Origin
from ..log.erasable import has_erased
from ..log.opening import line_blocks, unpacked
from ..log.reading import BATCH_SIZE
from ..log.seal import follow, is_sealed
from ..log.segments import first_of
from ..log.tail import lines_backwards
from .inputs import FilePart, LogFile, whole

_LOOKED_AT = 16  # lines
_END = 1 << 16  # bytes
_UNREADABLE = (OSError, EOFError, zlib.error)


@dataclass(frozen=True, slots=True)
class SealCheck:
    """What the seal of one log (with the files it was rolled over to) says.

    ``unbroken``: ``records`` is how many records the chain has, ``head`` its last hash. ``broken``: ``reason`` says
    where and why. Without its first file the first record that is there is believed.
    """

    log: str
    state: Literal["unbroken", "broken", "unsealed"]
    records: int | None = None
    head: str | None = None
    reason: str | None = None

    def to_record(self) -> dict[str, Any]:
        """The same as a JSON object, without what is not known."""
        fields = (
            ("log", self.log), ("state", self.state), ("records", self.records), ("head", self.head),
            ("reason", self.reason),
        )  # fmt: skip
        return {name: value for name, value in fields if value is not None}


Noting = Callable[[Origin, bytes], None]
"""What is called with each line of a sealed log that may have a value that was erased."""


def check_seals(
    files: Iterable[LogFile], noting: Noting, parts: Sequence[FilePart] | None = None
) -> list[SealCheck]:
    """What the seals of these logs say; of files that are read in part (``parts``, by place) only that is checked."""
    logs = groupby(files, key=lambda file: first_of(Path(file.name))[0])
    return [
        _check([whole(file) if parts is None else parts[file.place] for file in of_log], noting)
        for _, of_log in logs
    ]


def _check(parts: Sequence[FilePart], noting: Noting) -> SealCheck:
    name = parts[0].file.name
    if not any(map(_seems_sealed, parts)):
        return SealCheck(name, "unsealed")
    begins = parts[0].start == 0 and first_of(Path(name))[1] == 1
    lines = _noted(chain.from_iterable(map(_lines, parts)), noting)
    try:
        seal = follow(lines, begins=begins)
    except (LogError, *_UNREADABLE) as error:
        with suppress(*_UNREADABLE):
            deque(lines, maxlen=0)
        return SealCheck(name, "broken", reason=str(error))
    return SealCheck(name, "unbroken", seal.length, seal.head)


def _noted(lines: Iterable[tuple[Origin, bytes]], noting: Noting) -> Iterator[tuple[Origin, bytes]]:
    for origin, line in lines:
        if has_erased(line):
            noting(origin, line)
        yield origin, line


def _seems_sealed(part: FilePart) -> bool:
    """Whether a record near its beginning or its end has a seal."""
    if part.file.kind == "parquet":
        return False
    try:
        if any(is_sealed(line) for _, line in islice(_lines(part), _LOOKED_AT)):
            return True
        if part.end is None:
            return False
        with Path(part.file.path).open("rb") as raw:
            raw.seek(max(part.end - _END, 0))
            return any(map(is_sealed, raw.read(_END).splitlines()))
    except _UNREADABLE:  # which the audit says
        return False


def _lines(part: FilePart) -> Iterator[tuple[Origin, bytes]]:
    """The lines of a part that are not blank; before them the one that its chain goes on from."""
    with Path(part.file.path).open("rb") as raw:
        number, offset = part.first, part.start
        if offset:
            number, (offset, _) = number - 1, next(lines_backwards(raw, offset))
            raw.seek(offset)
        found = line_blocks(unpacked(raw, part.file.kind), BATCH_SIZE, part.file.name)
        for line in chain.from_iterable(found):
            if part.end is not None and offset >= part.end:
                return
            offset += len(line)
            if line.strip():
                yield Origin(part.file.name, number), line
            number += 1
