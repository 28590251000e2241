"""Settling what was open where segments meet, and what is known of each document as a whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from .routing import Course, Kind, Point, Routed


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
            after.head.ts <= before.tail.ts for before, after in self._pairs()
        )

    @property
    def end(self) -> Point:
        """The last time point."""
        return max((course.tail for course in self.courses), key=lambda point: point.ts)

    @property
    def count(self) -> int:
        """How many records were routed."""
        return sum(course.records for course in self.courses)

    def _pairs(self) -> Iterator[tuple[Course, Course]]:
        return zip(self.courses, self.courses[1:], strict=False)

    def boundaries(self) -> Iterator[Routed]:
        """Boundary markers for runs that end where two segments meet (D2)."""
        for before, after in self._pairs():
            for number, key in before.open_runs.items():
                if after.head_keys.get(number) != key:
                    yield Routed(
                        Kind.BOUNDARY, number, self.doc, key, after.head.ts, after.head.at, after.segment
                    )

    def flushes(self) -> dict[int, Point]:
        """By segment: the flush that follows what was touched and not yet flushed at its end; none: the close."""
        found: dict[int, Point] = {}
        following: Point | None = None
        for before, after in reversed(list(self._pairs())):
            if before.tail.txn is not None and after.head.txn != before.tail.txn:
                following = before.tail
            else:
                following = after.first_flush or following
            if following is not None:
                found[before.segment] = following
        return found


def join_courses(courses: Iterable[Course]) -> dict[str, DocumentCourse]:
    """The courses of all segments by document, in file order."""
    found: dict[str, DocumentCourse] = {}
    for course in sorted(courses, key=lambda course: course.segment):
        found.setdefault(course.doc, DocumentCourse(course.doc)).courses.append(course)
    return found
