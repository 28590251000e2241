"""Reading and writing Parquet logs (needs pyarrow, the extra ``arrow``).

The header of a Parquet log is in the file's key-value metadata under ``xmlcep``; control records have no
place there. The column ``meta`` is a map of strings; JSON text is read as well.

One module because what is written here has to be what is read here: columns, their types, the place of the header.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..closing import Closing
from ..errors import MissingExtraError, RecordError
from ..events import PrimitiveEvent
from .batches import Batch, among, numbers_of
from .columns.accepted import as_read, is_list_of_integers, is_text, is_time
from .columns.arrow import WITH_FEW_VALUES, ArrowBlock, parts
from .columns.blocks import Item
from .decoding import FORM_OF_TUPLES, RowDecoder
from .errors import BadRecord, LogError, NewerFormatError, Origin
from .json_codec import STANDARD
from .quarantine import BadRecordPolicy
from .records import FIELDS, MARK, ClockRecord, Header, Row, is_clock, refuse_newer

if TYPE_CHECKING:
    import pyarrow

REQUIRED = ("ts", "op", "path", "ids")
COLUMNS = (*FIELDS, "more", "clock")
"""The columns of a Parquet log; of these only the required ones have to be there."""
DECODED = 32_768
"""How many records of a row group are decoded in one go."""


def arrow_schema() -> pyarrow.Schema:
    """The columns of a Parquet log."""
    pa = load_pyarrow()
    text, number = pa.string(), pa.int64()
    types = {
        "doc": text, "ts": number, "op": text, "path": text, "ids": pa.list_(number), "value": text,
        "old": text, "pos": number, "at": text, "txn": number, "meta": pa.map_(text, text), "more": pa.bool_(),
        "clock": pa.bool_(),
    }  # fmt: skip
    return pa.schema([pa.field(name, types[name]) for name in COLUMNS])


def load_pyarrow() -> Any:
    """The module pyarrow, with ``pyarrow.parquet``; raises `MissingExtraError` where it is not installed."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtraError("Parquet", "pyarrow", "arrow") from None
    return pyarrow


class RowGroup(NamedTuple):
    """A row group of a Parquet file: how many records it has, and how many bytes their fields take in the file."""

    records: int
    size: int


def row_groups(file: str, name: str | None = None) -> list[RowGroup]:
    """The row groups of a Parquet file (called ``name`` in messages); raises `LogError` for what is none."""
    with _readable(name or file) as pa, pa.OSFile(file) as source:
        about = pa.parquet.read_metadata(source)
        used = [index for index, each in enumerate(_column_names(about)) if each in COLUMNS]
        return [
            RowGroup(group.num_rows, sum(group.column(index).total_compressed_size for index in used))
            for group in map(about.row_group, range(about.num_row_groups))
        ]


def _column_names(about: Any) -> list[str]:
    schema = about.schema
    return [schema.column(index).path.partition(".")[0] for index in range(about.num_columns)]


@contextmanager
def _readable(name: str) -> Iterator[Any]:
    """PyArrow; what it says of a file that is no Parquet file, or a damaged one, becomes `LogError`."""
    pa = load_pyarrow()
    try:
        yield pa
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise LogError(f"{name}: not a readable Parquet file: {error}") from error


