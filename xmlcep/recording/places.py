"""Places in a log that is being recorded, and where the state of such a place is."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from ..files import reading

_BLOCK = 1 << 20


class Place(NamedTuple):
    """A place in a log: behind so many bytes, and lines, of its file with this number."""

    number: int
    byte: int
    line: int


def state_path(log: Path) -> Path:
    """Where the state of a recording is: beside the first file of its log."""
    return log.with_name(log.name + ".state")


def lines_between(file: Path, begin: int, end: int) -> int:
    """How many lines end between two bytes of a file."""
    count = 0
    with reading(file) as stream:
        stream.seek(begin)
        while begin < end and (block := stream.read(min(_BLOCK, end - begin))):
            count += block.count(b"\n")
            begin += len(block)
    return count
