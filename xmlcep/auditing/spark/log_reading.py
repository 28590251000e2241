"""What tasks make of the files of a log: rows with the columns of `LOG`."""

from __future__ import annotations

import io
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pyarrow as pa

from ...log import BadRecord, Batch, ClockCheck, Header
from ...log.decoding import RowDecoder
from ...log.json_codec import FASTEST
from ...log.jsonlines import JsonLinesReader, doc_of_header
from ...log.opening import kind_of, unpacked
from ...log.parquet import ParquetReader
from ...log.quarantine import quarantine_line
from ...log.records import RAISED, Aside, ClockRecord, Control
from ...log.segments import first_of
from ..quarantine import document_of
from .columns import LOG, columns_of, with_columns
from .told import Names

_ROWS = 4096
_BLOCK = ("file", "block", "size", "lines", "bytes", "doc")
_IN_FILE = pa.schema([field for field in LOG if field.name not in ("file", "place")])


def lines_read(batches: Iterable[pa.RecordBatch], names: Names) -> Iterator[pa.RecordBatch]:
    """The records of lines of files, in their order: ``line``, ``file``, where the ``block`` of it begins that a task
    reads, how large it is (``size``), the lines and bytes ``before`` the block, the ``doc`` of its header."""
    known: tuple[Any, ...] = ()
    rows = _Rows("", names)
    for batch in batches:
        blocks = zip(*(batch[name].to_pylist() for name in _BLOCK), strict=True)
        by_block = groupby(zip(blocks, batch["line"].to_pylist(), strict=True), itemgetter(0))
        for block, its in by_block:
            lines = [line for _, line in its]
            if known != block:
                known = block
                yield from rows.take(rest=True)
                file, start, size, before, offset, doc = block
                rows = _Rows(file, names)
                number, offset = 1 + (before or 0), offset or 0
                header_doc = doc if start else doc_of_header(lines[0])
            text = b"\n".join((*lines, b""))
            if offset + len(text) == size + 1:
                text = text[:-1]  # the last line has no end
            yield from _lines(text, rows, header_doc, number, offset)
            number, offset = number + len(lines), offset + len(text)
    yield from rows.take(rest=True)


def _lines(
    text: bytes, rows: _Rows, doc: str | None, number: int = 1, offset: int = 0, kind: str = "plain"
) -> Iterator[pa.RecordBatch]:
    """The records of a text of this kind, which begins with the line of this number at this offset of its file."""
    reader = JsonLinesReader(
        rows.name, rows.decoder, FASTEST, rows.bad, first_line=number, asides=(Header, ClockRecord, Control)
    )  # fmt: skip
    reader.header_doc = doc
    with unpacked(io.BytesIO(text), kind) as stream:
        for block in reader.blocks(stream, _ROWS, offset):
            rows.items(block.items())
            yield from rows.take()


def files_read(batches: Iterable[pa.RecordBatch], names: Names) -> Iterator[pa.RecordBatch]:
    """The records of whole files, ``content``, each packed or Parquet."""
    for batch in batches:
        for file, content in zip(batch["file"].to_pylist(), batch["content"], strict=True):
            rows, data = _Rows(file, names), content.as_py()
            kind = kind_of(data[:4])
            if kind == "parquet":
                yield from _parquet(data, rows)
            else:
                yield from _lines(data, rows, _first_doc(data, kind), kind=kind)
            yield from rows.take(rest=True)


def _first_doc(data: bytes, kind: str) -> str | None:
    with suppress(OSError, EOFError, zlib.error), unpacked(io.BytesIO(data), kind) as stream:
        return doc_of_header(stream.readline())
    return None


def _parquet(data: bytes, rows: _Rows) -> Iterator[pa.RecordBatch]:
    reader = ParquetReader(data, rows.decoder, rows.bad, name=rows.name)
    for number, batch in reader.batches():
        if isinstance(batch, Header):
            rows.aside(number, batch)
            continue
        columns = _columns(batch, reader.header_doc)
        if columns is None:
            rows.items(reader.block(batch, number).items())
            yield from rows.take()
            continue
        yield from rows.take(rest=True)
        numbers = pa.array(range(number, number + len(batch)), pa.int64())
        yield rows.with_places(pa.record_batch(columns | {"record": numbers}))


def _columns(batch: pa.RecordBatch, doc: str | None) -> dict[str, Any] | None:
    """The columns as they are in our schema; None if they are not."""
    found = {}
    try:
        for name in batch.schema.names:
            found[name] = batch[name].cast(LOG.field(name).type)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return None
    if "doc" not in found:
        found["doc"] = pa.repeat(pa.scalar(doc, pa.string()), len(batch))
    return found


class _Rows:
    """Rows of one file."""

    def __init__(self, file: str, names: Names) -> None:
        self._named = names is None  # else the place says which it is
        path = unquote(urlsplit(file).path) if file.startswith("file:") else unquote(file)
        if names is None or path not in names:
            first, number = first_of(Path(path))
            self.name, self._place = path, f"{first.parent / first.name}\0{number:09}"
        else:
            place, self.name = names[path]
            self._place = f"{place:09}"
        self.decoder = RowDecoder(ClockCheck.ANY)
        self._rows: list[dict[str, Any]] = []

    def items(self, items: Iterable[tuple[int, Aside] | Batch]) -> None:
        """Takes change records and others."""
        for item in items:
            if isinstance(item, Batch):
                numbered = zip(item.rows, item.numbers, strict=True)
                self._rows += [columns_of(row) | {"record": number} for row, number in numbered]
            else:
                self.aside(*item)

    def aside(self, number: int, aside: Aside) -> None:
        """Takes a record that is not a change record."""
        if isinstance(aside, ClockRecord):
            clock = {"doc": aside.doc, "ts": aside.ts, "at": aside.at, "clock": True, "record": number}
            self._rows.append(clock)
            return
        if isinstance(aside, Header):
            said: dict[str, Any] = {"doc": aside.doc}
        elif aside.kind != RAISED:
            return
        else:
            doc, ts = aside.content.get("doc"), aside.content.get("ts")
            said = {
                "doc": doc if isinstance(doc, str) else None,
                "ts": ts if type(ts) is int and abs(ts) < 2**63 else None,
            }
        self._rows.append(said | {"aside": FASTEST.dumps(aside.to_record()).decode(), "record": number})

    def bad(self, bad: BadRecord) -> None:
        """Takes a bad record."""
        self._rows.append({"doc": document_of(bad), **FASTEST.loads(quarantine_line(bad))})

    def take(self, *, rest: bool = False) -> Iterator[pa.RecordBatch]:
        """What there is, if it is much; or all."""
        if self._rows and (rest or len(self._rows) >= _ROWS):
            rows, self._rows = self._rows, []
            yield self.with_places(pa.RecordBatch.from_pylist(rows, _IN_FILE))

    def with_places(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Records with what says which file they are from."""
        batch = batch.append_column("place", pa.repeat(self._place, len(batch)))
        if self._named:
            batch = batch.append_column("file", pa.repeat(self.name, len(batch)))
        return with_columns(LOG, batch)
