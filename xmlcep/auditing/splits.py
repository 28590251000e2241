"""Parts of files that are read by themselves: an audit that goes on reads what is new in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from ..documents.replica import Replica
from ..documents.snapshots import SnapshotError
from ..log import BadRecord, Batch, Header, Origin
from ..log.columns.blocks import Block
from ..log.decoding import RowDecoder
from ..log.json_codec import FASTEST
from ..log.jsonlines import JsonLinesReader
from ..log.opening import unpacked
from ..log.parquet import ParquetReader
from ..log.records import Aside, ClockRecord, Control
from ..xml_parser import NOT_XML
from .inputs import FilePart
from .quarantine import raw_record

BATCH_SIZE = 8192
# Blocks: of Arrow large, as each of its calls has a price of its own; of JSON so small that the values made of
# one stay in the processor's cache until they are freed.
ARROW_BLOCK = 32_768
LINES_BLOCK = 1024


class PartReader:
    """Reads a part of a file; ``lines`` is the number of its last record, once it is read.

    ``on_bad`` gets bad records with such numbers. ``check_text`` matters to `read`, of which records are applied to
    a document: it refuses text that no XML document can hold and headers with damaged snapshots. With ``controls``
    it hands out control records, too.
    """

    def __init__(
        self, part: FilePart, decoder: RowDecoder, on_bad: Callable[[BadRecord], None], *, check_text: bool = False,
        batch_size: int = BATCH_SIZE, controls: bool = False,
    ) -> None:  # fmt: skip
        self.part = part
        self.lines = 0
        self._decoder = decoder
        self._on_bad = on_bad
        self._check_text = check_text
        self._batch_size = batch_size
        self._asides: tuple[type, ...] = (Header, ClockRecord, *((Control,) if controls else ()))
        self._raw: BinaryIO | None = None

    def read(self) -> Iterator[tuple[int, Aside] | Batch]:
        """Headers, clock records and control records, each with its number, and batches of change records in file
        order."""
        for block in self.blocks(self._batch_size):
            yield from self.items(block)

    def items(self, block: Block | tuple[int, Header]) -> Iterator[tuple[int, Aside] | Batch]:
        """The items of one of the `blocks`, as `read` hands them out."""
        for item in (block,) if isinstance(block, tuple) else block.items():
            if not isinstance(item, Batch):
                number, aside = item
                if isinstance(aside, (ClockRecord, Control)) or (
                    isinstance(aside, Header) and self._is_sound(number, aside)
                ):
                    yield number, aside
            elif self._check_text:
                yield self._without_bad_text(item)
            else:
                yield item

    def blocks(self, size: int | None = None) -> Iterator[Block | tuple[int, Header]]:
        """The same records in blocks of ``size`` records at most. Those of lines are to be used before the next is
        asked for, the items of one of a Parquet file before those of another.

        The items of all blocks are those of `read` (without ``check_text``). A header of a JSON Lines file is an
        item of its block; that of a Parquet file comes by itself, before the first block.
        """
        if self.part.file.kind == "parquet":
            yield from self._arrow_blocks(size or ARROW_BLOCK)
        else:
            yield from self._lines_blocks(size or LINES_BLOCK)

    @property
    def position(self) -> int:
        """How far its file was read, in bytes as it is packed; 0 for a Parquet file and one that is not open."""
        return 0 if self._raw is None or self._raw.closed else self._raw.tell()

    def _arrow_blocks(self, size: int) -> Iterator[Block | tuple[int, Header]]:
        part = self.part
        reader = ParquetReader(part.file.path, self._decoder, self._on_bad, name=part.file.name)
        yield from reader.blocks(size)
        self.lines = reader.records

    def _lines_blocks(self, size: int) -> Iterator[Block]:
        file, start = self.part.file, self.part.start
        reader = JsonLinesReader(
            file.path, self._decoder, FASTEST, self._on_bad, asides=self._asides, name=file.name,
            first_line=self.part.first,
        )  # fmt: skip
        with Path(file.path).open("rb") as raw:
            self._raw = raw
            if start:
                raw.seek(start - 1)
                start += len(raw.readline()) - 1  # a line that the part before begins, or its end alone
            yield from reader.blocks(unpacked(raw, file.kind), size, start, self.part.end)
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
            self._on_bad(BadRecord(Origin(self.part.file.name, number), None, reason, raw))
            return False
        return True

    def _without_bad_text(self, batch: Batch) -> Batch:
        find = NOT_XML.search
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
