"""Records that a state holds because others are missing before them (`xmlcep.auditing.frontier`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from ...log import Header
from ..inputs import FilePart, LogFile


class Held(NamedTuple):
    """A record that is held, with its line as it is in a JSON Lines log; ``change``: it is a time point."""

    doc: str
    ts: int
    at: str | None
    change: bool
    line: str


def part_of_held(held: Iterable[Held], path: Path, name: str, headers: Mapping[str, Header]) -> FilePart:
    """A part of a log that has what was held and is to be read now, first."""
    path.write_text("".join(f"{each.line}\n" for each in held), encoding="utf-8")
    size = path.stat().st_size
    return FilePart(LogFile(0, str(path), "plain", size, name), 0, size, 1, headers)
