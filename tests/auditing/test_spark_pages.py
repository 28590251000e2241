"""The pages about Spark are run, in the session of the tests."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.pages.page import Page
from tests.pages.test_pages import RUN_ELSEWHERE
from tests.project.source import ROOT

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.mark.parametrize("page", RUN_ELSEWHERE)
def test_the_page_works(
    page: str,
    spark: SparkSession,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    spark.conf.set("spark.sql.shuffle.partitions", "1")
    assert Page(ROOT / "docs" / page, capsys).run()
    spark.conf.set("spark.sql.shuffle.partitions", "2")
