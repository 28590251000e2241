"""How far an audit is: told by both engines as `Advance` values, to whoever wants to show it.

An audit takes *steps*: the local engine reads (and replays what it reads), perhaps sorts and replays what
stood out of order, and writes; the distributed one runs a Spark job or several in each of its steps.
"""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Protocol, TypeAlias

from ..log.parquet import row_groups
from .inputs import LogFile

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

INTERVAL_S = 0.3
"""How often Spark is asked how far it is."""

_PATIENCE_S = 1.0  # for a last answer of a JVM that may have died


@dataclass(frozen=True, slots=True)
class Advance:
    """How far an audit is.

    ``stage`` says in a word what is being done, ``step`` which one it is (from 1) of how many ``steps`` as far as
    is known: only after reading it is known whether there is something to sort. ``done`` is the share of the
    step that is done, from 0 to 1. ``records`` were read so far (a step that reads again begins at 0) of
    ``total``, which is None if not known. ``left`` says which tasks of Spark are left where they are few, and the
    largest key they are at: there others have nothing to do; else it is empty.
    """

    stage: str
    step: int
    steps: int
    done: float
    records: int
    total: int | None = None
    left: str = ""


Progress: TypeAlias = Callable[[Advance], None]


class Steps:
    """Tells ``progress`` of the steps of an audit, ``stages``, one after the other; does nothing if it is None."""

    def __init__(self, progress: Progress | None, stages: Sequence[str]) -> None:
        self.told = progress is not None
        self._progress = progress
        self._stages = list(stages)
        self._step = 0

    def begin(self, *, records: int = 0, total: int | None = None) -> None:
        """The next step begins."""
        self._step += 1
        self.tell(0.0, records, total)

    def insert(self, *stages: str) -> None:
        """Steps that were not planned come after the present one."""
        self._stages[self._step : self._step] = stages

    def tell(self, done: float, records: int, total: int | None = None) -> None:
        """So much of the present step is done."""
        if self._progress is not None:
            stage = self._stages[self._step - 1]
            self._progress(
                Advance(stage, self._step, len(self._stages), min(max(done, 0.0), 1.0), records, total)
            )


class Positioned(Protocol):
    """What reads a file from its beginning to its end."""

    @property
    def position(self) -> int:
        """How many of its bytes were read, packed as they are."""


class Reading:
    """Which share of the bytes of files was read, while they are read one after the other.

    Of a JSON Lines file the reader tells where it is, of a Parquet file the number of its records is known.
    Raises `LogError` for a Parquet file that cannot be read.
    """

    def __init__(self, files: Sequence[LogFile]) -> None:
        self.records = 0
        """How many records were read: to be counted by the one who reads."""
        self._size = sum(file.size for file in files)
        self._rows = {
            file.place: sum(group.records for group in row_groups(file.path, file.name))
            for file in files
            if file.kind == "parquet"
        }
        self.total = sum(self._rows.values()) if len(self._rows) == len(files) else None
        """How many records there are, if all files say so."""
        self._before = 0  # bytes of the files that were read
        self._file: LogFile | None = None
        self._first = 0  # how many records were read before it
        self._reader: Positioned | None = None

    def begin(self, file: LogFile, reader: Positioned) -> None:
        """The next file is read."""
        if self._file is not None:
            self._before += self._file.size
        self._file, self._reader, self._first = file, reader, self.records

    @property
    def done(self) -> float:
        """The share that was read."""
        file = self._file
        if file is None or not self._size:
            return 0.0
        within: float = 0
        if rows := self._rows.get(file.place):
            within = file.size * (self.records - self._first) / rows
        elif self._reader is not None:
            within = self._reader.position
        return (self._before + min(within, file.size)) / self._size


# ---- Spark ----------------------------------------------------------------------------------------------


class JobInfo(Protocol):
    """What Spark's status tracker says of a job."""

    @property
    def stageIds(self) -> Iterable[int]:
        """Its stages, also those that it skips."""

    @property
    def status(self) -> str:
        """RUNNING, SUCCEEDED, FAILED or UNKNOWN."""


class StageInfo(Protocol):
    """What Spark's status tracker says of a stage."""

    @property
    def numTasks(self) -> int:
        """How many tasks it has."""

    @property
    def numCompletedTasks(self) -> int:
        """How many of them are done."""


class Tracker(Protocol):
    """What is asked of Spark's status tracker; what it does not know (yet, any more) is None."""

    def getJobInfo(self, jobId: int) -> JobInfo | None:
        """What it knows of a job."""

    def getStageInfo(self, stageId: int) -> StageInfo | None:
        """What it knows of a stage."""


class LastTasks(Protocol):
    """The tasks of the last stage of a step, of which it is known what they are at."""

    @property
    def tasks(self) -> int:
        """How many there are."""

    def left(self, number: int, running: Iterable[int]) -> str:
        """What is to be said where so many are left, of which these run."""


_FEW = 8  # in so many tasks there is one, or more, of which it is said that they are left


