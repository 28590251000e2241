"""Reading change logs, whatever their format."""

from __future__ import annotations

import io
import os
import zlib
from codecs import BOM_UTF8
from collections.abc import Generator, Iterable, Iterator, Mapping
from itertools import chain
from types import MappingProxyType
from typing import BinaryIO, NamedTuple, cast

from ..events import PrimitiveEvent
from ..files import naming, opened
from .batches import Batch
from .columns.blocks import Block
from .decoding import ClockCheck, RowDecoder
from .errors import BadRecord, LogError, Origin
from .json_codec import FASTEST
from .jsonlines import JsonLinesReader
from .opening import damaged, kind_of_log, line_blocks, no_log, unpacked
from .order import Piece, in_order
from .parquet import ParquetReader
from .quarantine import BadRecordPolicy, refuse
from .records import Aside, ClockRecord, Header
from .segments import Source, files_of, listed

BATCH_SIZE = 8192


class LogReader:
    """Iterates over headers, events and clock records of a log; ``origin`` is where the one just handed out is.

    Iterate once; `LogError` is raised for files that are no logs, and by the policy for bad records.
    """

    def __init__(self, items: Iterator[tuple[Origin, Aside] | Batch]) -> None:
        self._items = items
        self._batch = Batch("", [], ())
        self._index = 0
        self._aside: Origin | None = None

    @property
    def origin(self) -> Origin:
        """The file and the number of the record just handed out."""
        return self._aside if self._aside is not None else self._batch.origin(self._index)

    def __iter__(self) -> Iterator[Header | ClockRecord | PrimitiveEvent]:
        new = tuple.__new__
        for item in self._items:
            if isinstance(item, Batch):
                self._batch, self._aside = item, None
                for self._index, row in enumerate(item.rows):
                    yield new(PrimitiveEvent, row)
            elif isinstance(item[1], (Header, ClockRecord)):
                self._aside = item[0]
                yield item[1]


def read_log(
    source: Source, *, on_bad: BadRecordPolicy = refuse, clock: ClockCheck = ClockCheck.INCREASING
) -> LogReader:
    """The contents of a log in file order (`LogReader`): JSON Lines, also packed with gzip or zstd, or Parquet.

    ``on_bad`` is called with every bad record (default: raise `LogError`; a `Quarantine` puts them aside). Raises
    `LogError` for files that are missing, empty or no logs, `NewerFormatError` for files of a newer format. The format
    is detected from the content, not from the name.
    """
    return LogReader(_read(source, on_bad, clock))


class Start(NamedTuple):
    """Where reading begins: in this JSON Lines file, at this byte, which begins a line of this number; the document's
    clock there is ``ts``."""

    file: str
    byte: int
    line: int
    doc: str
    ts: int


def read_everything(
    source: Source, *, on_bad: BadRecordPolicy = refuse, whole: Mapping[str, int] | None = None,
    start: Start | None = None,
) -> Iterator[tuple[Origin, Aside | PrimitiveEvent]]:  # fmt: skip
    """Like `read_log`, with control records, each item with its origin.

    ``whole`` says of files of which not all bytes count how many do; ``start`` where the first file is read from.
    """
    for item in _read(source, on_bad, ClockCheck.INCREASING, whole or {}, start):
        if isinstance(item, Batch):
            for index, row in enumerate(item.rows):
                yield item.origin(index), PrimitiveEvent(*row)
        else:
            yield item


def read_columns(
    source: Source, *, on_bad: BadRecordPolicy = refuse, clock: ClockCheck = ClockCheck.INCREASING
) -> Iterator[Header | ClockRecord | Batch]:
    """Like `read_log`, but the events in batches of plain tuples: the fast way for bulk work."""
    for item in _read(source, on_bad, clock):
        if isinstance(item, Batch):
            yield item
        elif isinstance(item[1], (Header, ClockRecord)):
            yield item[1]


