"""What tasks have to say beside chunks: of splits, documents, headers, bad records, of what they have done."""

from __future__ import annotations

import base64
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum
from itertools import accumulate
from typing import Any, NamedTuple

from ...log import BadRecord, Origin
from ...log.json_codec import FASTEST
from ..splits import FilePart
from .chunks import Chunk, ChunkKind
from .plain_documents import is_plain, plain_content
from .segment_summary import PlacedClock, PlacedRaised, SegmentSummary, TimePoint

_SUMMARIES_AT_ONCE = 500  # of some KB, when they are read
_CLOCKS = ("leading", "clocks", "trailing")  # the fields of a summary that are lists of clock records


class Topic(IntEnum):
    """What a report is about."""

    SUMMARIES = 0
    """Documents of a segment; it names the first, for parts of sorted records have the same segment numbers."""
    HEADER = 1
    """A header."""
    SPLIT = 2
    """A split that was read to its end."""
    TROUBLE = 3
    """What makes the audit impossible."""
    LOAD = 4
    """What was routed to each bucket (`RoutedLoad`), from which segment on, and document; or by the replay of which
    bucket."""
    PLAIN_SUMMARIES = 5
    """The other documents of a segment, of which nothing is open; it names the first."""
    REPLAY = 6
    """What the replay of a bucket did; it names the bucket."""
    FOUND = 7
    """How many bytes of findings each range was given by one task; it names that."""


class Report(NamedTuple):
    """Something about a segment (or a bucket) for the one who started the tasks: a JSON object, but for summaries."""

    topic: Topic
    segment: int
    doc: str
    content: bytes


class FoundSizes:
    """How many bytes of findings there are in each range."""

    def __init__(self) -> None:
        self._sizes: Counter[int] = Counter()

    def counted(self, chunks: Iterable[Chunk]) -> Iterator[Chunk]:
        """The same chunks, of which those of findings were counted when they are handed out."""
        for chunk in chunks:
            if chunk.kind == ChunkKind.FINDINGS:
                self._sizes[chunk.target] += chunk.lines
            yield chunk

    def report(self, task: int) -> Report:
        """What this task has counted."""
        return Report(Topic.FOUND, task, "", FASTEST.dumps(list(self._sizes.items())))

    def add(self, report: Report) -> None:
        """Takes what a task reports."""
        self._sizes.update(dict(FASTEST.loads(report.content)))

    def starts(self, ranges: int) -> list[int]:
        """Where the findings of each of so many ranges begin, one behind the other."""
        return list(accumulate((self._sizes[number] for number in range(ranges - 1)), initial=0))


class HeaderSeen(NamedTuple):
    """A header: which document, its number among all headers, and where it stands (part of the log, number in it)."""

    doc: str
    number: int
    position: tuple[int, int]


def reports_of(summaries: Iterable[SegmentSummary]) -> Iterator[Report]:
    """The summaries of a segment as reports; packed, for those of all segments are in memory together."""
    plain: list[SegmentSummary] = []
    others: list[SegmentSummary] = []
    for summary in summaries:
        (plain if is_plain(summary) else others).append(summary)
    if plain:
        yield Report(Topic.PLAIN_SUMMARIES, plain[0].segment, plain[0].doc, plain_content(plain))
    for begin in range(0, len(others), _SUMMARIES_AT_ONCE):
        some = others[begin : begin + _SUMMARIES_AT_ONCE]
        yield Report(Topic.SUMMARIES, some[0].segment, some[0].doc, _content(some))


def _content(summaries: Sequence[SegmentSummary]) -> bytes:
    records = [
        {
            **summary._asdict(), "head": summary.head and list(summary.head), "tail": list(summary.tail),
            "first_flush": summary.first_flush and list(summary.first_flush),
            "head_keys": list(summary.head_keys.items()), "open_runs": list(summary.open_runs.items()),
            "touched": list(summary.touched.items()),
            **{name: list(map(list, getattr(summary, name))) for name in _CLOCKS},
            "raised": list(map(list, summary.raised)),
        }
        for summary in summaries
    ]  # fmt: skip
    return zlib.compress(FASTEST.dumps(records), 1)


def docs_from(report: Report) -> Iterator[str]:
    """The documents of such a report that are not plain."""
    return (record["doc"] for record in FASTEST.loads(zlib.decompress(report.content)))


def summaries_from(report: Report) -> Iterator[SegmentSummary]:
    """Their summaries."""
    for record in FASTEST.loads(zlib.decompress(report.content)):
        changed = {
            "position": tuple(record["position"]), "head": _point(record["head"]), "tail": TimePoint(*record["tail"]),
            "first_flush": _point(record["first_flush"]), "head_keys": dict(record["head_keys"]),
            "open_runs": dict(record["open_runs"]), "touched": dict(record["touched"]),
            **{name: [PlacedClock(*clock) for clock in record[name]] for name in _CLOCKS},
            "raised": [PlacedRaised(*raised) for raised in record["raised"]],
        }  # fmt: skip
        yield SegmentSummary(**(record | changed))


def _point(values: list[Any] | None) -> TimePoint | None:
    return None if values is None else TimePoint(*values)


def bad_chunk(bad: BadRecord, part: FilePart, number: int, doc: str | None) -> Chunk:
    """A bad record of a part of the log as a chunk; ``doc`` is its document if only the order tells that it is bad."""
    content = {
        "record": bad.origin.record, "offset": bad.offset, "reason": bad.reason, "doc": doc,
        "raw": base64.b64encode(bad.raw).decode("ascii"),
    }  # fmt: skip
    return Chunk(ChunkKind.BAD_RECORD, 0, part.place, 0, 0, number, FASTEST.dumps(content))


def bad_from(chunk: Chunk, part: FilePart, lines_before: int) -> tuple[BadRecord, str | None]:
    """The bad record in a chunk, with its number in the file, and its document if only the order tells."""
    record = FASTEST.loads(chunk.content)
    origin = Origin(part.file.name, record["record"] + lines_before)
    bad = BadRecord(origin, record["offset"], record["reason"], base64.b64decode(record["raw"]))
    return bad, record["doc"]
