"""The figures from which `benchmarks.scale` says what a large audit would take."""

from __future__ import annotations

from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING

from benchmarks.scale import stages

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_each_stage_is_measured(spark: SparkSession, tmp_path: Path) -> None:
    reading, shuffle, replay, order = stages(spark, process_time, tmp_path, 600)
    assert reading.shuffled == 0 < shuffle.shuffled < 1000
    assert replay.name == "replay" and order.shuffled > 0
