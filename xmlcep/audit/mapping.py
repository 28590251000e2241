"""What a task does with the splits it is given: read, route, report. Knows nothing of Spark."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, TypeAlias

from ..errors import XmlCepError
from ..log import BadRecord, Batch, ClockCheck, Header, Origin
from ..log.decoding import RowDecoder
from ..log.json_codec import FASTEST
from ..log.records import Row
from ..rules import Rules
from .fragments import fragments
from .inputs import BATCH_SIZE, Split, SplitReader, raw_record
from .plan import Plan, make_plan
from .routing import Course, Kind, Point, Routed, Router

SEGMENT_RECORDS = 500_000
"""After so many records a segment ends: what is open in one is kept in memory."""

Keep: TypeAlias = Callable[[Row], bool]


class Topic:
    """What a report is about (numbers above those of `Kind`)."""

    COURSE = 10
    """A document in a segment."""
    HEADER = 11
    """A header."""
    BAD = 12
    """A bad record."""
    SPLIT = 13
    """A split that was read to its end."""
    TROUBLE = 14
    """What makes the audit impossible."""


class Report(NamedTuple):
    """Something about a segment for the one who started the tasks: a `Topic`, and a JSON object."""

    kind: int
    segment: int
    doc: str
    content: bytes


class HeaderSeen(NamedTuple):
    """A header: which document, its number among all headers, and where it stands (split, number in it)."""

    doc: str
    number: int
    position: tuple[int, int]


Row_: TypeAlias = Routed | Report


class Mapper:
    """Reads splits and routes their records; the answer to a split depends on nothing but the split."""

    def __init__(
        self,
        rules: Rules,
        *,
        keep: Keep | None = None,
        segment_records: int = SEGMENT_RECORDS,
        batch_size: int = BATCH_SIZE,
    ) -> None:
        self._plan: Plan = make_plan(rules)
        self._conditioned = [each for each in self._plan.passes if each.has_conditions]
        self._keep = keep
        self._segment_records = segment_records
        self._batch_size = batch_size
        self._out: list[Row_] = []
        self._split: Split | None = None
        self._bad_records = 0
        self._decoder = RowDecoder(ClockCheck.ANY)
        self._router = Router(self._plan, self._out.append, self._repeated)

    def read(self, split: Split) -> Iterator[list[Row_]]:
        """Routed rows and reports of a split, in lists."""
        self._split = split
        router, out = self._router, self._out
        reader = SplitReader(
            split, self._decoder, self._bad, check_text=self._plan.has_conditions, batch_size=self._batch_size
        )
        docs: set[str] = set()
        headers = 0
        self._bad_records = 0
        router.begin(split.name)
        try:
            for item in reader.read():
                if not isinstance(item, Batch):
                    self._header(item[1], split.name + headers, (split.name, item[0]))
                    headers += 1
                else:
                    docs.update({row[8] for row in item.rows})
                    rows, numbers = self._kept(item)
                    router.take_all(rows, split, numbers)
                    if router.taken >= self._segment_records:
                        self._end_segment()
                        router.begin(router.segment + 1)
                yield self._taken()
            self._end_segment()
        except (XmlCepError, OSError) as error:
            out.append(Report(Topic.TROUBLE, split.name, "", FASTEST.dumps({"message": str(error)})))
        content = {"lines": reader.lines, "docs": sorted(docs), "bad": self._bad_records}
        out.append(Report(Topic.SPLIT, split.name, "", FASTEST.dumps(content)))
        yield self._taken()

    def select(self, split: Split, docs: frozenset[str]) -> Iterator[list[tuple[str, int, int, int, bytes]]]:
        """The records of some documents, to be sorted: document, ts, split, number, the record as JSON."""
        self._split = split
        reader = SplitReader(split, self._decoder, lambda _: None, check_text=self._plan.has_conditions)
        for item in reader.read():
            if isinstance(item, Batch):
                rows, numbers = self._kept(item)
                yield [
                    (row[8], row[0], split.name, number, raw_record(row))
                    for row, number in zip(rows, numbers, strict=True)
                    if row[8] in docs
                ]

    def route_sorted(
        self, rows: Iterable[tuple[int, int, bytes]], splits: dict[int, Split]
    ) -> Iterator[list[Row_]]:
        """Routed rows and reports of records sorted by document and ts: split, number, the record as JSON."""
        router = self._router
        router.begin(0)
        for split, number, line in rows:
            self._split = splits[split]
            router.take_all([self._decoder.admit(FASTEST.loads(line))], splits[split], [number])
            if router.taken >= self._segment_records:
                self._end_segment()
                router.begin(router.segment + 1)
            if len(self._out) >= 8192:
                yield self._taken()
        self._end_segment()
        yield self._taken()

    def _kept(self, batch: Batch) -> tuple[list[Row], Any]:
        keep = self._keep
        if keep is None:
            return batch.rows, batch.numbers
        chosen = [index for index, row in enumerate(batch.rows) if keep(row)]
        return [batch.rows[i] for i in chosen], [batch.numbers[i] for i in chosen]

    def _taken(self) -> list[Row_]:
        taken = self._out[:]
        self._out.clear()
        return taken

    def _end_segment(self) -> None:
        for course in self._router.end():
            self._out.append(Report(Topic.COURSE, course.segment, course.doc, course_to_json(course)))

    def _header(self, header: Header, number: int, position: tuple[int, int]) -> None:
        if not self._conditioned:
            return
        self._out.append(
            Report(Topic.HEADER, number, header.doc, FASTEST.dumps({"number": number, "position": position}))
        )
        assert self._split is not None
        for each in self._conditioned:
            for fragment in fragments(header, each, self._split.file.path):
                self._out.append(
                    Routed(
                        Kind.FRAGMENT, each.index, header.doc, fragment.key, 0, None, number,
                        ids=fragment.ids, value=fragment.xml,
                    )
                )  # fmt: skip

    def _bad(self, bad: BadRecord) -> None:
        self._report_bad(bad, "")

    def _repeated(self, bad: BadRecord, doc: str) -> None:
        self._report_bad(bad, doc)

    def _report_bad(self, bad: BadRecord, doc: str) -> None:
        assert self._split is not None
        self._bad_records += 1
        content = {
            "record": bad.origin.record, "offset": bad.offset, "reason": bad.reason,
            "raw": base64.b64encode(bad.raw).decode("ascii"), "repeats": bool(doc),
        }  # fmt: skip
        self._out.append(Report(Topic.BAD, self._split.name, doc, FASTEST.dumps(content)))


def course_to_json(course: Course) -> bytes:
    """A course as JSON."""
    return FASTEST.dumps(
        {
            **course._asdict(), "head": list(course.head), "tail": list(course.tail),
            "first_flush": None if course.first_flush is None else list(course.first_flush),
            "head_keys": list(course.head_keys.items()), "open_runs": list(course.open_runs.items()),
        }
    )  # fmt: skip


def course_from_json(text: bytes) -> Course:
    """The course that `course_to_json` wrote."""
    record = FASTEST.loads(text)
    flush = record["first_flush"]
    return Course(
        record["segment"], record["doc"], tuple(record["position"]), Point(*record["head"]), Point(*record["tail"]),
        record["records"], record["disordered"], record["duplicates"],
        dict(record["head_keys"]), dict(record["open_runs"]), None if flush is None else Point(*flush),
    )  # fmt: skip


def bad_from_json(text: bytes, file: str, lines_before: int) -> tuple[BadRecord, bool]:
    """The bad record of a report, with its number in the file, and whether it only repeats a time point."""
    record = FASTEST.loads(text)
    raw = base64.b64decode(record["raw"])
    origin = Origin(file, record["record"] + lines_before)
    return BadRecord(origin, record["offset"], record["reason"], raw), record["repeats"]
