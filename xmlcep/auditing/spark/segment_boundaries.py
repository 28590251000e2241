"""Settling what was open where segments meet, and what is known of each document as a whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ..plan.partition_key import Plan
from .chunks import Chunk, ChunkWriter, Mark, Numbers, buckets_of, hash_of
from .router import Course, Point, point_columns


class Edge(NamedTuple):
    """A marker that only segments together tell: in which of them it belongs, and for which bucket it is."""

    segment: int
    mark: int
    pass_index: int
    doc: str
    bucket: int
    point: Point


class DocumentCourse:
    """A document in the log, as told by the courses of its segments, followed one after the other.

    No more is kept of them than what goes on: a log has many segments, and they may have many documents.
    ``position``, ``first``, ``last`` and ``segment`` say where it begins and what its last time point is, in which
    segment. ``needs_sorting``: its records do not stand in the order of their time points, so routing has to be done
    again on sorted records; ``goes_back``: not because a time point is repeated, but because one is below another.
    ``edges`` are the markers found where segments meet.
    """

    __slots__ = (
        "_buckets", "_runs", "_touched", "doc", "edges", "first", "goes_back", "last", "needs_sorting", "position",
        "records", "segment",
    )  # fmt: skip

    def __init__(self, course: Course, buckets: int) -> None:
        self.doc = course.doc
        self.position = course.position
        self.first = course.head
        self.last = course.tail
        self.segment = course.segment
        self.records = course.records
        self.needs_sorting = self.goes_back = course.disordered
        self.edges: list[Edge] = []
        self._buckets = buckets
        self._runs = course.open_runs
        self._touched = {number: set(touched) for number, touched in course.touched.items()}

    def follow(self, course: Course) -> None:
        """Takes the course of the next segment that has records of the document."""
        self.needs_sorting |= course.disordered or course.head.ts <= self.last.ts
        self.goes_back |= course.disordered or course.head.ts < self.last.ts
        if self.needs_sorting:
            self.edges.clear()  # they are found again in the sorted records
        else:
            self._end_runs(course)
            self._flush(course)
            for number, touched in course.touched.items():
                self._touched.setdefault(number, set()).update(touched)
            self._runs = course.open_runs
        self.last, self.segment = course.tail, course.segment
        self.records += course.records

    def _end_runs(self, course: Course) -> None:
        """Boundaries for runs that end where the two segments meet (D2)."""
        head = course.head
        for number, key in self._runs.items():
            if course.head_keys.get(number) != key:
                bucket = int(buckets_of(hash_of(self.doc), [key], self._buckets)[0])
                edge = Edge(course.segment, Mark.BOUNDARY, number, self.doc, bucket, head)
                self.edges.append(edge)

    def _flush(self, course: Course) -> None:
        """The flush of what was touched before (D3), if its transaction ended; after the last one it is the close."""
        if self.last.txn is not None and course.head.txn != self.last.txn:
            segment, point = self.segment, self.last
        elif course.first_flush is not None:
            segment, point = course.segment, course.first_flush
        else:
            return
        self.edges += [
            Edge(segment, Mark.FLUSH, number, self.doc, bucket, point)
            for number, touched in self._touched.items()
            for bucket in sorted(touched)
        ]
        self._touched = {}


def join_courses(courses: Iterable[Course], buckets: int) -> dict[str, DocumentCourse]:
    """The documents of a log by name; ``courses`` are those of all segments, in order."""
    found: dict[str, DocumentCourse] = {}
    for course in courses:
        document = found.get(course.doc)
        if document is None:
            found[course.doc] = DocumentCourse(course, buckets)
        else:
            document.follow(course)
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
            **point_columns(edge.point for edge in found),
        }  # fmt: skip
        writer.add(_column(found, 2), _column(found, 4), columns, ordered=False)
        for chunk in writer.take(segment):
            yield chunk._replace(number=-1)


def _column(edges: Sequence[Edge], index: int) -> Numbers:
    return np.array([edge[index] for edge in edges], np.int64)
