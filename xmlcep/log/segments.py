"""The files that a log was rolled over to: ``orders.jsonl``, then ``orders.0002.jsonl``, and so on."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TypeAlias

from ..arguments import PATH, check
from ..errors import ArgumentError

Source: TypeAlias = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]
"""A log: a file, or several files that are read one after the other."""


def files_of(log: Source) -> list[Path]:
    """The files of a log: several as given; for a single one, those it was rolled over to as well."""
    if isinstance(log, (str, os.PathLike)):
        return segments(listed(log)[0])
    return [Path(file) for file in listed(log)]


def listed(log: Source) -> Sequence[str | os.PathLike[str]]:
    """A log's files as given, one or several; raises `TypeError` for what is not a path."""
    if isinstance(log, (str, os.PathLike)):
        check("a log", path=(log, PATH))
        return [log]
    if not isinstance(log, Iterable) or not all(isinstance(file, (str, os.PathLike)) for file in log):
        raise ArgumentError(f"{log!r} is not a log: expected the path of a file, or a list of paths")
    return log


def segments(log: str | os.PathLike[str]) -> list[Path]:
    """The files of a log in order, given its first; a file without successors stands for itself.

    The first is in the list even if it does not exist.
    """
    first = Path(log)
    found = sorted((number, file) for file in _candidates(first) if (number := number_of(first, file)) > 1)
    return [first, *(file for _, file in found)]


def segment(log: str | os.PathLike[str], number: int) -> Path:
    """The file with this number (from 1) of a log, given its first.

    >>> str(segment("orders.jsonl", 2))
    'orders.0002.jsonl'
    """
    first = Path(log)
    stem, suffixes = _split(first)
    return first if number == 1 else first.with_name(f"{stem}.{number:04}{suffixes}")


def _candidates(first: Path) -> list[Path]:
    try:
        return list(first.parent.iterdir())
    except OSError:
        return []


def number_of(first: Path, file: Path) -> int:
    """The number of a file of the log that begins with ``first``; 0 if it is not one of its files.

    >>> number_of(Path("orders.jsonl"), Path("orders.0012.jsonl"))
    12
    """
    if file.name == first.name:
        return 1
    stem, suffixes = _split(first)
    match = re.fullmatch(rf"{re.escape(stem)}\.(\d{{4,}}){re.escape(suffixes)}", file.name)
    return int(match[1]) if match else 0


def first_of(file: Path) -> tuple[Path, int]:
    """The first file of the log that a file of this name is rolled over from, and its number; itself and 1 for others.

    >>> first_of(Path("orders.0012.jsonl"))
    (PosixPath('orders.jsonl'), 12)
    """
    stem, suffixes = _split(file)
    match = re.fullmatch(r"(.+)\.(\d{4,})", stem)
    if match is None or int(match[2]) < 2:
        return file, 1
    return file.with_name(match[1] + suffixes), int(match[2])


def _split(first: Path) -> tuple[str, str]:
    """A file name before and from its format suffix on: ``("orders", ".jsonl.gz")``."""
    match = re.fullmatch(r"(?s)(.*?)(\.(?:jsonl|ndjson|json|parquet)(?:\.gz|\.zst)?|\.[^.]*|)", first.name)
    assert match is not None  # both can be empty
    return match[1], match[2]
