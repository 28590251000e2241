"""How tasks report to the one who started them: beside the rows, through a Spark accumulator."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from pyspark.accumulators import AccumulatorParam

from .task_reports import Report, Topic

if TYPE_CHECKING:
    from pyspark import Accumulator, SparkContext

Reports: TypeAlias = dict[tuple[Topic, int, str], bytes]
"""The content of reports by what they are about: a task that runs twice says the same twice."""


class ReportsParam(AccumulatorParam[Reports]):
    """Joins the reports of tasks."""

    def zero(self, value: Reports) -> Reports:
        """No reports."""
        return {}

    def addInPlace(self, value1: Reports, value2: Reports) -> Reports:
        """All reports of both."""
        value1.update(value2)
        return value1


def reports_accumulator(context: SparkContext) -> Accumulator[Reports]:
    """A new accumulator of reports."""
    return context.accumulator({}, ReportsParam())


def as_entry(report: Report) -> Reports:
    """A report as what is added to the accumulator."""
    return {(report.topic, report.segment, report.doc): report.content}


def reports_in(accumulator: Accumulator[Reports]) -> list[Report]:
    """The reports that have come."""
    return [Report(*about, content) for about, content in accumulator.value.items()]
