"""The files of an audit: what was named is looked up, what came through a pipe is kept so that it can be read again."""

from __future__ import annotations

import glob
import os
import re
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from types import MappingProxyType
from typing import BinaryIO, NamedTuple, TypeAlias
from urllib.parse import unquote, urlsplit

from ..arguments import PATH, check
from ..errors import ArgumentError, XmlCepError
from ..files import opened, reading, refuse_device
from ..log import Header, LogError, segments
from ..log.opening import kind_of, kind_of_log, no_log
from ..log.segments import first_of

LogPath: TypeAlias = str | os.PathLike[str]

STANDARD_INPUT = "-"
SUFFIXES = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz", ".jsonl.zst", ".ndjson.zst", ".parquet")

_LOOKED_AT = 1 << 20  # bytes of a file in which a line must begin as a record does
_BLANKS = b" \t\r\xef\xbb\xbf"  # with a byte order mark


class LogFile(NamedTuple):
    """One file of an audit.

    ``place`` is its place in file order, ``kind`` plain, gzip, zstd or parquet, ``name`` what it is called in messages:
    its path, or what came through a pipe and is in the file ``path``.
    """

    place: int
    path: str
    kind: str
    size: int
    name: str


class FilePart(NamedTuple):
    """A part of a file: the lines that begin from byte ``start``, which begins line ``first``, up to ``end`` (not
    included; None: to the end of the file). A packed file and one of Parquet have one part. ``headers`` are those that
    were read before, by document.
    """

    file: LogFile
    start: int = 0
    end: int | None = None
    first: int = 1
    headers: Mapping[str, Header] = MappingProxyType({})


def whole(file: LogFile) -> FilePart:
    """A part that is all of a file."""
    return FilePart(file, end=file.size if file.kind == "plain" else None)


class PipeCopy(os.PathLike[str]):
    """What came through a pipe, kept in a file; as text it is what the pipe was called."""

    def __init__(self, name: str, path: Path) -> None:
        self.name = name
        self.path = path

    def __fspath__(self) -> str:
        return str(self.path)

    def __str__(self) -> str:
        return self.name


class FoundFiles(NamedTuple):
    """The files of an audit, and what was left out of the folders they were found in."""

    files: list[LogFile]
    left_out: list[str]


def with_pipes_kept(logs: LogPath | Iterable[LogPath], stack: ExitStack) -> list[LogPath]:
    """The logs, with pipes (and ``-``, standard input) read once and kept in files until ``stack`` is left.

    Raises `LogError` for a pipe that cannot be read, `XmlCepError` where there is no room for it.
    """
    kept: list[LogPath] = []
    names: set[str] = set()
    folder: Path | None = None
    for log in _listed(logs):
        if isinstance(log, PipeCopy) or not _is_pipe(log):
            kept.append(log)
            continue
        name = os.fspath(log)
        if name in names:  # all of it was read already
            continue
        names.add(name)
        if folder is None:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="xmlcep-pipe-")))
        called = "standard input" if name == STANDARD_INPUT else name
        # What does not know of pipes says the path, which should tell as well.
        path = folder / (called if name == STANDARD_INPUT else f"{len(names)} {Path(name).name}")
        _keep(name, path)
        kept.append(PipeCopy(called, path))
    return kept


def _is_pipe(log: LogPath) -> bool:
    """Whether what is read of it once cannot be read again."""
    if os.fspath(log) == STANDARD_INPUT:
        return True
    try:
        mode = os.stat(log).st_mode
    except OSError:
        return False  # said when it is looked for
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) or stat.S_ISSOCK(mode)


def _keep(name: str, path: Path) -> None:
    try:
        with path.open("wb") as target:
            if name == STANDARD_INPUT:
                refuse_device(sys.stdin.buffer, name)
                shutil.copyfileobj(sys.stdin.buffer, target, _LOOKED_AT)
            else:
                with opened(name) as source:
                    shutil.copyfileobj(source, target, _LOOKED_AT)
    except OSError as error:
        if error.filename in (name, STANDARD_INPUT) or (
            error.filename is None and name == STANDARD_INPUT and not path.exists()
        ):
            raise LogError(f"{name}: cannot be read: {error.strerror}") from error
        raise XmlCepError(
            f"{name}: there is no room for what comes through the pipe in {path.parent}: {error.strerror}: set TMPDIR"
            " to a folder with room"
        ) from error


def find_files(logs: LogPath | Iterable[LogPath]) -> FoundFiles:
    """The files that ``logs`` stand for: files (with those they were rolled over to), folders, glob patterns.

    Raises `LogError` for what does not exist, cannot be read, is empty or holds no logs. A file given twice is read
    once.
    """
    given = _listed(logs)
    found: dict[str, tuple[str, str]] = {}
    left_out: list[str] = []
    for log in given:
        if isinstance(log, PipeCopy):
            found.setdefault(os.fspath(log), (os.fspath(log), str(log)))
            continue
        for path in _expand(os.fspath(log), left_out):
            check("audit()", logs=(path, PATH))
            found.setdefault(os.path.realpath(path), (path, path))
    if not found:
        raise LogError("no log was given: expected files, folders or patterns such as 'logs/*.jsonl'")
    files = [_log_file(index, path, name) for index, (path, name) in enumerate(found.values())]
    return FoundFiles(files, left_out)


