"""The files of an audit, and reading them whole or in splits."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple, TypeAlias

from ..documents.replica import Replica
from ..documents.snapshots import SnapshotError
from ..log import BadRecord, Batch, Header, LogError, Origin, segments
from ..log.columns.blocks import Block
from ..log.decoding import RowDecoder
from ..log.json_codec import FASTEST
from ..log.jsonlines import JsonLinesReader
from ..log.opening import kind_of, unpacked
from ..log.parquet import ParquetReader, row_groups
from ..log.records import ClockRecord, Row, change_record

LogPath: TypeAlias = str | os.PathLike[str]

BATCH_SIZE = 8192
# Blocks: of Arrow large, as each of its calls has a price of its own; of JSON so small that the values made of
# one stay in the processor's cache until they are freed.
ARROW_BLOCK = 32_768
LINES_BLOCK = 1024
SPLIT_BYTES = 32 * 2**20
SPLIT_RECORDS = 500_000  # of a Parquet file: so many may well take less than SPLIT_BYTES
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
    """A part of a file that one task reads: from ``start`` up to ``end`` (not included; None: to the end of the file).

    They count bytes of a plain file (the lines that begin there are meant) and row groups of a Parquet file; a
    packed file has one split.
    """

    file: LogFile
    number: int
    start: int
    end: int | None

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


def make_splits(
    files: Sequence[LogFile], split_bytes: int = SPLIT_BYTES, split_records: int = SPLIT_RECORDS
) -> list[Split]:
    """The splits of these files in file order; ``split_records`` bounds those of Parquet files.

    A row group is never cut. Raises `LogError` for a Parquet file that cannot be read.
    """
    found = []
    for file in files:
        if file.kind == "plain":
            starts = list(range(0, file.size, split_bytes))
            ends: list[int | None] = [*starts[1:], file.size]
        elif file.kind == "parquet":
            starts = _first_groups(file.path, split_bytes, split_records)
            ends = [*starts[1:], None]
        else:
            starts, ends = [0], [None]
        parts = enumerate(zip(starts, ends, strict=True))
        found += [Split(file, number, start, end) for number, (start, end) in parts]
    return found


def _first_groups(path: str, split_bytes: int, split_records: int) -> list[int]:
    """The row groups of a Parquet file with which splits begin."""
    starts = [0]
    size = records = 0
    for index, group in enumerate(row_groups(path)):
        size, records = size + group.size, records + group.records
        if index > starts[-1] and (size > split_bytes or records > split_records):
            starts.append(index)
            size, records = group.size, group.records
    return starts


def whole(file: LogFile) -> Split:
    """A split that is all of a file."""
    return Split(file, 0, 0, file.size if file.kind == "plain" else None)


class SplitReader:
    """Reads one split. Record numbers count from 1 at its start; ``lines`` is how many it has once it is read.

    ``on_bad`` gets bad records with such numbers. ``check_text`` matters to `read`, of which records are applied to
    a document: it refuses text that no XML document can hold and headers with damaged snapshots.
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
        self._raw: BinaryIO | None = None

    def read(self) -> Iterator[tuple[int, Header | ClockRecord] | Batch]:
        """Headers and clock records, each with its number, and batches of change records in file order."""
        for block in self.blocks(self._batch_size):
            for item in (block,) if isinstance(block, tuple) else block.items():
                if not isinstance(item, Batch):
                    number, aside = item
                    if isinstance(aside, ClockRecord) or (
                        isinstance(aside, Header) and self._is_sound(number, aside)
                    ):
                        yield number, aside
                elif self._check_text:
                    yield self._without_bad_text(item)
                else:
                    yield item

    def blocks(self, size: int | None = None) -> Iterator[Block | tuple[int, Header]]:
        """The same records in blocks, each to be used before the next is asked for, of ``size`` records at most.

        The items of all blocks are those of `read` (without ``check_text``). A header of a JSON Lines file is an
        item of its block; that of a Parquet file comes by itself, before the first block.
        """
        if self.split.file.kind == "parquet":
            yield from self._arrow_blocks(size or ARROW_BLOCK)
        else:
            yield from self._lines_blocks(size or LINES_BLOCK)

    @property
    def position(self) -> int:
        """How far its file was read, in bytes as it is packed; 0 for a Parquet file and one that is not open."""
        return 0 if self._raw is None or self._raw.closed else self._raw.tell()

    def _arrow_blocks(self, size: int) -> Iterator[Block | tuple[int, Header]]:
        split = self.split
        reader = ParquetReader(split.file.path, self._decoder, self._on_bad, first=split.start, end=split.end)
        yield from reader.blocks(size)
        self.lines = reader.records

    def _lines_blocks(self, size: int) -> Iterator[Block]:
        file, start = self.split.file, self.split.start
        reader = JsonLinesReader(
            file.path, self._decoder, FASTEST, self._on_bad, asides=(Header, ClockRecord)
        )
        with Path(file.path).open("rb") as raw:
            self._raw = raw
            if start:
                raw.seek(start - 1)
                start += len(raw.readline()) - 1  # a line that the split before begins, or its end alone
            yield from reader.blocks(unpacked(raw, file.kind), size, start, self.split.end)
        self.lines = reader.lines

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


def raw_record(row: Row) -> bytes:
    """A record that was read well enough, written again as it would stand in a JSON Lines log."""
    record = change_record(row)
    return FASTEST.dumps(record | {"ids": list(row[3]), "meta": None if row[10] is None else dict(row[10])})


def duplicate(row: Row, origin: Origin) -> BadRecord:
    """The complaint about a record whose time point another record of its document has already."""
    reason = f"ts {row[0]} occurs twice in document {row[8]!r}: expected one record per time point"
    return BadRecord(origin, None, reason, raw_record(row))


def clock_in_transaction(clock: ClockRecord, origin: Origin) -> BadRecord:
    """The complaint about a clock record after which the transaction of the record before it goes on."""
    reason = (
        f"a clock record in a transaction of document {clock.doc!r}: expected it behind the last record (W6)"
    )
    return BadRecord(origin, None, reason, FASTEST.dumps(clock.to_record()))
