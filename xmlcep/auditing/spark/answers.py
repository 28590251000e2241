"""What tasks answer: findings, bad records, counts, as rows of one table; findings as typed columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby
from operator import itemgetter
from typing import Any, NamedTuple, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from ...events import CompositeEvent
from ...log import BadRecord
from ...log.json_codec import FASTEST
from ...log.quarantine import quarantine_line
from ..failures import ReplayError
from ..findings.columns import findings_schema, findings_table
from ..findings.order import Ranking
from ..quarantine import document_of

Answer: TypeAlias = dict[str, Any]
"""A row of `ANSWERS`."""
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
    """Findings, one a row, with typed columns and their places; raises `ReplayError` at a document that failed."""
    for batch in batches:
        for line in batch.filter(pc.equal(batch["kind"], FAILURE))["content"].to_pylist():
            failed = FASTEST.loads(line)
            raise ReplayError(f"document {failed['doc']!r} cannot be replayed: {failed['failure'][2]}")
        found = batch.filter(pc.equal(batch["kind"], FINDING))
        yield from _table(found).append_column("place", found["place"]).to_batches()


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
    """Rows that a task collects."""

    def __init__(self, ranking: Ranking, *, together: bool = False) -> None:
        self._ranking = ranking
        self._together = _TOGETHER if together else 1
        self._rows: list[Answer] = []
        self._size = 0
        self.number = 0
        """That of the last finding."""
        self._found: dict[str, Counter[str]] = {}

    def findings(self, composites: Sequence[CompositeEvent], time: int | None = None) -> list[Answer]:
        """Composites, which come in their order, as rows; ``time`` is the place in time of those over documents."""
        step = self._together
        return [self._finding(composites[at : at + step], time) for at in range(0, len(composites), step)]

    def parts(self, values: Iterable[str], time: int, doc: str, line: bytes) -> list[Answer]:
        """A part of a document that events over documents take, as a row for each value that it belongs to."""
        self.number += 1
        part = {"kind": PART, "doc": doc, "ts": time, "place": {"n": self.number}, "content": line}
        return [part | {"name": value} for value in values]

    def end(self, time: int) -> None:
        """Says when time is over."""
        self.add([{"kind": END, "ts": time, "content": b""}])

    def _finding(self, composites: Sequence[CompositeEvent], time: int | None) -> Answer:
        """Neighbours in the order of findings as one row, in the place of the first."""
        ranking, composite = self._ranking, composites[0]
        cause = composite[7]
        self.number += 1
        rank, values = ranking.number(composite), ranking.values(composite)
        return {
            "kind": FINDING, "doc": cause[8] if type(cause) is tuple else cause.doc, "ts": cause[0],
            "ids": composite[3], "place": {"time": time, "rank": rank, "values": values, "n": self.number},
            "name": composite[0], "content": b"\n".join(map(ranking.encode, composites)),
        }  # fmt: skip

    def found(self, composite: CompositeEvent, time: int | None = None) -> None:
        """Takes a finding, and counts it for its document, which is not replayed as a whole."""
        self._found.setdefault(composite.cause.doc, Counter())[composite.name] += 1
        self.add(self.findings([composite], time))

    def add(self, rows: Sequence[Answer]) -> None:
        """Takes rows."""
        self._rows += rows
        self._size += sum(len(row["content"]) for row in rows)

    def adopt(self, other: Answers) -> None:
        """Takes what another one has collected."""
        self.add(other._rows)

    def bad(self, bad: BadRecord, origin: Origin, doc: str | None = None) -> None:
        """Takes a bad record; ``doc`` is its document if only the order tells that it is bad."""
        self.bad_line(quarantine_line(bad), origin, document_of(bad) if doc is None else doc)

    def bad_line(self, line: bytes, origin: Origin, doc: str | None) -> None:
        """Takes a line of a quarantine file."""
        place, file = {"n": origin.record}, origin.place or origin.file
        self.add([{"kind": BAD, "doc": doc, "place": place, "file": file, "content": line}])

    def counts(self, kind: str, content: Any) -> None:
        """Takes what is counted of a document, or of all; or why it failed."""
        self.add([{"kind": kind, "doc": content.get("doc"), "content": FASTEST.dumps(content)}])

    def take(self, *, rest: bool = False) -> Iterator[pa.RecordBatch]:
        """What there is, if it is much; or all."""
        if rest:
            found, self._found = self._found, {}
            for doc, counts in found.items():
                self.counts(FOUND, {"doc": doc, "found": counts})
        if not self._rows or not (rest or len(self._rows) >= _MOST_ROWS or self._size >= _MOST_BYTES):
            return
        rows, self._rows, self._size = self._rows, [], 0
        yield pa.RecordBatch.from_pylist(rows, ANSWERS)
