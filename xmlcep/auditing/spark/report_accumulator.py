"""How tasks report to the one who started them: beside the rows, through a Spark accumulator."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

from pyspark.accumulators import AccumulatorParam

from ..findings.spool import no_room
from .task_reports import Report, Topic

if TYPE_CHECKING:
    from pyspark import Accumulator, SparkContext

_About: TypeAlias = tuple[Topic, int, str]
Reports: TypeAlias = dict[_About, bytes]
"""The content of reports by what they are about: a task that runs twice says the same twice."""

_IN_MEMORY = 4 * 2**20  # bytes


class TaskReports:
    """The reports of tasks as they come in: their contents are in a temporary file, for there is something in them of
    each document.

    What goes wrong when they come, in a thread of Spark's that goes on, is raised when they are read.
    """

    def __init__(self) -> None:
        # A session keeps its accumulators, and so this object, as long as it lives.
        self._contents = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115
        self._places: dict[_About, tuple[int, int]] = {}
        self._error: OSError | None = None

    def update(self, reports: Reports) -> None:
        """Takes what a task reports."""
        try:
            for about, content in reports.items():
                if about not in self._places:
                    start = self._contents.seek(0, 2)
                    self._contents.write(content)
                    self._places[about] = start, len(content)
        except OSError as error:
            self._error = error

    def read(self, *topics: Topic) -> Iterator[Report]:
        """The reports about these topics (default: all) by segment and topic; raises `OutputError` if there was no room
        for them."""
        if self._error is not None:
            raise no_room(self._error) from self._error
        for about in sorted(self._places, key=lambda about: (about[1], about[0])):
            if not topics or about[0] in topics:
                start, size = self._places[about]
                self._contents.seek(start)
                yield Report(*about, self._contents.read(size))

    def close(self) -> None:
        """Forgets them."""
        self._contents.close()
        self._places.clear()


class _Joined(AccumulatorParam[Any]):
    """Joins what tasks report, in a worker to a dictionary, for the one who started them to `TaskReports`."""

    def zero(self, value: Any) -> Reports:
        return {}

    def addInPlace(self, value1: Any, value2: Reports) -> Any:
        value1.update(value2)
        return value1


def reports_accumulator(context: SparkContext, reports: TaskReports) -> Accumulator[Reports]:
    """A new accumulator, which fills ``reports``."""
    return context.accumulator(reports, _Joined())


def as_entry(report: Report) -> Reports:
    """A report as what is added to the accumulator."""
    return {(report.topic, report.segment, report.doc): report.content}
