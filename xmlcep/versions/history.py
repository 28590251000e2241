"""A log made of the versions of a document, and continued when there are new ones."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import floor
from pathlib import Path
from typing import Any, NamedTuple

from ..log.errors import LogError, LogLockedError
from ..log.records import MARK, Control
from ..log.segments import segments
from ..log.tail import records_backwards
from ..matching import Contents, Key, outline
from ..matching.whitespace import unindent
from ..recording.recorder import Recording, record
from ..timestamps import timestamp
from ..wrapping import Document, DocumentError, wrap
from ..wrapping.calls.lxml_methods import LOOKUP
from ..wrapping.parsing import parse_bytes
from ..wrapping.updating import Follower
from .entities import Entities
from .remarks import key_remarks, root_remarks
from .version import LARGEST, Source, Version, VersionError

VERSION = "version"
"""The kind of the control record behind each version: its ``meta`` and ``at``, whether or not it changed anything."""


class Skipped(NamedTuple):
    """A version that is not in the log, and why."""

    label: str
    reason: str


class Step(NamedTuple):
    """How far the making of a log is: versions done and in all, and which is being looked at."""

    done: int
    total: int
    label: str


@dataclass(frozen=True, slots=True)
class Written:
    """What `write_history` has done: the versions it ``read`` anew, how many of them ``changed`` the document, by how
    many ``events``; ``continued`` is the version the log had ended with, ``remarks`` are sentences on what is odd."""

    read: int
    changed: int
    events: int
    skipped: tuple[Skipped, ...]
    continued: str | None
    remarks: tuple[str, ...]

    def to_record(self) -> dict[str, Any]:
        """As plain data, as ``history --format json`` prints it."""
        return {
            "versions": self.read, "changed": self.changed, "events": self.events, "continued": self.continued,
            "skipped": [each._asdict() for each in self.skipped], "remarks": list(self.remarks),
        }  # fmt: skip


def write_history(
    source: Source,
    log: str | os.PathLike[str],
    *,
    name: str,
    keys: Sequence[Key] = (),
    ignore_whitespace: bool = True,
    seal: bool = False,
    erasable: bool = False,
    largest: int = LARGEST,
    entities: Entities | None = None,
    progress: Callable[[Step], None] | None = None,
) -> Written:
    """Writes what each version of ``source`` changed to the log, one transaction per version, with its ``meta``.

    ``entities`` are replaced by what they stand for; those of other names are refused, as all are without it. A log
    that is there is continued behind the version it ends with. Versions without a document, or with one that is
    refused, are skipped and said. At any time the log holds whole versions; without any that can be read there is none.
    Raises `VersionError` for versions that do not go on where the log ends, `LogError` for other logs, OSError.
    """
    versions = source.versions
    last, marked = _last_version(Path(log), source.kind)
    first = 0 if last is None else _place(versions, last, log)
    reader = _Reader(source, largest, entities)
    if last is not None:
        told = _versions_told(Path(log), source.kind)
        reader.skipped += [
            Skipped(version.label, "comes before the last version in the log")
            for version in versions[:first]
            if version.problem is None and version.id not in told and source.kind == "file"
        ]
    start = reader.first(versions[first:] if last is None else versions[first : first + 1])
    if start is None:
        raise VersionError(_nothing(reader.skipped))
    version, tree = start
    clock = _VersionClock(version.at)
    remarks = _remarks(tree, keys)
    if ignore_whitespace:
        unindent(tree.getroot())  # and what comes later is compared and copied without it
    with wrap(tree, name=name, now=clock) as document:
        with _recording(
            document, Path(log), version, seal=seal, erasable=erasable, is_new=last is None
        ) as recording:
            writing = _Writing(document, recording, clock, keys, ignore_whitespace)
            if not marked:
                writing.tell(version)
            behind = versions[versions.index(version) + 1 :]
            for number, version in enumerate(behind):
                if progress is not None:
                    progress(Step(number, len(behind), version.label))
                writing.write(version, reader)
        continued = None if last is None else versions[first].label
        return Written(
            writing.read + (last is None), writing.changed, document.clock - writing.start, tuple(reader.skipped),
            continued, (*remarks, *writing.remarks),
        )  # fmt: skip


def _recording(
    document: Document, log: Path, version: Version, *, seal: bool, erasable: bool, is_new: bool
) -> Recording:
    """The log, new (or with no more than a header) or continued behind ``version``, which the document is."""
    has_header = log.exists() and log.stat().st_size > 0
    try:
        return record(document, log, durability="os", seal=seal, erasable=erasable)
    except LogLockedError:
        raise
    except LogError as error:
        if is_new and not has_header:
            raise
        if is_new:
            raise VersionError(
                f"{log}: its last version is unknown, and it does not begin with {version.label};"
                " write to another file"
            ) from error
        raise VersionError(
            f"{log}: cannot be continued after the version {version.label}: {error}; a log is continued with the"
            " name, the keys and the white space it was begun with"
        ) from error


class _VersionClock:
    """The wall clock of a history: it shows when the version was made that is being written."""

    def __init__(self, now: float) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


class _Reader:
    """Reads versions as trees; keeps what had to be skipped."""

    def __init__(self, source: Source, largest: int, entities: Entities | None) -> None:
        self._source = source
        self._largest = largest
        self._entities = entities
        self.skipped: list[Skipped] = []

    def first(self, versions: Sequence[Version]) -> tuple[Version, Any] | None:
        """The first version that can be read, with its tree; None if there is none."""
        for version in versions:
            tree = self.read(version)
            if tree is not None:
                return version, tree
        return None

    def read(self, version: Version) -> Any:
        """The tree of a version, None if it has none that can be used."""
        reason = version.problem
        if reason is None:
            try:
                data = self._source.read(version, self._largest)
                if self._entities is not None:
                    data = self._entities.resolved(data, version.label, self._largest)
                return parse_bytes(data, source_name=version.label, lookup=LOOKUP)
            except (DocumentError, VersionError) as error:
                reason = str(error).removeprefix(f"{version.label}:").strip()
        self.skipped.append(Skipped(version.label, reason))
        return None


class _Writing:
    """Brings the document from version to version while it is recorded."""

    def __init__(
        self, document: Document, recording: Recording, clock: _VersionClock, keys: Sequence[Key],
        ignore_whitespace: bool,
    ) -> None:  # fmt: skip
        self._follower = Follower(document, [str(key) for key in keys], ignore_whitespace)
        self._recording = recording
        self._clock = clock
        self._content: str | None = None
        self._document = document
        self.remarks: list[str] = []
        self.start = document.clock
        self.read = self.changed = 0

    def write(self, version: Version, reader: _Reader) -> None:
        """Makes a version of the document, if there is one and it differs in bytes from the one before."""
        if version.problem is not None or not version.content or version.content != self._content:
            tree = reader.read(version)
            if tree is None:
                return
            self._clock.now = version.at
            names = (self._document.root.tag, tree.getroot().tag)
            self.remarks += [f"{version.label}: {remark}" for remark in root_remarks(*names)]
            edits = self._follower.update(tree, version.meta)
            self.changed += edits > 0
        self.read += 1
        self.tell(version)

    def tell(self, version: Version) -> None:
        """Writes that the log has got to a version."""
        self._content = version.content
        at = timestamp(floor(version.at) * 1_000_000)
        self._recording.write_control(Control(VERSION, {"at": at, "meta": dict(version.meta)}))


def _last_version(log: Path, kind: str) -> tuple[str | None, bool]:
    """The id of the version that a log has got to (None: nothing is in it), and whether its mark is there,
    which an interruption can have kept away."""
    files = [file for file in segments(log) if file.exists()]
    if not any(file.stat().st_size for file in files):
        return None, False
    only_begun = True
    for file in reversed(files):
        for _, entry in records_backwards(file):
            meta = entry.get("meta")
            marked = entry.get("control") == VERSION
            told = marked or entry.get("commit") is True
            if told and isinstance(meta, Mapping) and isinstance(meta.get(kind), str):
                return str(meta[kind]), marked
            only_begun = only_begun and MARK in entry and "doc" in entry
    if only_begun:
        return None, False  # interrupted behind the header, which has the first version
    what = {"commit": "a git history", "file": "files"}.get(kind, kind)
    raise VersionError(f"{log}: not a log of {what}: its last version is unknown; write to another file")


def _versions_told(log: Path, kind: str) -> set[str]:
    """The ids of the versions in a log."""
    return {
        str(entry["meta"][kind])
        for file in segments(log)
        for _, entry in records_backwards(file)
        if entry.get("control") == VERSION and kind in (entry.get("meta") or ())
    }


def _place(versions: Sequence[Version], last: str, log: str | os.PathLike[str]) -> int:
    for place, version in enumerate(versions):
        if version.id == last:
            return place
    raise VersionError(
        f"{log}: the log ends with the version {last}, which is not among those found: another branch, a history"
        " that was rewritten, other files, or --since too late; write to another file"
    )


def _nothing(skipped: Sequence[Skipped]) -> str:
    some = "; ".join(f"{each.label}: {each.reason}" for each in skipped[:3])
    return f"no version has a document that can be read: {some}{'; …' if len(skipped) > 3 else ''}"


def _remarks(tree: Any, keys: Sequence[Key]) -> tuple[str, ...]:
    if not keys:
        return ()
    return tuple(key_remarks([outline(tree.getroot(), Contents())], keys))
