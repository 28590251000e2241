"""Reading and writing Parquet logs (needs pyarrow, the extra ``arrow``).

The header of a Parquet log stands in the file's key-value metadata under ``xmlcep``; control records have no
place there. The column ``meta`` is a map of strings; JSON text is read as well.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from ..errors import MissingExtraError, RecordError
from ..events import PrimitiveEvent
from .arrow_columns import WITH_FEW_VALUES, ArrowBlock
from .batches import Batch
from .decoding import RowDecoder
from .errors import BadRecord, LogError, NewerFormatError, Origin
from .json_codec import STANDARD
from .quarantine import BadRecordPolicy
from .records import FIELDS, FORMAT_VERSION, MARK, Header, Row

if TYPE_CHECKING:
    import pyarrow

REQUIRED = ("ts", "op", "path", "ids")


def arrow_schema() -> pyarrow.Schema:
    """The columns of a Parquet log."""
    pa = load_pyarrow()
    text, number = pa.string(), pa.int64()
    types = {
        "doc": text, "ts": number, "op": text, "path": text, "ids": pa.list_(number), "value": text,
        "old": text, "pos": number, "at": text, "txn": number, "meta": pa.map_(text, text),
    }  # fmt: skip
    return pa.schema([pa.field(name, types[name]) for name in FIELDS])


def load_pyarrow() -> Any:
    """The module pyarrow, with ``pyarrow.parquet``; raises `MissingExtraError` where it is not installed."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtraError("a Parquet log", "pyarrow", "arrow") from None
    return pyarrow


class ParquetReader:
    """Reads one file: its header, if it has one, then its records in batches."""

    def __init__(self, file: str, decoder: RowDecoder, on_bad: BadRecordPolicy) -> None:
        self._file = file
        self._decoder = decoder
        self._on_bad = on_bad
        self._items: list[tuple[Any, ...]] = []
        self._first = 1
        self._header_doc: str | None = None  # the document of records that name none

    def read(self, batch_size: int) -> Iterator[tuple[int, Header] | Batch]:
        """The file's header and records; raises `LogError` for a file that is not a Parquet log."""
        for item in self.blocks(batch_size):
            if isinstance(item, ArrowBlock):
                yield from item.items()
            else:
                yield item

    def blocks(self, batch_size: int) -> Iterator[tuple[int, Header] | ArrowBlock]:
        """Like `read`, with blocks of records, each to be used before the next is asked for."""
        pa = load_pyarrow()
        try:
            about = pa.parquet.read_metadata(self._file)
            present = {about.schema.column(index).path for index in range(about.num_columns)}
            encoded = [name for name in WITH_FEW_VALUES if name in present]
            table = pa.parquet.ParquetFile(self._file, metadata=about, read_dictionary=encoded)
        except (pa.ArrowException, OSError) as error:
            raise LogError(f"{self._file}: not a readable Parquet file: {error}") from error
        with table:
            names = self._check_columns(table.schema_arrow)
            header = self._header(table.schema_arrow.metadata or {})
            if header is not None:
                self._header_doc = header.doc
                yield 0, header
            batches = table.iter_batches(batch_size=batch_size, columns=names, use_threads=False)
            while True:
                try:
                    batch = next(batches, None)
                except (pa.ArrowException, OSError) as error:
                    reason = f"the file is damaged from here on: {error}"
                    self._on_bad(BadRecord(Origin(self._file, self._first), None, reason, b""))
                    return
                if batch is None:
                    return
                yield ArrowBlock(batch, partial(self._rows, batch), self._header_doc)
                self._first += len(batch)

    def _rows(self, batch: pyarrow.RecordBatch) -> Iterator[Batch]:
        nothing = [None] * len(batch)
        present = batch.schema.names
        columns = [batch.column(name).to_pylist() if name in present else nothing for name in FIELDS]
        if "doc" not in present:
            columns[0] = [self._header_doc] * len(batch)
        if batch.column(FIELDS[-1]).null_count != len(batch) if FIELDS[-1] in present else False:
            columns[-1] = list(map(_meta, columns[-1]))
        self._items = list(zip(*columns, strict=True))
        rows: list[Row] = []
        skipped: list[int] = []
        self._decoder.decode(iter(self._items), rows, skipped, self._irregular)
        numbers: range | list[int] = range(self._first, self._first + len(rows))
        if skipped:
            left_out = set(skipped)
            numbers = [self._first + i for i in range(len(self._items)) if i not in left_out]
        if rows:
            yield Batch(self._file, rows, numbers)

    def _irregular(self, index: int) -> Row | None:
        record = dict(zip(FIELDS, self._items[index], strict=True))
        try:
            return self._decoder.admit(record, self._header_doc)
        except RecordError as error:
            raw = json.dumps(record, ensure_ascii=False, default=str).encode()
            self._on_bad(BadRecord(Origin(self._file, self._first + index), None, str(error), raw))
            return None

    def _check_columns(self, schema: pyarrow.Schema) -> list[str]:
        """The columns to read; raises `LogError` when needed ones are missing or of another type."""
        types = load_pyarrow().types
        text = _any_of(types.is_string, types.is_large_string, types.is_dictionary)
        expected = {
            "doc": text, "ts": types.is_integer, "op": text, "path": text, "ids": _is_list_of_integers,
            "value": text, "old": text, "pos": types.is_integer, "at": text, "txn": types.is_integer,
            "meta": _any_of(types.is_map, types.is_struct, text),
        }  # fmt: skip
        wrong = [name for name in REQUIRED if name not in schema.names]
        for name in FIELDS:
            if name in schema.names:
                given = schema.field(name).type
                if not (expected[name](given) or types.is_null(given)):
                    wrong.append(f"{name} ({given})")
        if wrong:
            raise LogError(
                f"{self._file}: not a change log: columns missing or of another type: {', '.join(wrong)}."
                f" It has {', '.join(schema.names) or 'none'}; a change log has"
                " doc string, ts int64, op string, path string, ids list<int64>, value string, old string,"
                " pos int64, at string, txn int64, meta map<string, string>"
            )
        return [name for name in FIELDS if name in schema.names]

    def _header(self, metadata: dict[bytes, bytes]) -> Header | None:
        content = metadata.get(MARK.encode())
        if content is None:
            return None
        try:
            record = STANDARD.loads(content)
            if not isinstance(record, dict) or type(record.get(MARK)) is not int:
                raise RecordError("no format version")
            if record[MARK] > FORMAT_VERSION:
                raise NewerFormatError(
                    f"{self._file}: written in log format {record[MARK]}; this release of xmlcep reads"
                    f" formats up to {FORMAT_VERSION}: install a newer one"
                )
            return Header.from_record(record)
        except NewerFormatError:
            raise
        except ValueError as error:
            self._on_bad(BadRecord(Origin(self._file, 0), None, f"the header is damaged: {error}", content))
            return None


