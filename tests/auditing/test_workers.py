"""Spark's Python workers: forked from a process that has loaded what they need."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from xmlcep.auditing.spark.tasks import without_collector
from xmlcep.auditing.spark.worker_daemon import installed_path

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="elsewhere PySpark's own daemon forks workers"
)


def test_workers_of_this_machine_begin_with_all_modules(spark: SparkSession) -> None:
    """Each would import them by itself."""

    def program_and_modules(_: int) -> tuple[str, bool, bool]:
        with open(f"/proc/{os.getppid()}/cmdline", encoding="utf-8") as command:
            needed = {"pyarrow", "xmlcep.auditing.spark.tasks"}
            return command.read(), needed <= sys.modules.keys(), "pandas" in sys.modules

    program, loaded, pandas = spark.sparkContext.parallelize([0], 1).map(program_and_modules).collect()[0]
    assert "xmlcep.auditing.spark.worker_daemon" in program.split("\0")
    assert loaded and not pandas  # which takes as long as all our modules


def test_they_import_what_is_installed_not_what_spark_has_packed(spark: SparkSession) -> None:
    """Python compiles the modules of an archive anew each time."""

    def origin(_: int) -> str | None:
        return sys.modules["pyspark.worker"].__file__

    import pyspark

    assert spark.sparkContext.parallelize([0], 1).map(origin).collect() == [
        str(Path(pyspark.__file__).with_name("worker.py"))
    ]


def test_another_spark_than_the_installed_one_brings_its_own_modules(tmp_path: Path) -> None:
    import py4j
    import pyspark

    home = Path(pyspark.__file__).parent
    packages = [str(home.parent), str(Path(py4j.__file__).parents[1])]
    archive = str(home / "python" / "lib" / "pyspark.zip")
    assert installed_path([archive, *packages], str(home)) == packages
    assert installed_path([archive], str(home)) == [archive]  # nothing else has it
    other = str(tmp_path / "python" / "lib" / "pyspark.zip")
    assert installed_path([other, *packages], str(tmp_path)) == [other, *packages]
    assert installed_path(packages, "") == packages


def test_tasks_run_without_the_collector(spark: SparkSession) -> None:
    """PySpark turns it on where a task is the first to read what was broadcast."""
    whole = spark.sparkContext.broadcast(["a log"])

    def looked_at(given: Iterable[int]) -> Iterator[bool]:
        for _ in given:
            assert whole.value == ["a log"]
            yield gc.isenabled()

    task = without_collector(looked_at, whole)
    assert spark.sparkContext.parallelize(range(4), 2).mapPartitions(task).collect() == [False] * 4
    assert spark.sparkContext.parallelize([0], 1).map(lambda _: gc.isenabled()).collect() == [True]
    whole.destroy()