class ParquetReader:
    """Reads one file: the header, if it has one, then change records in batches, and
    clock records between them.

    Row groups are decoded one by one in steps of `DECODED` records, whatever the size of the batches asked for: a
    row group may be large, and what damage takes away must not depend on who reads. A step that cannot be decoded
    or holds values that cannot be (text that is not UTF-8) is one bad record, whose origin is the first
    record of the step. The steps before it are good; the rest of the row group is lost; the next one is read.

    ``file`` is a path or what the file holds, ``name`` what it is called in messages.
    """

    def __init__(
        self, file: str | bytes, decoder: RowDecoder, on_bad: BadRecordPolicy,
        *, name: str | None = None,
    ) -> None:  # fmt: skip
        self._source = file
        self._file = name or str(file)
        self._on_bad = on_bad
        self._records = ArrowRecords(self._file, decoder, on_bad)
        self.records = 0
        """How many records the row groups have, bad and lost ones included; known once reading has begun."""

    def blocks(self, batch_size: int) -> Iterator[tuple[int, Header] | ArrowBlock]:
        """The file's header, and its records in blocks; the items of one are to be used up before those of another.

        Raises `LogError` for a file that is not a Parquet log.
        """
        for number, batch in self.batches():
            if isinstance(batch, Header):
                yield number, batch
                continue
            for start in range(0, len(batch), batch_size):
                yield from self._records.blocks(batch.slice(start, batch_size), number + start)

    def batches(self) -> Iterator[tuple[int, Header | pyarrow.RecordBatch]]:
        """The same, records as they are decoded, each batch with the number of its first."""
        source, table = self._open()
        with source:
            names = self._check_columns(table.schema_arrow)
            header = self._header(table.metadata.metadata or {})
            if header is not None:
                self._records.header_doc = header.doc
                yield 0, header
            for number, batch in self._decoded(table, names):
                yield number, batch if header is None else _with_doc(batch, header.doc)

    def block(self, batch: pyarrow.RecordBatch, first: int) -> ArrowBlock:
        """One of these batches, or a part of it that begins with the record of this number, as a block."""
        return self._records.block(batch, first)

    @property
    def header_doc(self) -> str | None:
        """The document of records that name none, once reading has begun."""
        return self._records.header_doc

    def _open(self) -> tuple[Any, Any]:
        """The open file, which is to be closed, and its table."""
        # An open file: PyArrow looks into paths for file systems, twice, for a twentieth of a millisecond each.
        # What a row group has is read once, from this machine: no threads that read ahead.
        with _readable(self._file) as pa:
            source = (
                pa.OSFile(self._source) if isinstance(self._source, str) else pa.BufferReader(self._source)
            )
            opened = partial(pa.parquet.ParquetFile, source, pre_buffer=False)
            try:
                table = opened(read_dictionary=WITH_FEW_VALUES)
            except KeyError:  # one of these columns is not there
                about = pa.parquet.read_metadata(source)
                present = _column_names(about)
                encoded = [name for name in WITH_FEW_VALUES if name in present]
                table = opened(metadata=about, read_dictionary=encoded)
            return source, table

    def _decoded(self, table: Any, names: list[str]) -> Iterator[tuple[int, pyarrow.RecordBatch]]:
        """What can be decoded, each batch with the number of its first record; the rest goes to ``on_bad``."""
        sizes = [table.metadata.row_group(index).num_rows for index in range(table.metadata.num_row_groups)]
        self.records = sum(sizes)
        first = 1
        for index in range(len(sizes)):
            number = first
            try:
                for batch in _decoded_group(table, index, names):
                    yield number, batch
                    number += len(batch)
            except _DamageError as error:
                place = f"row group {index + 1} of {len(sizes)}"
                extent = f"records {first:,} to {first + sizes[index] - 1:,}"
                since = f" from record {number:,} on" if number > first else ""
                reason = f"{place} ({extent}) is damaged{since}: {error}"
                self._on_bad(BadRecord(Origin(self._file, number), None, reason, b""))
            first += sizes[index]

    def _check_columns(self, schema: pyarrow.Schema) -> list[str]:
        """The columns to read; raises `LogError` when needed ones are missing or of another type."""
        types = load_pyarrow().types
        expected = {
            "doc": is_text, "ts": types.is_integer, "op": is_text, "path": is_text, "ids": is_list_of_integers,
            "value": is_text, "old": is_text, "pos": types.is_integer, "at": is_time, "txn": types.is_integer,
            "meta": _any_of(types.is_map, types.is_struct, is_text), "more": types.is_boolean,
            "clock": types.is_boolean,
        }  # fmt: skip
        present = schema.names
        twice = [name for name in COLUMNS if present.count(name) > 1]
        if twice:
            raise LogError(
                f"{self._file}: not a change log: it has the column {twice[0]} more than once: write each once"
            )
        wrong = [name for name in REQUIRED if name not in present]
        for name in COLUMNS:
            if name in present:
                given = schema.field(name).type
                if not (expected[name](given) or types.is_null(given)):
                    wrong.append(f"{name} ({given})")
        if wrong:
            raise LogError(
                f"{self._file}: not a change log: columns missing or of another type: {', '.join(wrong)}."
                f" It has {', '.join(present) or 'none'}; a change log has"
                " doc string, ts int64, op string, path string, ids list<int64>, value string, old string,"
                " pos int64, at string, txn int64, meta map<string, string>, more bool, clock bool"
            )
        return [name for name in COLUMNS if name in present]

    def _header(self, metadata: dict[bytes, bytes]) -> Header | None:
        content = metadata.get(MARK.encode())
        if content is None:
            return None
        try:
            record = STANDARD.loads(content)
            if not isinstance(record, dict) or type(record.get(MARK)) is not int:
                raise RecordError("no format version")
            refuse_newer(record[MARK], self._file)
            return Header.from_record(record)
        except NewerFormatError:
            raise
        except ValueError as error:
            self._on_bad(BadRecord(Origin(self._file, 0), None, f"the header is damaged: {error}", content))
            return None


