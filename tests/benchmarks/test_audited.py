"""Comparing engines: what is run, what is told of it, and that findings have to be the same."""

from __future__ import annotations

import pytest

from benchmarks import audited, spark, spark_rules
from benchmarks.audited import FLOOR, LOCAL, ONE_CORE, ONE_TASK, TWO_TASKS, compared, written
from benchmarks.bulk import BulkLog
from benchmarks.frame import Settings
from benchmarks.one_spark_audit import Measured
from xmlcep import load_rules
from xmlcep.auditing import audit

TINY = Settings(events=2_000, runs=1)


def _told(engine, findings=3, others=0.0):
    """Made-up figures: two tasks take half the time of one."""
    cpu = {LOCAL: 2.0, FLOOR: 1.0}.get(engine, 8.0)
    clock = {LOCAL: 2.0, TWO_TASKS: 4.0, FLOOR: 1.0, ONE_CORE: 10.0}.get(engine, 8.0)
    return Measured(cpu, clock, others, findings, 5.0, 4.0, 3 * 2**30, 2**27, 2**30, 2**28)


@pytest.fixture
def told(monkeypatch):
    """Engines that are not run: they write what the test says and tell made-up figures."""
    writes: dict[audited.Engine, str] = {}
    ran: list[audited.Engine] = []

    def measured(engine, log, rules, findings):
        assert rules.exists() and any(log.iterdir())
        ran.append(engine)
        if not engine.floor:
            findings.write_text(writes.get(engine, "found\n"))
        return _told(engine)

    monkeypatch.setattr(audited, "_measured", measured)
    return writes, ran


def test_the_local_engine_really_runs():
    with written(BulkLog(2_000), spark.BY_ITEM) as (log, rules):
        (one,) = compared([LOCAL], log, rules, TINY)[LOCAL]
    assert one.findings > 100
    assert one.cpu > 0 and one.clock > 0
    assert one.at_once > 10 * 2**20 and one.java == 0


def test_findings_that_differ_in_a_byte_are_an_error(told):
    writes, _ = told
    writes[TWO_TASKS] = "found!\n"
    with (
        written(BulkLog(100), spark.BY_ITEM) as (log, rules),
        pytest.raises(AssertionError, match=r"local\[2\] finds something else than local engine"),
    ):
        compared([LOCAL, FLOOR, TWO_TASKS], log, rules, TINY)


def test_runs_take_turns_and_are_three_at_most(told):
    _, ran = told
    with written(BulkLog(100), spark.BY_ITEM) as (log, rules):
        taken = compared([LOCAL, ONE_TASK], log, rules, Settings(100, runs=9))
    assert ran == [LOCAL, ONE_TASK] * 3
    assert [len(runs) for runs in taken.values()] == [3, 3]


def test_only_the_cases_asked_for_are_run_and_figures_are_told_per_record(told):
    figures = {figure.case: figure for figure in spark.run(Settings(1_000, runs=1, only="8 groups"))}
    assert all(case.startswith("8 groups, Parquet") for case in figures)
    assert figures["8 groups, Parquet, local[2]"].value == pytest.approx(8_000)
    assert figures["8 groups, Parquet, local[2]"].ratio == pytest.approx(4)
    note = figures["8 groups, Parquet, local[2]"].note
    assert "250 a second" in note and "3,072 MiB (driver 128, JVM 1,024, a worker 256)" in note
    assert figures["8 groups, Parquet, local[2] is faster than local[1]"].value == 2
    assert figures["8 groups, Parquet, local[2] is faster than local[1], one core"].value == 2.5
    assert figures["8 groups, Parquet, start of Spark"].value == 5


@pytest.mark.parametrize(
    ("local", "said"), [(3.0, "start included: from 4,000 records on"), (2.0, "start included: never")]
)
def test_the_size_from_which_spark_is_ahead_counts_its_start(local, said):
    assert spark._break_even(4.0, {LOCAL: local, TWO_TASKS: 2.0}, 1_000) == said


def test_every_case_has_rules_that_find_something_in_its_log():
    for case in spark.CASES:
        with written(
            BulkLog(20_000, case.shape, transaction=case.transaction), case.rules, case.kind
        ) as (log, rules):  # fmt: skip
            assert audit(log, load_rules(rules)).summary.findings > 1_000


def test_what_others_used_is_said_where_it_spoils_the_clock():
    assert audited.disturbance([_told(LOCAL, others=0.02)]) == ""
    assert audited.disturbance([_told(LOCAL), _told(LOCAL, others=1.0)]) == ", others used 0.50 cores"


def test_as_many_rules_find_as_much_as_one_over_one_name(told, monkeypatch):
    monkeypatch.setattr(spark_rules, "RULES", 7)
    figures = list(spark_rules.run(Settings(1_000, runs=1)))
    assert [figure.ratio for figure in figures] == [None, None, 1, 1, 1, 1]
    assert {figure.base for figure in figures} == {"", "1 rule, 1 name"}
