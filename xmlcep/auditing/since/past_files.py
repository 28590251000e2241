"""What of the files of an audit is new: files that no run has read, and what JSON Lines files have grown by."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from ...engine import StateError
from ...files import reading
from ...log import Header, LogError
from ...log.identity import digests
from ...log.tail import lines_backwards
from ..inputs import FilePart, LogFile


@dataclass(slots=True)
class PastFile:
    """How far a file was read: so many ``bytes`` and ``lines``; ``headers`` of documents that have not begun.

    ``begin`` and ``end`` are digests of the first bytes and of the last of those that were read: what has others
    is another file.
    """

    bytes: int
    lines: int
    begin: str
    end: str
    headers: dict[str, Header] = field(default_factory=dict)

    def to_record(self, path: str) -> dict[str, Any]:
        """As it is in a state."""
        headers = [header.to_record() for header in self.headers.values()]
        return {
            "file": path, "bytes": self.bytes, "lines": self.lines, "begin": self.begin, "end": self.end,
            **({"headers": headers} if headers else {}),
        }  # fmt: skip

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> PastFile:
        """As a state has it."""
        headers = [Header.from_record(header) for header in record.get("headers", ())]
        return cls(
            record["bytes"], record["lines"], record["begin"], record["end"],
            {header.doc: header for header in headers},
        )  # fmt: skip


class NewParts(NamedTuple):
    """What is new, by the places of the files, and what is to be said of it."""

    parts: list[FilePart]
    notes: list[str]


def news_of(files: Iterable[LogFile], past: Mapping[str, PastFile], *, final: bool) -> NewParts:
    """What is new in these files. A last line without an end waits for it, unless this is the ``final`` run.

    Raises `LogError` for a file that is not the one it was, but for what has been added at its end.
    """
    parts: list[FilePart] = []
    notes: list[str] = []
    for file in files:
        known = past.get(key_of(file))
        if known is not None:
            _check(file, known)
        begun = known.bytes if known is not None else 0
        end: int | None = None
        if file.kind == "plain":
            end = file.size if final else _end_of_lines(file, begun)
            if end < file.size:
                notes.append(f"{file.name}: the last line has no end yet: it is left for the next run")
            if end <= begun:
                continue
        elif known is not None:
            continue
        first = 1 + (known.lines if known is not None else 0)
        headers = dict(known.headers) if known is not None else {}
        parts.append(FilePart(file._replace(place=len(parts)), begun, end, first, headers))
    return NewParts(parts, notes)


def parts_between(
    files: Iterable[LogFile], before: Mapping[str, PastFile], until: Mapping[str, PastFile]
) -> list[FilePart]:
    """What runs have read between two states; raises `StateError` if a file is not there any more."""
    there = {key_of(file): file for file in files}
    parts: list[FilePart] = []
    for name, known in until.items():
        begun = before.get(name)
        if begun is not None and begun.bytes == known.bytes:
            continue
        if name not in there:
            raise StateError(f"{name}: is read again, and is not among the files")
        file = there[name]._replace(place=len(parts))
        start, lines, headers = (0, 0, {}) if begun is None else (begun.bytes, begun.lines, begun.headers)
        parts.append(FilePart(file, start, known.bytes if file.kind == "plain" else None, lines + 1, headers))
    return parts


def key_of(file: LogFile) -> str:
    """By what a file is known from run to run: its path, whatever the folder of the process."""
    return os.path.realpath(file.path)


def read_until(part: FilePart, lines: int, headers: dict[str, Header]) -> PastFile:
    """How far a file has been read now."""
    size = part.file.size if part.end is None else part.end
    begin, end = digests(part.file.path, size)
    return PastFile(size, lines, begin, end, headers)


def _check(file: LogFile, known: PastFile) -> None:
    grown = file.size - known.bytes
    if grown >= 0 and digests(file.path, known.bytes) == (known.begin, known.end):
        if grown and file.kind != "plain":
            raise LogError(
                f"{file.name}: has grown since the last run, which only JSON Lines files may: add a new file instead"
            )
        return
    raise LogError(
        f"{file.name}: is not the file that was read in an earlier run (its first {known.bytes:,} bytes were): files"
        " may be added, grow at their end and be deleted; audit the whole log anew, without the state, or give the new"
        " file another name"
    )


def _end_of_lines(file: LogFile, begun: int) -> int:
    """Behind the last end of a line, at ``begun`` at least."""
    if file.size <= begun:
        return begun
    with reading(file.path) as stream:
        offset, line = next(lines_backwards(stream, file.size))
    return max(begun, offset + len(line) if line.endswith(b"\n") else offset)


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