def _with_doc(batch: pyarrow.RecordBatch, doc: str) -> pyarrow.RecordBatch:
    """The batch with this document where a record names none."""
    names = batch.schema.names
    if "doc" not in names or not batch["doc"].null_count:
        return batch
    docs = [doc if each is None else each for each in batch["doc"].to_pylist()]
    return batch.set_column(names.index("doc"), "doc", load_pyarrow().array(docs, "string"))


class ArrowRecords:
    """The records of Arrow batches of a file, in blocks: the one judge of what is bad in a batch.

    ``header_doc`` is the document of records that name none.
    """

    def __init__(self, file: str, decoder: RowDecoder, on_bad: BadRecordPolicy) -> None:
        self.header_doc: str | None = None
        self._file = file
        self._decoder = decoder
        self._on_bad = on_bad
        self._items: list[tuple[Any, ...]] = []
        self._rows: list[Row] = []
        self._clock: list[bool | None] = []
        self._clocks: list[tuple[int, int, ClockRecord]] = []  # behind how many rows, number, record
        self._first = 1  # number of the first record of `_items`

    def blocks(self, batch: pyarrow.RecordBatch, first: int) -> Iterator[ArrowBlock]:
        """A batch, the first record of which has this number, in blocks."""
        for start, end in parts(batch):
            yield self.block(batch.slice(start, end - start), first + start)

    def block(self, batch: pyarrow.RecordBatch, first: int) -> ArrowBlock:
        """A batch as one block."""
        items, complain = partial(self._items_of, batch, first), partial(self._complain, batch, first)
        return ArrowBlock(batch, items, complain, self.header_doc, first)

    def _items_of(self, batch: pyarrow.RecordBatch, first: int) -> Iterator[Item]:
        self._clocks = []
        source = self._load(batch, first)
        rows = self._rows = []
        skipped: list[int] = []
        self._decoder.decode(iter(source), FORM_OF_TUPLES, rows, skipped, self._irregular)
        yield from among(Batch(self._file, rows, numbers_of(rows, first, skipped)), self._clocks)

    def _load(self, batch: pyarrow.RecordBatch, first: int) -> list[Any]:
        """Takes the values of records, the first of which has this number; what is to be decoded of them."""
        self._first = first
        nothing: list[Any] = [None] * len(batch)
        columns = dict.fromkeys(COLUMNS, nothing)
        columns |= {name: batch.column(name).to_pylist() for name in batch.schema.names if name in columns}
        if "doc" not in batch.schema.names:
            columns["doc"] = [self.header_doc] * len(batch)
        columns["meta"] = list(map(_meta, columns["meta"]))
        self._clock = columns.pop("clock")
        self._items = list(zip(*columns.values(), strict=True))
        # Clock records are looked at closely, whatever else they have.
        return [None if clock else item for clock, item in zip(self._clock, self._items, strict=True)]

    def _record(self, index: int) -> dict[str, Any]:
        """One of the records whose values were taken last."""
        record = dict(zip(COLUMNS, self._items[index], strict=False))
        if record.get("more") is None:  # what it says must not depend on the records beside it
            record.pop("more", None)
        if self._clock[index]:
            record["clock"] = True
        return record

    def _irregular(self, index: int) -> Row | None:
        record = self._record(index)
        try:
            if is_clock(record):
                clock = self._decoder.admit_clock(record, self.header_doc)
                self._clocks.append((len(self._rows), self._first + index, clock))
                return None
            return self._decoder.admit(record, self.header_doc)
        except RecordError as error:
            self._on_bad(self._bad(record, self._first + index, str(error)))
            return None

    def _complain(self, batch: pyarrow.RecordBatch, first: int, number: int, reason: str) -> BadRecord:
        """The bad record with this number in a batch, the first record of which has the number ``first``."""
        self._load(batch.slice(number - first, 1), number)
        return self._bad(self._record(0), number, reason)

    def _bad(self, record: dict[str, Any], number: int, reason: str) -> BadRecord:
        raw = json.dumps(record, ensure_ascii=False, default=str).encode()
        return BadRecord(Origin(self._file, number), None, reason, raw)


