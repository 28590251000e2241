"""Spark's Python workers: forked from a process that has loaded what they need."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest

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
