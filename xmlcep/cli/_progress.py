"""Progress of an audit at a terminal."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from ..audit.inputs import LogFile
from ._output import make_console, plain

_INTERVAL_S = 0.5


@contextmanager
def audit_progress(
    files: Sequence[LogFile], engine: str, *, shown: bool
) -> Iterator[Callable[[int, int], None] | None]:
    """What `audit` is to call with the index of the file being read and how many records more; None if not ``shown``.

    With Spark it is the tasks of the stages that are watched.
    """
    if not shown:
        yield None
        return
    with Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[rate]}"),
        TimeElapsedColumn(), TimeRemainingColumn(), console=make_console(stderr=True), transient=True,
    ) as bar:  # fmt: skip
        if engine == "spark":
            with _watched_stages(bar):
                yield None
        else:
            yield _reader(bar, files)


def _reader(bar: Progress, files: Sequence[LogFile]) -> Callable[[int, int], None]:
    task = bar.add_task("reading", total=len(files), rate="")
    records = 0

    def advance(file: int, more: int) -> None:
        nonlocal records
        records += more
        elapsed = bar.tasks[task].elapsed or 0
        rate = f"{records:,} records, {records / elapsed:,.0f}/s" if elapsed else ""
        bar.update(task, completed=file, description=plain(files[file].path), rate=rate)

    return advance


@contextmanager
def _watched_stages(bar: Progress) -> Iterator[None]:
    """Polls Spark's tasks in a thread: only looks, never starts anything."""
    task = bar.add_task("starting Spark", total=None, rate="")
    over = threading.Event()

    def watch() -> None:
        while not over.wait(_INTERVAL_S):
            stages = _active_stages()
            if stages:
                done = sum(stage.numCompletedTasks for stage in stages)
                total = sum(stage.numTasks for stage in stages)
                bar.update(
                    task, description=f"Spark, stage {stages[-1].stageId}", completed=done, total=total
                )

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _active_stages() -> list[Any]:
    """The stages at work; none while there is no session."""
    try:
        from pyspark import SparkContext

        context = SparkContext._active_spark_context
        if context is None or context._jsc is None:
            return []
        tracker = context.statusTracker()
        return [
            info for stage in tracker.getActiveStageIds() if (info := tracker.getStageInfo(stage)) is not None
        ]
    except Exception:  # the session may be going away while it is asked: then there is nothing to show
        return []