class _DamageError(Exception):
    """Part of a row group cannot be decoded."""


def _decoded_group(table: Any, index: int, names: list[str]) -> Iterator[pyarrow.RecordBatch]:
    """The records of a row group, `DECODED` at a time; raises `_DamageError` for what is not as it should be."""
    pa = load_pyarrow()
    left = table.metadata.row_group(index).num_rows
    try:
        for batch in table.iter_batches(DECODED, row_groups=[index], columns=names, use_threads=False):
            batch.validate(full=True)
            if len(batch) > left:
                break
            left -= len(batch)
            yield as_read(batch)
    except (pa.ArrowException, OSError) as error:
        raise _DamageError(str(error)) from error
    if left:
        raise _DamageError(f"{left:,} records are missing or too many")


def _any_of(*tests: Any) -> Any:
    return lambda given: any(test(given) for test in tests)


def _meta(value: Any) -> Any:
    """The meta of a record from a map (list of pairs), a struct (dict with nulls) or JSON text."""
    if isinstance(value, list):
        return dict(value)
    if isinstance(value, dict):
        return {key: text for key, text in value.items() if text is not None}
    if isinstance(value, str):
        try:
            return STANDARD.loads(value.encode())
        except ValueError:
            return value  # not an object: found by the checks
    return value


def _values_of(record: Row | PrimitiveEvent | ClockRecord) -> tuple[Any, ...]:
    if isinstance(record, ClockRecord):
        return (record.ts, *[None] * 6, record.at, record.doc, None, None, None, True)
    return (*record, None)


class ParquetWriter(Closing):
    """Writes a Parquet log: zstd, ``group_size`` records per row group. It can be read only after `close`."""

    def __init__(self, path: str | Path, header: Header | None = None, *, group_size: int = 65_536) -> None:
        pa = self._pa = load_pyarrow()
        self._schema = arrow_schema()
        self._group_size = group_size
        self._rows: list[Row | PrimitiveEvent | ClockRecord] = []
        self._writer = pa.parquet.ParquetWriter(str(path), self._schema, compression="zstd")
        if header is not None:
            # Of the file, not of the schema: that is stored once more as a whole, in base64.
            self._writer.add_key_value_metadata({MARK: STANDARD.dumps(header.to_record())})

    def write(self, record: Row | PrimitiveEvent | ClockRecord) -> None:
        """Appends a change record or a clock record."""
        self._rows.append(record)
        if len(self._rows) == self._group_size:
            self._write_group()

    def write_all(self, records: Iterable[Row | PrimitiveEvent | ClockRecord]) -> None:
        """Appends change and clock records."""
        for record in records:
            self.write(record)

    def _write_group(self) -> None:
        pa = self._pa
        ts, op, path, ids, value, old, pos, at, doc, txn, meta, more, clock = zip(
            *map(_values_of, self._rows), strict=True
        )
        by_name = {
            "doc": doc, "ts": ts, "op": op, "path": [None if p is None else str(p) for p in path], "ids": ids,
            "value": value, "old": old, "pos": pos, "at": at, "txn": txn,
            "meta": [None if m is None else list(m.items()) for m in meta],
            "more": [each or None for each in more], "clock": clock,
        }  # fmt: skip
        arrays = [pa.array(by_name[field.name], field.type) for field in self._schema]
        self._writer.write_table(pa.Table.from_arrays(arrays, schema=self._schema))
        self._rows.clear()

    def close(self) -> None:
        """Writes what is left and completes the file."""
        if self._rows:
            self._write_group()
        self._writer.close()