def first_header(file: str | os.PathLike[str]) -> Header | None:
    """The header that a file begins with; None if it begins with anything else."""
    found = _read(file, lambda bad: None, ClockCheck.ANY, size=1)
    try:
        item = next(iter(found), None)
    finally:
        found.close()
    return item[1] if type(item) is tuple and isinstance(item[1], Header) else None


def read_lines(source: Source) -> Iterator[tuple[Origin, bytes]]:
    """The lines of a JSON Lines log that are not blank, as they are there, each with its origin.

    A single file stands for all the files the log was rolled over to. Raises `LogError`.
    """
    for file in map(str, files_of(source)):
        with _open(file) as stream:
            kind = _kind(stream, file)
            if kind == "parquet":
                raise LogError(f"{file}: a Parquet file has no lines: expected a JSON Lines log")
            number = 0
            try:
                found = line_blocks(unpacked(stream, kind), BATCH_SIZE, file)
                for number, line in enumerate(chain.from_iterable(found), 1):
                    if line.strip():
                        yield Origin(file, number), line
            except (EOFError, OSError, zlib.error) as error:
                raise LogError(f"{file}:{number + 1}: {damaged(error)}") from error


def _read(
    source: Source, on_bad: BadRecordPolicy, clock: ClockCheck, whole: Mapping[str, int] = MappingProxyType({}),
    start: Start | None = None, *, size: int = BATCH_SIZE,
) -> Generator[tuple[Origin, Aside] | Batch, None, None]:  # fmt: skip
    if clock is ClockCheck.ANY:
        pieces = _pieces(source, size, on_bad, RowDecoder(clock), whole, start=start)
    else:
        bad: list[BadRecord] = []
        pieces = in_order(
            _pieces(source, size, bad.append, RowDecoder(clock), whole, bad, start=start), on_bad
        )
    for piece in pieces:
        for item in piece.items:
            yield item if isinstance(item, Batch) else (Origin(piece.file, item[0]), item[1])


def _pieces(
    source: Source, size: int, on_bad: BadRecordPolicy, decoder: RowDecoder, whole: Mapping[str, int],
    bad: list[BadRecord] | None = None, *, start: Start | None = None,
) -> Generator[Piece, None, None]:  # fmt: skip
    """What the readers take from the files, with what is in ``bad`` then; it is emptied."""
    bad = [] if bad is None else bad
    for file in _files(source):
        blocks: Iterable[Block | tuple[int, Header]]
        with _open(file) as stream:
            kind = _kind(stream, file)
            if kind == "parquet":
                blocks = ParquetReader(file, decoder, on_bad).blocks(size)
            else:
                begin, line = 0, 1
                if start is not None and start.file == file:
                    begin, line = start.byte, start.line
                    decoder.clocks[start.doc] = start.ts
                    stream.seek(begin)
                reader = JsonLinesReader(file, decoder, FASTEST, on_bad, first_line=line)
                blocks = reader.blocks(unpacked(stream, kind), size, begin, whole.get(file))
            for block in blocks:
                if isinstance(block, tuple):
                    piece = Piece(file, [block], bad.copy())
                else:
                    items = list(block.items())
                    piece = Piece(
                        file, items, bad.copy(), block.records, decoder.begins, decoder.disordered, block.complain
                    )  # fmt: skip
                bad.clear()
                yield piece
            if bad:
                yield Piece(file, [], bad.copy())
                bad.clear()


def _files(source: Source) -> list[str]:
    return [os.fspath(file) for file in listed(source)]


def _open(file: str) -> BinaryIO:
    try:
        return opened(file)
    except OSError as error:
        raise LogError(f"{file}: cannot be read: {error.strerror}") from error


def _kind(stream: BinaryIO, file: str) -> str:
    """What the file is by its first bytes: ``gzip``, ``zstd``, ``parquet``, else ``plain``."""
    with naming(file):
        start = cast("io.BufferedReader", stream).peek(4)
    kind = kind_of_log(start, file, file)
    if kind == "plain" and start.removeprefix(BOM_UTF8).lstrip()[:1] == b"<" and b"\n{" not in start:
        raise LogError(f"{file}: {no_log(start)}")
    return kind
