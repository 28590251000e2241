"""What tasks answer: findings, bad records, counts, as rows of one table; or findings as typed columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby
from operator import itemgetter
from typing import Any, NamedTuple

import pyarrow as pa

from ...events import CompositeEvent
from ...log import BadRecord
from ...log.json_codec import FASTEST
from ...log.quarantine import quarantine_line
from ..findings.columns import findings_schema, findings_table
from ..findings.order import Ranking
from ..quarantine import document_of
from .columns import batch_of

FINDING, BAD, DOCUMENT, FOUND, COUNTS, FAILURE = "finding", "bad", "document", "found", "counts", "failure"
PART, END = "part", "end"
"""What an answer is. Its ``content`` is the finding, a line of a quarantine file, or an object of counts, as JSON;
of a part it is what events over documents take (V11) under a value (``name``) at a time (``ts``), and the end is when
their time is over."""

_PLACE = pa.struct(
    [("time", pa.int64()), ("rank", pa.int32()), ("values", pa.list_(pa.string())), ("n", pa.int64())]
)
ANSWERS = pa.schema(
    [
        ("kind", pa.string()), ("doc", pa.string()), ("ts", pa.int64()), ("ids", pa.list_(pa.int64())),
        ("place", _PLACE), ("name", pa.string()), ("file", pa.string()), ("content", pa.binary()),
    ]
)  # fmt: skip
ORDER = ("place.time", "doc", "ts", "place.rank", "ids", "place.values", "place.n")
"""The total order of findings: those over documents behind all others, by time (V11); document, time point, event and
operator, node, values (V7), then as raised."""
_TOGETHER = 16  # findings: few, for each may have many constituents
_MOST_ROWS = 4096
_MOST_BYTES = 8 << 20


def typed_schema() -> pa.Schema:
    """The columns of findings, and their place among those of one document and time point."""
    return findings_schema().append(pa.field("place", _PLACE))


def typed(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Findings, one a row, with typed columns and their places."""
    for batch in batches:
        yield from _table(batch).append_column("place", batch["place"]).to_batches()


def columns(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Findings, one or several a row, with typed columns."""
    for batch in batches:
        yield from _table(batch).to_batches()


def _table(batch: pa.RecordBatch) -> pa.Table:
    return findings_table(
        map(FASTEST.loads, chain.from_iterable(map(bytes.splitlines, batch["content"].to_pylist())))
    )


def joined(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The contents of answers as lines, neighbours of one label together, as many as the driver may hold at once."""
    for batch in batches:
        rows = zip(batch["label"].to_pylist(), batch["content"].to_pylist(), strict=True)
        for label, its in groupby(rows, key=itemgetter(0)):
            while text := _up_to(_MOST_BYTES >> 3, (content for _, content in its)):
                yield pa.record_batch(
                    {"label": pa.array([label], pa.string()), "content": pa.array([text], pa.binary())}
                )


def _up_to(size: int, contents: Iterator[bytes]) -> bytes:
    """Lines until they have this size; what is left stays in the iterator."""
    lines: list[bytes] = []
    taken = 0
    for content in contents:
        lines.append(content if content.endswith(b"\n") else content + b"\n")
        taken += len(content)
        if taken >= size:
            break
    return b"".join(lines)


class Origin(NamedTuple):
    """Where a record is from: the file, its number, its offset in bytes, as far as its table says; ``place`` orders
    files."""

    file: str = ""
    record: int = 0
    offset: int | None = None
    place: str = ""


class Answers:
    """Rows that a task collects; ``typed``: findings only, in columns of their own."""

    def __init__(self, ranking: Ranking, *, typed: bool, together: bool = False) -> None:
        self._ranking = ranking
        self._together = _TOGETHER if together else 1
        self._typed = typed
        self._rows: list[tuple[Any, ...]] = []
        self._size = 0
        self.number = 0
        """That of the last finding."""

    def findings(
        self, composites: Sequence[CompositeEvent], time: int | None = None
    ) -> list[tuple[Any, ...]]:
        """Composites, which come in their order, as rows; ``time`` is the place in time of those over documents."""
        step = self._together
        return [self._finding(composites[at : at + step], time) for at in range(0, len(composites), step)]

    def parts(self, values: Iterable[str], time: int, doc: str, line: bytes) -> list[tuple[Any, ...]]:
        """A part of a document that events over documents take, as a row for each value that it belongs to."""
        self.number += 1
        return [(PART, doc, time, None, {"n": self.number}, value, None, line) for value in values]

    def end(self, time: int) -> None:
        """Says when time is over."""
        self._add(END, None, time, None, None, None, None, b"")

    def _finding(self, composites: Sequence[CompositeEvent], time: int | None) -> tuple[Any, ...]:
        """Neighbours in the order of findings as one row, in the place of the first."""
        ranking, composite = self._ranking, composites[0]
        cause = composite[7]
        self.number += 1
        place = {
            "time": time, "rank": ranking.number(composite), "values": ranking.values(composite), "n": self.number,
        }  # fmt: skip
        content = b"\n".join(map(ranking.encode, composites))
        return (
            FINDING,
            cause[8] if type(cause) is tuple else cause.doc,
            cause[0],
            composite[3],
            place,
            composite[0],
            None,
            content,
        )

    def add(self, rows: Sequence[tuple[Any, ...]]) -> None:
        """Takes rows of findings."""
        self._rows += rows
        self._size += sum(len(row[-1]) for row in rows)

    def adopt(self, other: Answers) -> None:
        """Takes what another one has collected."""
        self.add(other._rows)

    def bad(self, bad: BadRecord, origin: Origin, doc: str | None = None) -> None:
        """Takes a bad record; ``doc`` is its document if only the order tells that it is bad."""
        self.bad_line(quarantine_line(bad), origin, document_of(bad) if doc is None else doc)

    def bad_line(self, line: bytes, origin: Origin, doc: str | None) -> None:
        """Takes a line of a quarantine file."""
        place = {"n": origin.record}
        self._add(BAD, doc, None, None, place, None, origin.place or origin.file, line)

    def counts(self, kind: str, content: Any) -> None:
        """Takes what is counted of a document, or of all; or why it failed."""
        self._add(kind, content.get("doc"), None, None, None, None, None, FASTEST.dumps(content))

    def _add(self, *row: Any) -> None:
        if not self._typed:
            self._rows.append(row)
            self._size += len(row[-1])

    def take(self, *, rest: bool = False) -> Iterator[pa.RecordBatch]:
        """What there is, if it is much; or all."""
        if not self._rows or not (rest or len(self._rows) >= _MOST_ROWS or self._size >= _MOST_BYTES):
            return
        rows, self._rows, self._size = self._rows, [], 0
        batch = batch_of(ANSWERS, rows)
        if self._typed:
            yield from typed([batch])
        else:
            yield batch