class Tasks:
    """Which share of the work of some jobs is done, which is that of the ``stages`` with the most tasks.

    These count alike, for how many tasks a later one has may not be known before it begins. Little ones, such as
    the one that adds up what others counted, do not count, nor do those that are skipped because what they would
    make is there. ``jobs`` are asked for at each look; of what is over, nothing more is asked. ``running`` says
    which tasks of a stage run, by their numbers.
    """

    def __init__(
        self,
        tracker: Tracker,
        jobs: Callable[[], Iterable[int]],
        stages: int,
        running: Callable[[int], Iterable[int]] = lambda stage: (),
    ) -> None:
        self._tracker = tracker
        self._jobs = jobs
        self._stages = stages
        self._running = running
        self._over: set[int] = set()
        self._begun: dict[int, tuple[int, float]] = {}  # stages: how many tasks, the share that is done
        self._done = 0.0

    def done(self) -> float:
        """The share that is done; never less than what was said before."""
        for job in self._jobs():
            if job in self._over:
                continue
            info = self._tracker.getJobInfo(job)
            if info is None:
                continue
            if info.status in ("SUCCEEDED", "FAILED"):
                self._over.add(job)
            for stage in info.stageIds:
                if stage not in self._begun or self._begun[stage][1] < 1:
                    self._look_at(stage)
        shares = [share for _, share in sorted(self._begun.values(), reverse=True)[: self._stages]]
        self._done = max(self._done, sum(shares) / self._stages)
        return self._done

    def left(self, last: LastTasks) -> str:
        """What is to be said of the ``last`` tasks while few of them are left, by what the last look at them showed."""
        if len(self._begun) < self._stages:
            return ""
        stage = sorted(self._begun)[self._stages - 1]  # what comes behind it is little
        tasks, share = self._begun[stage]
        number = tasks - round(tasks * share)
        if tasks != last.tasks or not 0 < number <= max(1, tasks // _FEW):
            return ""
        return last.left(number, self._running(stage))

    def _look_at(self, stage: int) -> None:
        info = self._tracker.getStageInfo(stage)
        if info is not None and info.numCompletedTasks:
            self._begun[stage] = info.numTasks, min(1.0, info.numCompletedTasks / info.numTasks)


class _Watch:
    """Asks now and then, in a thread of its own, how far Spark is, and tells ``tell``."""

    def __init__(
        self, share: Callable[[], tuple[float, str]], tell: Callable[[float, str], None], interval: float
    ) -> None:
        self._share = share
        self._tell = tell
        self._interval = interval
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="xmlcep-progress", daemon=True)
        self._error: BaseException | None = None

    def start(self) -> None:
        """Begins to watch."""
        self._thread.start()

    def stop(self) -> None:
        """Ends watching; does not wait long for an answer of Spark, which may never come."""
        self._over.set()
        self._thread.join(_PATIENCE_S)

    def complain(self) -> None:
        """Raises what was raised by whom it told."""
        if self._error is not None:
            raise self._error

    def _run(self) -> None:
        while not self._over.wait(self._interval):
            try:
                done, left = self._share()
            except Exception:  # the JVM is gone, or going: its death is told by those who wait for the job
                return
            if self._over.is_set():
                return
            try:
                self._tell(done, left)
            except Exception as error:
                self._error = error
                return


_numbers = itertools.count(1)


@contextmanager
def watched(
    spark: SparkSession,
    progress: Progress | None,
    *,
    stage: str,
    step: int,
    steps: int,
    records: Callable[[], int],
    total: int | None = None,
    stages: int = 1,
    last: LastTasks | None = None,
    interval: float = INTERVAL_S,
) -> Iterator[None]:
    """Tells ``progress`` how far the Spark jobs are that this thread starts in the block; nothing if it is None.

    ``records`` says how many records were read, ``total`` how many there are if that is known, ``stages`` how
    many of the jobs' stages do the work (see `Tasks`), ``last`` what the tasks of the last of these are at. Jobs are
    known by a tag of their own: tags and job group of the caller stay. ``progress`` is called from another thread;
    what it raises is raised when the block ends.
    """
    if progress is None:
        yield
        return

    def tell(done: float, left: str = "") -> None:
        progress(Advance(stage, step, steps, done, records(), total, left))

    tell(0.0)
    with _tagged(spark.sparkContext) as tag:
        tasks = _tasks_of(spark.sparkContext, tag, stages)
        watch = _Watch(lambda: (tasks.done(), "" if last is None else tasks.left(last)), tell, interval)
        watch.start()
        try:
            yield
        finally:
            watch.stop()
    watch.complain()
    tell(1.0)


@contextmanager
def _tagged(context: SparkContext) -> Iterator[str]:
    """Gives a tag to all jobs that this thread starts in the block; yields it."""
    tag = f"xmlcep-{os.getpid()}-{next(_numbers)}"
    context.addJobTag(tag)
    answers = True
    try:
        yield tag
    except KeyboardInterrupt:
        answers = False  # the JVM's side of this thread may be at work still, and would hear us only then
        raise
    finally:
        if answers:
            with suppress(Exception):  # it may have died: those who wait for the job tell
                context.removeJobTag(tag)


def _tasks_of(context: SparkContext, tag: str, stages: int) -> Tasks:
    # PySpark's tracker knows of groups only; a group would take the place of the caller's.
    by_tag = context._jsc.sc().statusTracker()
    return Tasks(
        context.statusTracker(), lambda: by_tag.getJobIdsForTag(tag), stages, partial(_running, context)
    )


_MOST_TASKS = 10_000  # that are asked for of a stage


def _running(context: SparkContext, stage: int) -> list[int]:
    """The tasks of a stage that run, by the number of what they make."""
    store = context._jsc.sc().statusStore()
    attempt = store.lastStageAttempt(stage)
    tasks = store.taskList(stage, attempt.attemptId(), _MOST_TASKS)
    found = (tasks.apply(index) for index in range(tasks.size()))
    return [int(each.partitionId()) for each in found if each.status() == "RUNNING"]
