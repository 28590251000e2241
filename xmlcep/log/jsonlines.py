"""Reading JSON Lines logs."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from functools import cached_property, partial
from typing import Any, BinaryIO

from ..errors import RecordError
from ..files import other_encoding
from .batches import Batch, among, numbers_of
from .columns.blocks import Block
from .decoding import FORM_OF_OBJECTS, RowDecoder
from .errors import BadRecord, Origin
from .json_codec import STANDARD, DuplicateKeyError, JsonCodec, key_bounds, refuse_repeated_keys
from .opening import damaged, first_line, line_blocks
from .quarantine import BadRecordPolicy
from .records import FIELDS, MARK, Aside, ClockRecord, Control, Header, Row, is_clock, refuse_newer

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class JsonLinesReader:
    """Reads one file or a part of it: other records as they are there, change records in batches.

    ``asides`` are the kinds of records that are handed out besides change records; others are left out. ``name`` is
    what the file is called in messages.
    """

    def __init__(
        self, file: str, decoder: RowDecoder, codec: JsonCodec, on_bad: BadRecordPolicy,
        *, asides: tuple[type, ...] = (Header, Control, ClockRecord), name: str | None = None, first_line: int = 1,
    ) -> None:  # fmt: skip
        self._path = file
        self._file = name or file
        self._wanted_asides = asides
        self._decoder = decoder
        self._codec = codec
        self._on_bad = on_bad
        self._lines: list[bytes] = []
        self._first = first_line  # number of the first line of `_lines`
        self._offset = 0  # where it starts
        self._rows: list[Row] = []
        self._asides: list[tuple[int, int, Aside]] = []  # behind how many rows, line, what

    @property
    def lines(self) -> int:
        """How many lines were read, once reading is over."""
        return self._first - 1

    def blocks(
        self, stream: BinaryIO, batch_size: int, start: int = 0, end: int | None = None
    ) -> Iterator[Block]:
        """The lines in blocks, each to be used before the next is asked for.

        For a part of a file ``stream`` is at byte ``start``, where a line begins, and lines that begin at byte
        ``end`` or later are left out. Numbers then count from ``first_line`` at ``start``; offsets are those in the
        file.
        """
        damage: Exception | None = None
        self._offset = start
        found = line_blocks(stream, batch_size, self._file)
        while end is None or self._offset < end:
            try:
                self._lines = next(found, [])
            except (EOFError, OSError, zlib.error) as error:
                damage = error  # what was unpacked before the damage is good
                break
            if not self._lines:
                break
            following = self._offset + sum(map(len, self._lines))
            if end is not None and following > end:
                self._leave_out_from(end)
            if self._offset == 0 and self._lines[0].startswith(_BYTE_ORDER_MARK):
                self._lines[0] = self._lines[0][len(_BYTE_ORDER_MARK) :]
                self._offset = len(_BYTE_ORDER_MARK)
            complain = partial(self._bad, self._lines, self._first, self._offset)
            yield Block(self._read_lines, complain, len(self._lines), self._first)
            self._first += len(self._lines)
            self._offset = following
        if damage is not None:
            reason = damaged(damage)
            self._on_bad(BadRecord(Origin(self._file, self._first), self._offset, reason, b""))

    def _leave_out_from(self, end: int) -> None:
        """Drops the lines that begin at this byte or later."""
        begin = self._offset
        for index, line in enumerate(self._lines):
            if begin >= end:
                del self._lines[index:]
                return
            begin += len(line)

    def _read_lines(self) -> Iterator[tuple[int, Aside] | Batch]:
        self._rows, self._asides = [], []
        rows, asides = self._rows, self._asides
        skipped: list[int] = []
        bounds = key_bounds(self._lines)
        records: Iterator[Any]
        if set(bounds) == {len(FIELDS)}:  # a record that has all of these has no key twice
            records = map(self._codec.loads, self._lines)
        else:
            records = map(self._record, self._lines, bounds)
        self._decoder.decode(records, FORM_OF_OBJECTS, rows, skipped, self._irregular)
        numbers = numbers_of(rows, self._first, skipped)
        yield from among(Batch(self._file, rows, numbers), asides)

    @cached_property
    def header_doc(self) -> str | None:
        """The document that the file's first line names, if that is a header: it is known to all parts of the file.

        Whoever knows it, and has no such file, sets it.
        """
        try:
            return doc_of_header(first_line(self._path))
        except (OSError, EOFError, zlib.error):
            return None

    def _record(self, line: bytes, bound: int) -> Any:
        record = self._codec.loads(line)
        refuse_repeated_keys(line, record, bound)
        return record

    def _irregular(self, index: int) -> Row | None:
        """Looks closely at a line that the fast way could not use."""
        line = self._lines[index]
        origin = Origin(self._file, self._first + index)
        if not line.strip():
            return None
        try:
            try:
                record = STANDARD.loads(line)
            except DuplicateKeyError as error:
                raise RecordError(f"{error}: it is not known which value is meant") from error
            except ValueError as error:
                if encoded := other_encoding(line):
                    raise RecordError(f"not a JSON object: it is {encoded}") from error
                cut_off = "" if line.endswith(b"\n") else "the last line is cut off: "
                raise RecordError(f"{cut_off}not a JSON object: {error}") from error
            if not isinstance(record, dict):
                raise RecordError(f"not a JSON object but {type(record).__name__}")
            header_doc = self.header_doc if record.get("doc") is None else None
            aside: Aside
            if MARK in record:
                aside = _aside(record, origin)
            elif is_clock(record):
                aside = self._decoder.admit_clock(record, header_doc)
            else:
                return self._decoder.admit(record, header_doc)
            if isinstance(aside, self._wanted_asides):
                self._asides.append((len(self._rows), origin.record, aside))
        except RecordError as error:
            self._on_bad(self._bad(self._lines, self._first, self._offset, origin.record, str(error)))
        return None

    def _bad(self, lines: Sequence[bytes], first: int, offset: int, number: int, reason: str) -> BadRecord:
        """The bad record with this number among lines, the first of which has a number and an offset."""
        line, before = lines[number - first], lines[: number - first]
        origin = Origin(self._file, number)
        torn = not line.endswith(b"\n")
        return BadRecord(origin, offset + sum(map(len, before)), reason, line.rstrip(b"\r\n"), torn)


def doc_of_header(line: bytes) -> str | None:
    """The document that a file's first line names, if it is a header."""
    try:
        record = STANDARD.loads(line.removeprefix(_BYTE_ORDER_MARK))
        header = _aside(record, Origin("", 1)) if MARK in record else None
    except (ValueError, TypeError):
        return None
    return header.doc if isinstance(header, Header) else None


def _aside(record: dict[str, object], origin: Origin) -> Header | Control:
    """The header or control record that a record with the format mark is."""
    version = record[MARK]
    if type(version) is not int or version < 1:
        raise RecordError(f"{MARK} is {version!r}: expected the format version, a whole number from 1 on")
    refuse_newer(version, origin)
    return Control.from_record(record) if "control" in record else Header.from_record(record)