def _listed(logs: LogPath | Iterable[LogPath]) -> list[LogPath]:
    listed = [logs] if isinstance(logs, (str, os.PathLike)) or not isinstance(logs, Iterable) else list(logs)
    for log in listed:
        if not isinstance(log, (str, os.PathLike, PipeCopy)):
            raise ArgumentError(
                f"{log!r} is not a log: expected the path of a file or folder, or a pattern, or a list of these"
            )
        if not isinstance(log, PipeCopy):
            check("audit()", logs=(log, PATH))
    return [_on_this_machine(log) for log in listed]


def _on_this_machine(log: LogPath) -> LogPath:
    """The path of a ``file://`` URL; other logs as they are. Raises `LogError` for other URLs."""
    text = os.fspath(log)
    if not re.match(r"file:/|\w\w+://", text):
        return log
    url = urlsplit(text)
    if url.scheme == "file":
        return unquote(url.path)
    raise LogError(
        f"{text}: an audit reads files of this machine: for {url.scheme}:// use xmlcep.spark, in a program of PySpark:"
        f" findings(read_log(spark, {text!r}), rules)"
    )


def _expand(log: str, left_out: list[str]) -> Iterator[str]:
    path = Path(log)
    if path.is_dir():
        yield from _in_folder(path, left_out)
    elif path.exists():
        yield from map(str, segments(path))
    elif glob.has_magic(log):
        matched = sorted(glob.glob(log, recursive=True))
        if not matched:
            raise LogError(f"{log}: no file matches the pattern")
        for match in matched:
            yield from _expand(match, left_out)
    else:
        raise LogError(f"{log}: {_absence(path)}")


def _in_folder(folder: Path, left_out: list[str]) -> Iterator[str]:
    """The logs in a folder, files of one log in their order; of a table in parts (a folder ``….parquet``) the parts."""
    try:
        entries = sorted(folder.iterdir(), key=_place_of)
    except OSError as error:
        raise LogError(f"{folder}: cannot be read: {error.strerror}") from error
    count = 0
    for entry in entries:
        if not entry.name.endswith(SUFFIXES):
            if not entry.name.startswith("."):
                left_out.append(f"{entry}{os.sep if entry.is_dir() else ''}")
            continue
        count += 1
        if entry.is_dir():
            yield from _parts(entry)
        elif entry.exists():
            yield str(entry)
        else:
            raise LogError(f"{entry}: {_absence(entry)}")
    if not count:
        raise LogError(f"{folder}: the folder has no logs: expected files that end in {', '.join(SUFFIXES)}")


def _place_of(file: Path) -> tuple[str, int]:
    """Rolled-over files are behind their first (``orders.0002.jsonl`` behind ``orders.jsonl``)."""
    first, number = first_of(file)
    return first.name, number


def _parts(folder: Path) -> Iterator[str]:
    """The parts of a table that other programs wrote as a folder; what begins with ``_`` or ``.`` is none."""
    parts = sorted(
        str(file)
        for file in folder.rglob("*.parquet")
        if not any(name.startswith(("_", ".")) for name in file.relative_to(folder).parts)
    )
    if not parts:
        raise LogError(f"{folder}: a folder without Parquet files: expected the parts of a table")
    yield from parts


def _absence(path: Path) -> str:
    """Why there is nothing under a name."""
    with suppress(OSError):
        if path.is_symlink():
            return f"a symbolic link to {os.readlink(path)}, which is not there or leads back to it"
    return "there is no such file"


def _log_file(index: int, path: str, name: str) -> LogFile:
    try:
        if not Path(path).is_file():
            raise LogError(f"{name}: a pipe or device among files: leave it out, or give it by its own name")
        with Path(path).open("rb") as stream:
            start = stream.read(4)
            begins_as_record = kind_of(start) != "plain" or _begins_as_record(start, stream)
            size = os.fstat(stream.fileno()).st_size
    except OSError as error:
        raise LogError(f"{name}: cannot be read: {error.strerror}") from error
    kind = kind_of_log(start, path, name)
    if not begins_as_record:
        with reading(path) as stream:
            raise LogError(f"{name}: {no_log(stream.read(4096))}")
    return LogFile(index, path, kind, size, name)


def _begins_as_record(start: bytes, stream: BinaryIO) -> bool:
    """Whether a line near the beginning begins as a JSON object does."""
    line_begins = True
    looked_at = 0
    block = start
    while block and looked_at < _LOOKED_AT:
        lines = block.split(b"\n")
        for number, line in enumerate(lines):
            text = line.lstrip(_BLANKS)
            if (number or line_begins) and text.startswith(b"{"):
                return True
            line_begins = (number > 0 or line_begins) and not text
        looked_at += len(block)
        block = stream.read(4096)
    return False
