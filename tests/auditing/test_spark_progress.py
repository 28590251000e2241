"""How far an audit with Spark is: what Spark is asked, and what is made of it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from unittest import mock

import pytest
from xmlcep.auditing.spark.parcels import Parcel

from path_types import PathType
from tests.auditing.logs import write_log
from tests.auditing.test_agreement import ORDER_RULES, lines_of, orders
from xmlcep.auditing import audit, progress
from xmlcep.auditing.progress import Advance, Tasks, watched
from xmlcep.events import PrimitiveEvent
from xmlcep.rules import parse_rules

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
from tests.auditing.test_progress import assert_goes_on, stages

# ---- Spark's tasks --------------------------------------------------------------------------------------


class Job(NamedTuple):
    stageIds: list[int]
    status: str = "RUNNING"


class Stage(NamedTuple):
    numTasks: int
    numCompletedTasks: int


@dataclass
class Tracker:
    """Knows what it is told, and counts what it is asked."""

    jobs: dict[int, Job] = field(default_factory=dict)
    stages: dict[int, Stage] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def getJobInfo(self, jobId: int) -> Job | None:
        self.asked.append(f"job {jobId}")
        return self.jobs.get(jobId)

    def getStageInfo(self, stageId: int) -> Stage | None:
        self.asked.append(f"stage {stageId}")
        return self.stages.get(stageId)


def test_tasks_that_are_done() -> None:
    tracker = Tracker()
    numbers: list[int] = []
    tasks = Tasks(tracker, lambda: numbers, 2)
    assert tasks.done() == 0
    numbers.append(0)
    assert tasks.done() == 0  # not known yet
    tracker.jobs[0] = Job([0])
    tracker.stages[0] = Stage(4, 1)
    assert tasks.done() == 0.125
    tracker.stages[0] = Stage(4, 4)
    tracker.jobs[0] = Job([0], "SUCCEEDED")
    assert tasks.done() == 0.5
    numbers.append(1)
    tracker.jobs[1] = Job([1, 2])  # stage 1 would make what stage 0 has made: it is skipped
    tracker.stages |= {1: Stage(4, 0), 2: Stage(10, 5)}
    tracker.asked.clear()
    assert tasks.done() == 0.75
    assert tracker.asked == ["job 1", "stage 1", "stage 2"]  # of what is over nothing is asked
    tracker.stages[2] = Stage(10, 11)  # one was tried twice
    tracker.jobs[1] = Job([1, 2], "SUCCEEDED")
    assert tasks.done() == 1.0
    numbers.append(2)
    tracker.jobs[2] = Job([3])
    tracker.stages[3] = Stage(100, 1)  # more work than was expected
    assert tasks.done() == 1.0  # does not go back


def test_little_stages_do_not_count() -> None:
    tracker = Tracker({0: Job([0, 1])}, {0: Stage(10, 5), 1: Stage(1, 0)})
    tasks = Tasks(tracker, lambda: [0], 1)
    assert tasks.done() == 0.5
    tracker.stages |= {0: Stage(10, 8), 1: Stage(1, 1)}
    assert tasks.done() == 0.8


class Named(NamedTuple):
    """Tasks of a last stage that have letters for names."""

    tasks: int

    def left(self, number: int, running: Iterable[int]) -> str:
        """Which run."""
        return f"{number} of {self.tasks}: {''.join(chr(ord('a') + task) for task in running)}"


def test_few_tasks_that_are_left_are_told_of() -> None:
    tracker = Tracker(
        {0: Job([3, 4, 5, 6])}, {3: Stage(8, 0), 4: Stage(16, 8), 5: Stage(16, 0), 6: Stage(1, 0)}
    )
    running = {4: [1], 5: [3, 12]}
    tasks = Tasks(tracker, lambda: [0], 2, running.__getitem__)

    def said(last: int = 16) -> str:
        tasks.done()
        return tasks.left(Named(last))

    assert said() == ""
    tracker.stages[4] = Stage(16, 15)  # that is the first of the two
    assert said() == ""
    tracker.stages[4] = Stage(16, 16)
    tracker.stages[5] = Stage(16, 13)
    assert said() == ""
    tracker.stages[5] = Stage(16, 14)
    assert said() == "2 of 16: dm" and said(15) == ""  # somebody has divided it otherwise
    tracker.stages[5] = Stage(16, 16)
    assert said() == ""
    tracker.stages[6] = Stage(1, 1)
    assert said() == ""


def test_with_less_than_eight_tasks_the_last_one_is_told_of() -> None:
    tracker = Tracker({0: Job([0])}, {0: Stage(3, 1)})
    tasks = Tasks(tracker, lambda: [0], 1, lambda stage: [2])
    assert tasks.done() and tasks.left(Named(3)) == ""
    tracker.stages[0] = Stage(3, 2)
    assert tasks.done() and tasks.left(Named(3)) == "1 of 3: c"


class Context:
    """A Spark context that has nothing but tags and a tracker."""

    def __init__(self) -> None:
        self.tags: list[str] = []
        self.tracker = Tracker({0: Job([0])}, {0: Stage(4, 2)})
        self._jsc = self

    def addJobTag(self, tag: str) -> None:
        self.tags.append(tag)

    def removeJobTag(self, tag: str) -> None:
        self.tags.remove(tag)

    def sc(self) -> Context:
        return self

    def statusTracker(self) -> Any:
        return mock.Mock(
            wraps=self.tracker,
            getJobIdsForTag=lambda tag: list(self.tracker.jobs) if tag in self.tags else [],
        )


class Session:
    """A Spark session with such a context."""

    def __init__(self) -> None:
        self.sparkContext: Any = Context()


def watching(session: Any, tell: Callable[[Advance], None] | None) -> Any:
    return watched(session, tell, stage="reading", step=1, steps=3, records=lambda: 7, total=9, interval=1e-6)


def test_nobody_to_tell() -> None:
    session = Session()
    with watching(session, None):
        assert session.sparkContext.tags == []


def test_what_is_watched_is_told() -> None:
    session, told, seen = Session(), [], threading.Event()

    def tell(advance: Advance) -> None:
        told.append(advance)
        if advance.done:
            seen.set()

    with watching(session, tell):
        assert len(session.sparkContext.tags) == 1
        assert seen.wait(10)
    assert told[0] == Advance("reading", 1, 3, 0.0, 7, 9) and told[-1] == Advance("reading", 1, 3, 1.0, 7, 9)
    assert Advance("reading", 1, 3, 0.5, 7, 9) in told
    assert session.sparkContext.tags == [] and not watchers()


def watchers() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "xmlcep-progress"]


def wait_for_watchers() -> None:
    for thread in watchers():
        thread.join(10)


def test_a_dead_jvm_is_not_told_of() -> None:
    session, told = Session(), []

    def dead(_: int) -> None:
        raise OSError("Answer from Java side is empty")

    session.sparkContext.tracker.getJobInfo = dead
    with watching(session, told.append):
        wait_for_watchers()
    assert [each.done for each in told] == [0.0, 1.0]


def test_a_jvm_that_does_not_answer_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    session, told = Session(), []
    asked, answer = threading.Event(), threading.Event()

    def silent(_: int) -> Job:
        asked.set()
        assert answer.wait(10)
        return Job([0])

    session.sparkContext.tracker.getJobInfo = silent
    monkeypatch.setattr(progress, "_PATIENCE_S", 0.0)
    with watching(session, told.append):
        assert asked.wait(10)
    assert watchers() and [each.done for each in told] == [0.0, 1.0]
    answer.set()
    wait_for_watchers()
    assert [each.done for each in told] == [0.0, 1.0]  # an answer that comes late is for nobody


def test_what_progress_raises_is_raised_when_the_step_is_over() -> None:
    session = Session()

    def tell(advance: Advance) -> None:
        if advance.done:
            raise ValueError("enough")

    with pytest.raises(ValueError, match="enough"), watching(session, tell):
        wait_for_watchers()
    assert session.sparkContext.tags == []


@pytest.mark.parametrize(("error", "left"), [(ValueError, 0), (GeneratorExit, 0), (KeyboardInterrupt, 1)])
def test_a_step_that_fails_is_not_done(error: type[BaseException], left: int) -> None:
    session, told = Session(), []
    session.sparkContext.tracker.jobs.clear()
    with suppress(error), watching(session, told.append):
        raise error
    assert all(each.done == 0 for each in told) and not watchers()
    assert len(session.sparkContext.tags) == left  # after Ctrl-C the JVM is asked nothing


def test_jobs_of_spark_are_known_by_their_tag(spark: SparkSession) -> None:
    context = spark.sparkContext
    rows = spark.range(0, 100, 1, 3).repartition(2, "id")
    with progress._tagged(context) as tag:
        assert set(context.getJobTags()) == {tag}
        assert sum(1 for _ in rows.toLocalIterator()) == rows.count() == 100
    assert not context.getJobTags()
    rows.count()  # nobody's
    jobs = set(context._jsc.sc().statusTracker().getJobIdsForTag(tag))
    tasks = progress._tasks_of(context, tag, 2)
    until = time.monotonic() + 30  # the tracker learns late of what has happened
    while tasks.done() < 1 and time.monotonic() < until:
        pass
    assert tasks.done() == 1.0 and jobs
    with progress._tagged(context) as other:
        rows.count()
        assert other != tag
    assert not jobs & set(context._jsc.sc().statusTracker().getJobIdsForTag(other))


def test_a_job_of_spark_is_watched(spark: SparkSession) -> None:
    told: list[Advance] = []
    count = spark.sparkContext.accumulator(0)
    seen = threading.Event()

    def tell(advance: Advance) -> None:
        told.append(advance)
        if 0 < advance.done < 1 and advance.records:
            seen.set()

    def task(index: int) -> Iterator[int]:
        count.add(10)
        yield index

    # The jobs come one after the other; between them there is time to look.
    rows = spark.sparkContext.parallelize(range(3), 3).flatMap(task)
    with watched(
        spark, tell, stage="reading", step=2, steps=3, records=lambda: count.value, stages=4, interval=0.01
    ):
        assert rows.count() == 3
        assert seen.wait(30)
    assert_goes_on([Advance("", 1, 3, 0.0, 0), *told])
    assert (told[0].done, told[0].records) == (0.0, 0) and (told[-1].done, told[-1].records) == (1.0, 30)


@pytest.mark.parametrize("disordered", [False, True])
def test_the_spark_engine_tells_its_steps(spark: SparkSession, tmp_path: Path, disordered: bool) -> None:
    lines = lines_of(orders("a", txn=True)) + lines_of(orders("b"))
    if disordered:
        lines[80], lines[81] = lines[81], lines[80]
    log = write_log(tmp_path / "log.jsonl", lines)
    told: list[Advance] = []
    result = audit(
        log, ORDER_RULES, engine="spark", spark=spark, out=tmp_path / "out.jsonl", progress=told.append
    )
    assert_goes_on(told)
    first, *between, last = [title.split()[0] for title in stages(told)]
    assert (first, last) == ("reading", "writing")
    assert between[:1] == ["sorting"] if disordered else "sorting" not in between
    assert set(between[disordered:]) == {"replaying"}
    assert told[-1].done == 1.0 and told[-1].step == told[-1].steps
    assert told[-1].records == result.summary.records == len(lines)
    assert all(each.seconds > 0 for each in result.summary.documents.values())
    assert not spark.sparkContext.getJobTags()


def test_the_tasks_of_a_job_that_run_are_known(spark: SparkSession, tmp_path: Path) -> None:
    seen = threading.Event()
    told: list[str] = []

    def tell(advance: Advance) -> None:
        if advance.left and not seen.is_set():
            told.append(advance.left)
            (tmp_path / "seen").touch()
            seen.set()

    def task(index: int) -> int:
        for _ in range(3000):
            if index != 5 or (tmp_path / "seen").exists():
                break
            time.sleep(0.01)  # of a worker, which waits for whoever looks
        return index

    rows = spark.sparkContext.parallelize(range(8), 8).map(task)
    with watched(
        spark, tell, stage="replaying", step=2, steps=3, records=lambda: 0, last=Named(8), interval=0.01
    ):
        assert rows.count() == 8
    assert told == ["1 of 8: f"]


def test_the_key_that_the_last_task_is_at_is_told(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from xmlcep.auditing.spark import job

    small = [item(doc, number) for number in range(1, 10) for doc in ("a", "b", "c", "d")]
    log = write_log(tmp_path / "log.jsonl", small + [item("large", number) for number in range(1, 2001)])
    seen = tmp_path / "seen"

    def slow_if_large(*arguments: Any, **options: Any) -> Callable[[Iterator[Parcel]], Iterator[Parcel]]:
        task = replay_task(*arguments, **options)

        def replay(parcels: Iterator[Parcel]) -> Iterator[Parcel]:
            kept = list(parcels)
            large = any(len(parcel.opened().content) > 4000 for parcel in kept)
            for _ in range(3000 if large else 0):
                if seen.exists():
                    break
                time.sleep(0.01)  # of a worker, which waits for whoever looks
            yield from task(iter(kept))

        return replay

    told: list[Advance] = []

    def tell(advance: Advance) -> None:
        told.append(advance)
        if advance.left:
            seen.touch()

    replay_task = job.replay_task
    monkeypatch.setattr(job, "replay_task", slow_if_large)
    monkeypatch.setattr(job, "watched", partial(watched, interval=0.01))
    rules = parse_rules("event Many(/order) = ins(item) ; ins(item)")
    audit(log, rules, engine="spark", spark=spark, out=tmp_path / "out.jsonl", progress=tell)
    assert {each.left for each in told if each.stage != "replaying"} == {""}
    left = [each.left for each in told if each.left]
    assert left[0] == "1 of 2 tasks left, at 'large' node 1 (2,000 of 2,036 records)"


def item(doc: str, number: int) -> PrimitiveEvent:
    """The insertion of an item into the order of a document."""
    return PrimitiveEvent(number, "ins", PathType.parse("/order/item"), (1, 1 + number), doc=doc)
