"""Settling what was open where segments meet, and what is known of each document as a whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from .chunks import Chunk, ChunkWriter, Mark, Numbers, buckets_of, hash_of
from .plan import Plan
from .routing import Course, Point


class Edge(NamedTuple):
    """A marker that only segments together tell: in which of them it belongs, and for which bucket it is."""

    segment: int
    mark: int
    pass_index: int
    doc: str
    bucket: int
    ts: int
    at: str | None


@dataclass(slots=True)
class DocumentCourse:
    """A document in the whole log: its segments' courses in file order.

    ``needs_sorting``: its records do not stand in the order of their time points, so routing has to be done
    again on sorted records.
    """

    doc: str
    courses: list[Course] = field(default_factory=list)

    @property
    def needs_sorting(self) -> bool:
        """Whether a ts is not greater than one before it, other than by repeating its neighbour's."""
        return any(course.disordered for course in self.courses) or any(
            after.head.ts <= before.tail.ts for before, after in pairwise(self.courses)
        )

    @property
    def goes_back(self) -> bool:
        """Whether a ts is below one before it (repeating one is not going back)."""
        return any(course.disordered for course in self.courses) or any(
            after.head.ts < before.tail.ts for before, after in pairwise(self.courses)
        )

    @property
    def end(self) -> Point:
        """The last time point."""
        return self.courses[-1].tail

    @property
    def count(self) -> int:
        """How many records were routed."""
        return sum(course.records for course in self.courses)

    def edges(self, buckets: int) -> Iterator[Edge]:
        """The markers that were left open."""
        yield from self._boundaries(buckets)
        yield from self._flushes()

    def _boundaries(self, buckets: int) -> Iterator[Edge]:
        """For runs that end where two segments meet (D2)."""
        for before, after in pairwise(self.courses):
            for number, key in before.open_runs.items():
                if after.head_keys.get(number) != key:
                    bucket = int(buckets_of(hash_of(self.doc), [key], buckets)[0])
                    head = after.head
                    yield Edge(after.segment, Mark.BOUNDARY, number, self.doc, bucket, head.ts, head.at)

    def _flushes(self) -> Iterator[Edge]:
        """For what was touched and not flushed at the end of its segment (D3); in the last one the close does it."""
        following: tuple[int, Point] | None = None
        for before, after in reversed(list(pairwise(self.courses))):
            if before.tail.txn is not None and after.head.txn != before.tail.txn:
                following = (before.segment, before.tail)
            elif after.first_flush is not None:
                following = (after.segment, after.first_flush)
            if following is None:
                continue
            segment, point = following
            for number, touched in before.touched.items():
                for bucket in touched:
                    yield Edge(segment, Mark.FLUSH, number, self.doc, bucket, point.ts, point.at)


def join_courses(courses: Iterable[Course]) -> dict[str, DocumentCourse]:
    """The courses of all segments by document, in file order."""
    found: dict[str, DocumentCourse] = {}
    for course in sorted(courses, key=lambda course: course.segment):
        found.setdefault(course.doc, DocumentCourse(course.doc)).courses.append(course)
    return found


def edge_chunks(edges: Iterable[Edge], plan: Plan, buckets: int) -> Iterator[Chunk]:
    """Markers as chunks whose rows have their places between others."""
    by_segment: dict[int, list[Edge]] = {}
    for edge in edges:
        by_segment.setdefault(edge.segment, []).append(edge)
    writer = ChunkWriter([each.level for each in plan.passes], buckets, ())
    for segment, found in by_segment.items():
        columns = {
            "mark": [edge.mark for edge in found], "doc": [writer.code(edge.doc) for edge in found],
            "ts": [edge.ts for edge in found], "at": [edge.at for edge in found],
        }  # fmt: skip
        writer.add(_column(found, 2), _column(found, 4), columns, ordered=False)
        for chunk in writer.take(segment):
            yield chunk._replace(number=-1)


def _column(edges: Sequence[Edge], index: int) -> Numbers:
    return np.array([edge[index] for edge in edges], np.int64)
