"""The end of a JSON Lines log: what is last in it, and a last line that a crash has cut off."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from ..files import largest, reading, too_large
from .json_codec import STANDARD

_BLOCK = 1 << 16


class Repair(NamedTuple):
    """What was done to the end of a log when it was opened again after a crash.

    ``removed`` are the bytes taken away, from ``offset`` on; empty when only the line end was missing.
    """

    file: str
    offset: int
    removed: bytes
    reason: str

    def __str__(self) -> str:
        if not self.removed:
            return f"{self.file}: {self.reason}"
        return f"{self.file}: cut off {len(self.removed)} bytes from byte {self.offset} on: {self.reason}"


def lines_backwards(stream: BinaryIO, size: int | None = None) -> Iterator[tuple[int, bytes]]:
    """The lines of a file from the last to the first, each with its offset and its line end.

    ``size``: how many of its bytes count (default: all).
    """
    start = stream.seek(0, os.SEEK_END) if size is None else size
    block, rest = _BLOCK, b""
    while start:
        block_start = max(0, start - block)
        stream.seek(block_start)
        content = stream.read(start - block_start) + rest
        if len(content) > 2 * largest("record") and content.find(b"\n", 0, -1) < 0:
            raise too_large("record", stream.name)
        start, block = block_start, block * 2  # growing, so that a huge line is not read again and again
        lines = [line + b"\n" for line in content.split(b"\n")]
        lines[-1] = lines[-1][:-1]
        # The first piece may continue in the block before.
        rest = lines.pop(0) if start else b""
        offset = start + len(rest) + sum(map(len, lines))
        for line in reversed(lines):
            offset -= len(line)
            if line:
                yield offset, line


def records_backwards(file: Path, size: int | None = None) -> Iterator[tuple[int, dict[str, Any]]]:
    """The records of a file from the last to the first, with their offsets; what is not an object is skipped.

    ``size``: how many of its bytes count (default: all).
    """
    with reading(file) as stream:
        for offset, line in lines_backwards(stream, size):
            record = object_in(line)
            if record is not None:
                yield offset, record


def last_line(file: Path) -> tuple[int, bytes]:
    """The last line of a file with its offset; of an empty file an empty one with a line end."""
    with reading(file) as stream:
        return next(lines_backwards(stream), (0, b"\n"))


def repair_tail(file: Path) -> Repair | None:
    """Makes the file end with a whole line.

    A last line without line end that is a whole record gets its line end; anything else there is cut off.
    """
    offset, line = last_line(file)
    if line.endswith(b"\n") or object_in(line) is not None:
        return add_line_end(file)
    return cut(file, offset, "the last line was cut off by a crash")


def add_line_end(file: Path) -> Repair | None:
    """Gives the last line its end, if it has none."""
    offset, line = last_line(file)
    if line.endswith(b"\n"):
        return None
    with file.open("ab") as stream:
        stream.write(b"\n")
    return Repair(str(file), offset, b"", "the last line was whole but had no line end, which was added")


def cut(file: Path, offset: int, reason: str) -> Repair:
    """Takes everything from ``offset`` on out of a file."""
    with file.open("r+b") as stream:
        stream.seek(offset)
        removed = stream.read()
        stream.truncate(offset)
    return Repair(str(file), offset, removed, reason)


def object_in(line: bytes) -> dict[str, Any] | None:
    """The JSON object in a line; None if there is none."""
    try:
        record = STANDARD.loads(line)
    except ValueError:
        return None
    return record if isinstance(record, dict) else None