def _any_of(*tests: Any) -> Any:
    return lambda given: any(test(given) for test in tests)


def _is_list_of_integers(given: Any) -> bool:
    types = load_pyarrow().types
    return bool((types.is_list(given) or types.is_large_list(given)) and types.is_integer(given.value_type))


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


class ParquetWriter:
    """Writes a Parquet log: zstd, ``group_size`` records per row group. It can be read only after `close`."""

    def __init__(self, path: str | Path, header: Header | None = None, *, group_size: int = 65_536) -> None:
        pa = self._pa = load_pyarrow()
        schema = arrow_schema()
        if header is not None:
            schema = schema.with_metadata({MARK: STANDARD.dumps(header.to_record())})
        self._schema = schema
        self._group_size = group_size
        self._rows: list[Row | PrimitiveEvent] = []
        self._writer = pa.parquet.ParquetWriter(str(path), schema, compression="zstd")

    def write(self, event: Row | PrimitiveEvent) -> None:
        """Appends a change record."""
        self._rows.append(event)
        if len(self._rows) == self._group_size:
            self._write_group()

    def write_all(self, events: Iterable[Row | PrimitiveEvent]) -> None:
        """Appends change records."""
        for event in events:
            self.write(event)

    def _write_group(self) -> None:
        pa = self._pa
        ts, op, path, ids, value, old, pos, at, doc, txn, meta = zip(*self._rows, strict=True)
        by_name = {
            "doc": doc, "ts": ts, "op": op, "path": list(map(str, path)), "ids": ids, "value": value, "old":
            old, "pos": pos, "at": at, "txn": txn,
            "meta": [None if m is None else list(m.items()) for m in meta],
        }  # fmt: skip
        arrays = [pa.array(by_name[field.name], field.type) for field in self._schema]
        self._writer.write_table(pa.Table.from_arrays(arrays, schema=self._schema))
        self._rows.clear()

    def close(self) -> None:
        """Writes what is left and completes the file."""
        if self._rows:
            self._write_group()
        self._writer.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
