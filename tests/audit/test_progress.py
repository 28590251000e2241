"""How far an audit is: what both engines say of it, and how Spark is asked."""

from __future__ import annotations

import gzip
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from unittest import mock

import pytest

from tests.audit.logs import write_log
from tests.audit.test_agreement import ORDER_RULES, lines_of, orders
from xmlcep.audit import audit, inputs, progress
from xmlcep.audit.inputs import LogFile
from xmlcep.audit.progress import Advance, Reading, Steps, Tasks, watched
from xmlcep.events import PrimitiveEvent
from xmlcep.log import LogError
from xmlcep.log.parquet import ParquetWriter
from xmlcep.log.records import Header
from xmlcep.rules import parse_rules

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

RULES = parse_rules("event Complete = ins(item) ; ins(item/price)")


def stages(told: Iterable[Advance]) -> list[str]:
    """The steps in their order, as a bar shows them at their ends."""
    last = {each.step: f"{each.stage} {each.step}/{each.steps}" for each in told}
    return [last[step] for step in sorted(last)]


def assert_goes_on(told: list[Advance]) -> None:
    """Fails unless every step begins at 0, and neither steps nor their shares go back."""
    for before, each in zip([None, *told], told, strict=False):
        assert 0 <= each.done <= 1 and 1 <= each.step <= each.steps
        if before is None or each.step != before.step:
            assert each.done == 0 and each.step == (before.step + 1 if before else 1)
        else:
            assert each.done >= before.done and each.records >= before.records


# ---- the local engine -----------------------------------------------------------------------------------


def test_steps_are_numbered_and_can_become_more() -> None:
    told: list[Advance] = []
    steps = Steps(told.append, ("reading", "writing"))
    steps.begin()
    steps.tell(0.5, 10)
    steps.insert("sorting", "replaying")
    steps.begin(total=10)
    steps.tell(1.5, 10, 10)
    assert told == [
        Advance("reading", 1, 2, 0.0, 0),
        Advance("reading", 1, 2, 0.5, 10),
        Advance("sorting", 2, 4, 0.0, 0, 10),
        Advance("sorting", 2, 4, 1.0, 10, 10),
    ]
    steps = Steps(None, ())
    steps.begin()
    steps.tell(0.5, 10)
    assert not steps.told


@dataclass
class At:
    """A reader that is at this byte."""

    position: int


def test_how_much_of_several_files_is_read() -> None:
    files = [LogFile(0, "a", "plain", 100), LogFile(1, "b", "gzip", 300)]
    reading = Reading(files)
    assert (reading.done, reading.total) == (0.0, None)
    reading.begin(files[0], At(50))
    assert reading.done == 0.125
    reader = At(0)
    reading.begin(files[1], reader)
    assert reading.done == 0.25
    reader.position = 999  # never more than there was when the audit began
    assert reading.done == 1.0


def parquet(path: Path, doc: str, count: int) -> Path:
    with ParquetWriter(path, Header(doc)) as writer:
        writer.write_all([PrimitiveEvent.from_record(record) for record in orders(doc, count)])
    return path


def test_parquet_files_say_how_many_records_they_have(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    files = inputs.find_files(
        [parquet(tmp_path / "a.parquet", "a", 60), parquet(tmp_path / "b.parquet", "b", 40)]
    )
    reading = Reading(files)
    assert reading.total == len(orders("a", 60)) + len(orders("b", 40))
    reading.begin(files[0], At(0))
    reading.records = len(orders("a", 60)) // 2
    assert reading.done == pytest.approx(files[0].size / 2 / (files[0].size + files[1].size), rel=0.05)
    (tmp_path / "b.parquet").write_bytes(b"PAR1 cut off")
    with pytest.raises(LogError, match=r"b\.parquet: not a readable Parquet file"):
        Reading(files)


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz", "a.parquet"])
def test_the_local_engine_tells_what_it_reads(tmp_path: Path, name: str) -> None:
    records = orders("a", 200)
    log = tmp_path / name
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")
        parquet(log, "a", 200)
    else:
        content = b"".join(line + b"\n" for line in lines_of(records))
        log.write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    told: list[Advance] = []
    with mock.patch.object(inputs, "LINES_BLOCK", 50), mock.patch.object(inputs, "ARROW_BLOCK", 50):
        audit(log, RULES, progress=told.append)
    assert_goes_on(told)
    assert stages(told) == ["reading 1/2", "writing 2/2"]
    reading = [each for each in told if each.step == 1]
    assert [each.records for each in reading] == [0, 50, 100, 150, 200, len(records)]
    assert reading[-1].done == 1.0 and told[-1].done == 1.0
    assert {each.total for each in reading} == {len(records) if name.endswith("parquet") else None}
    assert told[-1].records == told[-1].total == len(records)


@pytest.mark.parametrize("rules", [RULES, ORDER_RULES])
def test_what_has_to_be_sorted_takes_steps_of_its_own(tmp_path: Path, rules: Any) -> None:
    records = orders("a", 100) + orders("b", 100)
    records[150], records[151] = records[151], records[150]
    log = write_log(tmp_path / "log.jsonl", lines_of(records))
    told: list[Advance] = []
    with mock.patch("xmlcep.audit.local._TOLD", 40):
        audit(log, rules, progress=told.append)
    assert_goes_on(told)
    assert stages(told) == ["reading 1/2", "sorting 2/4", "replaying 3/4", "writing 4/4"]
    last = {each.stage: each for each in told}
    assert last["sorting"].records == len(records) and last["sorting"].done == 1.0
    assert [each.records for each in told if each.stage == "replaying"] == [0, 0, 40, 80]
    assert last["replaying"].total == len(orders("b", 100))


def test_what_progress_raises_ends_the_audit(tmp_path: Path) -> None:
    def refuse(_: Advance) -> None:
        raise ValueError("enough")

    log = write_log(tmp_path / "log.jsonl", lines_of(orders("a")))
    with pytest.raises(ValueError, match="enough"):
        audit(log, RULES, out=tmp_path / "out.jsonl", progress=refuse)
    assert [path.name for path in tmp_path.iterdir()] == ["log.jsonl"]


@pytest.mark.parametrize("disordered", [False, True])
@pytest.mark.parametrize("ignore_whitespace", [False, True])
def test_seconds_are_those_of_the_replay(tmp_path: Path, disordered: bool, ignore_whitespace: bool) -> None:
    ticks = iter(range(10**6))
    records = lines_of(orders("a")) + lines_of(orders("b"))
    if disordered:
        records[80], records[81] = records[81], records[80]
    log = write_log(tmp_path / "log.jsonl", records)
    with mock.patch("xmlcep.audit.local.perf_counter", lambda: float(next(ticks))):
        summary = audit(log, RULES, ignore_whitespace=ignore_whitespace).summary
    seconds = {doc: each.seconds for doc, each in summary.documents.items()}
    assert all(each > 0 for each in seconds.values()) and set(seconds) == {"a", "b"}
    assert summary.replay_seconds == sum(seconds.values()) <= next(ticks)
    described = summary.to_record()
    assert [each["seconds"] for each in described["documents"]] == [
        round(seconds[doc], 6) for doc in sorted(seconds)
    ]
    assert all("seconds" not in each.to_record() for each in summary.documents.values())


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
