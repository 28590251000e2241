"""What tasks make of the files of a log: rows with the columns of `LOG`."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping
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
from ...log.records import RAISED, Aside, ClockRecord, Control, Row
from ...log.segments import first_of
from ..quarantine import document_of
from .columns import LOG, batch_of, with_columns

_ROWS = 4096
_PLACES = {name: place for place, name in enumerate(LOG.names)}
_NOTHING = (None,) * len(LOG)

Names = Mapping[str, tuple[int, str]] | None
"""By path: the place of a file among all, and what it is called in messages."""


def lines_read(batches: Iterable[pa.RecordBatch], names: Names) -> Iterator[pa.RecordBatch]:
    """The records of lines of files, in their order: ``line``, ``file``, where the ``block`` of it begins that a task
    reads, how large it is (``size``), the lines and bytes ``before`` the block, the ``doc`` of its header."""
    known: tuple[Any, ...] = ()
    rows = _Rows("", names)
    number = offset = 0
    header_doc = None
    for batch in batches:
        lines = batch["line"].to_pylist()
        where = list(
            zip(
                *(batch[name].to_pylist() for name in ("file", "block", "size", "lines", "bytes", "doc")),
                strict=True,
            )
        )
        start = 0
        while start < len(lines):
            end = next((i for i in range(start, len(lines)) if where[i][:2] != where[start][:2]), len(lines))
            file, block, size, before, bytes_before, doc = where[start]
            if known != (file, block):
                known = (file, block)
                yield from rows.take(rest=True)
                rows = _Rows(file, names)
                number, offset = 1 + (before or 0), bytes_before or 0
                header_doc = doc if block else doc_of_header(lines[start])
            text = b"\n".join((*lines[start:end], b""))
            if offset + len(text) == size + 1:
                text = text[:-1]  # the last line has no end
            reader = JsonLinesReader(
                rows.name, rows.decoder, FASTEST, rows.bad, first_line=number, asides=(Header, ClockRecord, Control)
            )  # fmt: skip
            reader.header_doc = header_doc
            for lines_block in reader.blocks(io.BytesIO(text), _ROWS, offset):
                rows.items(lines_block.items())
                yield from rows.take()
            number, offset, start = number + end - start, offset + len(text), end
    yield from rows.take(rest=True)


def files_read(batches: Iterable[pa.RecordBatch], names: Names) -> Iterator[pa.RecordBatch]:
    """The records of whole files, ``content``, each packed or Parquet."""
    for batch in batches:
        for file, content in zip(batch["file"].to_pylist(), batch["content"], strict=True):
            rows = _Rows(file, names)
            data = content.as_py()
            if kind_of(data[:4]) == "parquet":
                yield from _parquet(data, rows)
                continue
            yield from _packed(data, rows)
            yield from rows.take(rest=True)


def _packed(data: bytes, rows: _Rows) -> Iterator[pa.RecordBatch]:
    kind = kind_of(data[:4])
    reader = JsonLinesReader(
        rows.name, rows.decoder, FASTEST, rows.bad, asides=(Header, ClockRecord, Control)
    )
    with _unpacked(data, kind) as stream:
        reader.header_doc = _first_doc(data, kind)
        for block in reader.blocks(stream, _ROWS):
            rows.items(block.items())
            yield from rows.take()


def _unpacked(data: bytes, kind: str) -> Any:
    return unpacked(io.BytesIO(data), kind)


def _first_doc(data: bytes, kind: str) -> str | None:
    try:
        return doc_of_header(_unpacked(data, kind).readline())
    except (OSError, EOFError):
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
        yield rows.with_places(columns | {"record": numbers}, len(batch))
    yield from rows.take(rest=True)


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
        self._rows: list[tuple[Any, ...]] = []

    def items(self, items: Iterable[tuple[int, Aside] | Batch]) -> None:
        """Takes change records and others."""
        for item in items:
            if isinstance(item, Batch):
                self._rows += map(_change, item.rows, item.numbers)
            else:
                self.aside(*item)

    def aside(self, number: int, aside: Aside) -> None:
        """Takes a record that is not a change record."""
        if isinstance(aside, ClockRecord):
            self._add(doc=aside.doc, ts=aside.ts, at=aside.at, clock=True, record=number)
        elif isinstance(aside, Header):
            text = FASTEST.dumps(aside.to_record()).decode()
            self._add(doc=aside.doc, aside=text, record=number)
        elif aside.kind == RAISED:
            doc, ts = aside.content.get("doc"), aside.content.get("ts")
            self._add(
                doc=doc if isinstance(doc, str) else None, ts=ts if type(ts) is int and abs(ts) < 2**63 else None,
                aside=FASTEST.dumps(aside.to_record()).decode(), record=number,
            )  # fmt: skip

    def bad(self, bad: BadRecord) -> None:
        """Takes a bad record."""
        line = FASTEST.loads(quarantine_line(bad))
        names = ("record", "offset", "reason", "raw", "raw_base64")
        self._add(doc=document_of(bad), **{name: line.get(name) for name in names})

    def take(self, *, rest: bool = False) -> Iterator[pa.RecordBatch]:
        """What there is, if it is much; or all."""
        if self._rows and (rest or len(self._rows) >= _ROWS):
            rows, self._rows = self._rows, []
            batch = batch_of(LOG, rows)
            yield self.with_places(dict(zip(LOG.names, batch.columns, strict=True)), len(rows))

    def with_places(self, columns: dict[str, Any], count: int) -> pa.RecordBatch:
        """Columns with those that say which file it is; others are null."""
        columns["place"] = pa.repeat(self._place, count)
        if self._named:
            columns["file"] = pa.repeat(self.name, count)
        return with_columns(LOG, columns, count)

    def _add(self, **values: Any) -> None:
        row = list(_NOTHING)
        for name, value in values.items():
            row[_PLACES[name]] = value
        self._rows.append(tuple(row))


def _change(row: Row, number: int) -> tuple[Any, ...]:
    ts, op, path, ids, value, old, pos, at, doc, txn, meta, more = row
    pairs = None if meta is None else list(meta.items())
    return (
        doc, ts, op, str(path), ids, value, old, pos, at, txn, pairs, more or None, None, None, None, number,
        *_NOTHING[:5],
    )  # fmt: skip
