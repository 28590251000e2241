"""What tasks have to say beside chunks: of splits, documents, headers, bad records, of what they have done."""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Iterable, Iterator
from enum import IntEnum
from itertools import accumulate, islice
from typing import NamedTuple

from ...log import BadRecord, Origin
from ...log.json_codec import FASTEST
from ..splits import FilePart
from .chunks import Chunk, ChunkKind
from .segment_summary import SegmentSummary
from .summary_tables import summaries_content

_SUMMARIES_AT_ONCE = 5000


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
    REPLAY = 5
    """What the replay of a bucket did; it names the bucket."""
    FOUND = 6
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
    """The summaries of a segment as reports."""
    left = iter(summaries)
    while some := list(islice(left, _SUMMARIES_AT_ONCE)):
        yield Report(Topic.SUMMARIES, some[0].segment, some[0].doc, summaries_content(some))


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
