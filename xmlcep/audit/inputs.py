"""The files of an audit, and reading them whole or in splits."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TypeAlias, cast

from ..log import BadRecord, Batch, Header, LogError, Origin, segments
from ..log.columns import Block
from ..log.decoding import RowDecoder
from ..log.json_codec import FASTEST
from ..log.jsonlines import JsonLinesReader
from ..log.opening import kind_of, unpacked
from ..log.parquet import ParquetReader
from ..log.records import Row, change_record
from ..replica import Replica
from ..snapshots import SnapshotError

LogPath: TypeAlias = str | os.PathLike[str]

BATCH_SIZE = 8192
# Blocks: of Arrow large, as each of its calls has a price of its own; of JSON so small that the values made of
# one stay in the processor's cache until they are freed.
ARROW_BLOCK = 32_768
LINES_BLOCK = 1024
SPLIT_BYTES = 32 * 2**20
_SUFFIXES = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz", ".jsonl.zst", ".ndjson.zst", ".parquet")
# What no XML document can hold: such a text cannot be applied to one.
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")

_LOOKED_AT = 1 << 20  # bytes of a file in which a line must begin as a record does
_BLANKS = b" \t\r\xef\xbb\xbf"  # with a byte order mark


class LogFile(NamedTuple):
    """One file of an audit; ``place`` is its place in file order, ``kind`` plain, gzip, zstd or parquet."""

    place: int
    path: str
    kind: str
    size: int


class Split(NamedTuple):
    """A part of a file that one task reads: the lines that start in bytes ``start`` to ``end`` (end excluded)."""

    file: LogFile
    number: int
    start: int
    end: int

    @property
    def name(self) -> int:
        """A number that orders splits as they stand in the log, with room for 2**20 parts of each."""
        return (self.file.place << 44) | (self.number << 20)


def find_files(logs: LogPath | Iterable[LogPath]) -> list[LogFile]:
    """The files that ``logs`` stand for: files (with those they were rolled over to), folders, glob patterns.

    Raises `LogError` for what does not exist, is empty or holds no logs. A file given twice is read once.
    """
    given = [logs] if isinstance(logs, (str, os.PathLike)) else list(logs)
    paths: dict[str, str] = {}
    for log in given:
        for path in _expand(os.fspath(log)):
            paths.setdefault(os.path.realpath(path), path)
    if not paths:
        raise LogError("no log was given: expected files, folders or patterns such as 'logs/*.jsonl'")
    return [_log_file(index, path) for index, path in enumerate(paths.values())]


def _expand(log: str) -> list[str]:
    path = Path(log)
    if path.is_dir():
        found = sorted(
            str(file) for file in path.iterdir() if file.is_file() and file.name.endswith(_SUFFIXES)
        )
        if not found:
            raise LogError(
                f"{log}: the folder has no logs: expected files that end in {', '.join(_SUFFIXES)}"
            )
        return found
    if path.exists():
        return [str(file) for file in segments(path)]
    if glob.has_magic(log):
        matched = sorted(glob.glob(log, recursive=True))
        if not matched:
            raise LogError(f"{log}: no file matches the pattern")
        return [file for match in matched for file in _expand(match)]
    raise LogError(f"{log}: there is no such file")


def _log_file(index: int, path: str) -> LogFile:
    try:
        with Path(path).open("rb") as stream:
            start = stream.read(4)
            begin = start + stream.read(_LOOKED_AT)
            size = os.fstat(stream.fileno()).st_size
    except OSError as error:
        raise LogError(f"{path}: cannot be read: {error.strerror}") from error
    if not start:
        raise LogError(f"{path}: the file is empty: expected change records or a header")
    kind = kind_of(start)
    if kind == "plain" and path.endswith(".parquet"):
        raise LogError(f"{path}: not a readable Parquet file: it does not start with PAR1")
    if kind == "plain" and not any(line.lstrip(_BLANKS).startswith(b"{") for line in begin.split(b"\n")):
        shown = begin[:40].decode("utf-8", "backslashreplace")
        raise LogError(
            f"{path}: not a change log: expected a JSON object per line (or Parquet), it begins with {shown!r}"
        )
    return LogFile(index, path, kind, size)


def make_splits(files: Sequence[LogFile], split_bytes: int = SPLIT_BYTES) -> list[Split]:
    """The splits of these files in file order; packed and Parquet files are one split each."""
    found = []
    for file in files:
        if file.kind != "plain":
            found.append(Split(file, 0, 0, file.size))
            continue
        for number, start in enumerate(range(0, file.size, split_bytes)):
            found.append(Split(file, number, start, min(start + split_bytes, file.size)))
    return found


class SplitReader:
    """Reads one split. Record numbers count from 1 at its start; ``lines`` is how many it has once it is read.

    ``on_bad`` gets bad records with such numbers. ``check_text`` refuses text that no XML document can hold and
    headers with damaged snapshots, which matters where records are applied to a document.
    """

    def __init__(
        self, split: Split, decoder: RowDecoder, on_bad: Callable[[BadRecord], None], *, check_text: bool = False,
        batch_size: int = BATCH_SIZE,
    ) -> None:  # fmt: skip
        self.split = split
        self.lines = 0
        self._decoder = decoder
        self._on_bad = on_bad
        self._check_text = check_text
        self._batch_size = batch_size

    def read(self) -> Iterator[tuple[int, Header] | Batch]:
        """Headers, each with its number, and batches of records in file order."""
        for item in self._items():
            if not isinstance(item, Batch):
                if isinstance(item[1], Header) and self._is_sound(*item):
                    yield item
            elif self._check_text:
                yield self._without_bad_text(item)
            else:
                yield item

    def _is_sound(self, number: int, header: Header) -> bool:
        """Whether a header describes a document, if that matters; else it is a bad record."""
        if not self._check_text or header.snapshot is None:
            return True
        try:
            Replica.from_snapshot(header.snapshot, header.ids)
        except SnapshotError as error:
            reason = f"the header of the document {header.doc!r}: {error}"
            raw = FASTEST.dumps(header.to_record() | {"ids": list(header.ids)})
            self._on_bad(BadRecord(Origin(self.split.file.path, number), None, reason, raw))
            return False
        return True

    def _items(self) -> Iterator[Any]:
        split = self.split
        if split.file.kind == "parquet":
            yield from ParquetReader(split.file.path, self._decoder, self._on_bad).read(self._batch_size)
            return
        with Path(split.file.path).open("rb") as raw:
            if split.start == 0:
                yield from self._json_lines(self._counted(unpacked(raw, split.file.kind)), self._on_bad)
                return
            # Only a reader at the start of a file looks for a byte order mark: an empty line goes before ours.
            for item in self._json_lines(self._continued(raw), self._shifted_bad):
                if isinstance(item, Batch):
                    yield Batch(item.file, item.rows, [number - 1 for number in item.numbers])
                else:
                    yield item[0] - 1, item[1]

    def _json_lines(self, lines: Iterator[bytes], on_bad: Callable[[BadRecord], None]) -> Iterator[Any]:
        reader = JsonLinesReader(self.split.file.path, self._decoder, FASTEST, on_bad)
        return reader.read(cast("BinaryIO", lines), self._batch_size)

    def _counted(self, stream: BinaryIO) -> Iterator[bytes]:
        position, end = 0, self.split.end
        packed = self.split.file.kind != "plain"
        for line in stream:
            if position >= end and not packed:
                return
            position += len(line)
            self.lines += 1
            yield line

    def _continued(self, raw: BinaryIO) -> Iterator[bytes]:
        position = self.split.start - 1
        raw.seek(position)
        position += len(raw.readline())  # the rest of a line of the split before
        self._base = position
        yield b"\n"
        while position < self.split.end:
            line = raw.readline()
            if not line:
                return
            position += len(line)
            self.lines += 1
            yield line

    def _shifted_bad(self, bad: BadRecord) -> None:
        offset = None if bad.offset is None else bad.offset - 1 + self._base
        self._on_bad(bad._replace(origin=Origin(bad.origin.file, bad.origin.record - 1), offset=offset))

    def _without_bad_text(self, batch: Batch) -> Batch:
        find = _NOT_XML.search
        wrong = {
            index
            for index, row in enumerate(batch.rows)
            if (row[4] is not None and find(row[4])) or (row[5] is not None and find(row[5]))
        }
        if not wrong:
            return batch
        for index in sorted(wrong):
            row = batch.rows[index]
            reason = "value or old has a character that XML cannot hold"
            self._on_bad(BadRecord(batch.origin(index), None, reason, raw_record(row)))
        kept = [index for index in range(len(batch.rows)) if index not in wrong]
        return Batch(batch.file, [batch.rows[i] for i in kept], [batch.numbers[i] for i in kept])


def read_blocks(
    file: LogFile, decoder: RowDecoder, on_bad: Callable[[BadRecord], None]
) -> Iterator[Block | tuple[int, Header]]:
    """A whole file in blocks that can be sifted as columns, each to be used before the next is asked for."""
    if file.kind == "parquet":
        yield from ParquetReader(file.path, decoder, on_bad).blocks(ARROW_BLOCK)
        return
    with Path(file.path).open("rb") as raw:
        reader = JsonLinesReader(file.path, decoder, FASTEST, on_bad)
        yield from reader.blocks(unpacked(raw, file.kind), LINES_BLOCK)


def raw_record(row: Row) -> bytes:
    """A record that was read well enough, written again as it would stand in a JSON Lines log."""
    record = change_record(row)
    return FASTEST.dumps(record | {"ids": list(row[3]), "meta": None if row[10] is None else dict(row[10])})


def duplicate(row: Row, origin: Origin) -> BadRecord:
    """The complaint about a record whose time point another record of its document has already."""
    reason = f"ts {row[0]} occurs twice in document {row[8]!r}: expected one record per time point"
    return BadRecord(origin, None, reason, raw_record(row))
