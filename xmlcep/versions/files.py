"""Versions that are files: yesterday's and today's, a folder of exports."""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import floor
from pathlib import Path

from ..files import bytes_of
from ..timestamps import timestamp
from .version import LARGEST, Version, VersionError, refuse_large


class FileVersions:
    """Files as versions of one document, in order of their names (numbers in them count), or of time.

    A folder stands for the files in it whose names end in ``.xml``. Raises `VersionError` or OSError for files that
    are not there, are none, or are given twice.
    """

    kind = "file"
    remarks: Sequence[str] = ()

    def __init__(self, paths: Sequence[str | os.PathLike[str]], *, by_time: bool = False) -> None:
        found = [_version(path) for given in paths for path in _files(Path(given))]
        order = sorted(found, key=lambda version: (version.at if by_time else 0, _natural(version.id)))
        for one, other in pairwise(order):
            if one.id == other.id:
                raise VersionError(f"{one.id}: given twice: a file is one version")
        self.versions = tuple(order)

    def read(self, version: Version, largest: int = LARGEST) -> bytes:
        """The bytes of a file; raises `VersionError` if it is too large or none, or OSError."""
        return read_file(Path(version.id), largest)


def read_file(path: Path, largest: int = LARGEST) -> bytes:
    """The bytes of a file; raises `VersionError` if it is too large or no file, or OSError."""
    found = path.stat()
    if not stat.S_ISREG(found.st_mode):
        what = "a folder" if stat.S_ISDIR(found.st_mode) else "a device or pipe"
        raise VersionError(f"{path}: {what}: an XML file is expected")
    refuse_large(str(path), found.st_size, largest)
    return bytes_of(path)


def _files(path: Path) -> Iterator[Path]:
    if not path.is_dir():
        yield path
        return
    inside = sorted(file for file in path.iterdir() if file.suffix.lower() == ".xml" and file.is_file())
    if not inside:
        raise VersionError(f"{path}: a folder without a file whose name ends in .xml")
    yield from inside


def _version(path: Path) -> Version:
    at = path.stat().st_mtime
    date = timestamp(floor(at) * 1_000_000)
    name = os.fsencode(path).decode("utf-8", errors="replace")
    return Version(str(path), name, at, {"file": name, "date": date})


def _natural(name: str) -> tuple[tuple[int, str], ...]:
    """The order in which people count: ``export-9`` before ``export-10``."""
    parts = re.split(r"(\d+)", name)
    return tuple((int(part), "") if part.isdecimal() and part.isascii() else (-1, part) for part in parts)


def digest(data: bytes) -> str:
    """What bytes are known by."""
    return hashlib.sha256(data).hexdigest()
