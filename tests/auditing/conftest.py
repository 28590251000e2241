"""One Spark session for all tests of audits."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from tests.project.source import ROOT

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """A session on this machine with two cores, made as audits make theirs; skipped without PySpark or Java."""
    pytest.importorskip("pyspark")
    pytest.importorskip("pyarrow")
    from xmlcep.auditing.spark.java import NoJavaError
    from xmlcep.auditing.spark.session import start_session

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(
            "PYSPARK_SUBMIT_ARGS",
            f"--conf spark.python.daemon.module=tests.preloaded {os.environ['PYSPARK_SUBMIT_ARGS']}",
        )
        patch.setenv("PYTHONPATH", str(ROOT), prepend=os.pathsep)
        try:
            session = start_session("local[2,4]")
        except NoJavaError as error:
            pytest.skip(str(error))
    session.conf.set("spark.sql.shuffle.partitions", "2")
    with suppress(
        ImportError
    ):  # PySpark imports it later, in whichever test, and hypothesis minds what it does
        import IPython  # noqa: F401  (it sets the recursion limit)
    yield session
    session.stop()
