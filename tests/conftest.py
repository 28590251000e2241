"""What all tests share: hypothesis without a stop-watch, the shared folder's data, and the cores of the machine.

`pytest` alone, the whole suite, takes as many processes as there are cores; a part of it (`pytest tests/spec`) runs
in one. `-n` says otherwise in both cases, and `-p no:xdist` does without.
"""

from __future__ import annotations

import gc
import math
import os
import re
import shutil
import signal
import sys
import tempfile
from collections.abc import Generator, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.anew import ANEW
from tests.java import JAVA_OPTIONS
from tests.kills import fsync_at_once

REPOSITORY = Path(__file__).resolve().parent.parent

# A slow machine must not fail a test: no deadline, and slow data generation is no error.
# The suite says the same of the same code, and looks at a share of the examples that laws name; new ones, and all of
# them, are drawn with  pytest --hypothesis-profile=random.
EXAMPLES = 0.25
_COMMON: dict[str, Any] = {
    "deadline": None, "suppress_health_check": [HealthCheck.too_slow], "backend": ANEW, "max_examples": 60,
}  # fmt: skip
settings.register_profile("xmlcep", derandomize=True, **_COMMON)
settings.register_profile("random", **_COMMON)
settings.load_profile("xmlcep")

# Garbage is looked for seldom: most of what tests make is gone when they end.
gc.set_threshold(50_000, 20, 100)

# Bytecode is kept whatever the environment says: to read 850 modules from source, and to rewrite the assertions of
# tests, takes each process of a run six seconds, and each that a test starts half a second.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

os.environ.setdefault(
    "PYSPARK_SUBMIT_ARGS", f'--conf spark.driver.defaultJavaOptions="{JAVA_OPTIONS}" pyspark-shell'
)

LONG = tuple(
    f"tests/{folder}/"
    for folder in (
        "auditing", "project", "schema", "log", "cli", "laws", "benchmarks", "wrapping", "xpath", "serving", "teams",
        "versions",
    )
)  # fmt: skip
"""Where the tests are that take long."""
PROJECT = "tests/project/"
SPARK = re.compile(r'\bspark: "?SparkSession|getfixturevalue\("spark"\)')


MEMORY = Path("/dev/shm")
"""A folder in memory, where there is one."""
ROOM = 2**30
"""Bytes that are free there if temporary files are to be kept in it; a whole run leaves far less."""


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> Generator[None, Any, Any]:
    """The whole suite in one process for each core, if nothing was said about processes; temporary files in memory."""
    option = config.option
    whole = config.args_source is pytest.Config.ArgsSource.TESTPATHS and not option.usepdb
    in_worker = hasattr(config, "workerinput")
    if whole and not in_worker and getattr(option, "numprocesses", 0) is None:
        option.numprocesses = config.hook.pytest_xdist_auto_num_workers(config=config)
    folder = _temporary_files_in_memory()
    status = yield
    if folder is not None and status == pytest.ExitCode.OK:
        shutil.rmtree(folder, ignore_errors=True)
    elif folder is not None:
        with suppress(OSError):  # it is not empty: there may be something to look at
            os.rmdir(folder)
    return status


def _temporary_files_in_memory() -> str | None:
    """Makes a folder in memory that of temporary files, also for processes that are started; None if TMPDIR says which,
    as in a worker, or there is no room.

    Thousands of tests write small files. To make them and to remove them takes a disk longer than all the rest.
    """
    if "TMPDIR" in os.environ or not MEMORY.is_dir():
        return None
    there = os.statvfs(MEMORY)
    if (
        there.f_bavail * there.f_frsize < ROOM
        or there.f_flag & os.ST_NOEXEC
        or not os.access(MEMORY, os.W_OK)
    ):
        return None
    folder = tempfile.mkdtemp(prefix="xmlcep-tests-", dir=MEMORY)
    os.environ["TMPDIR"] = tempfile.tempdir = folder
    return folder


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Several processes: the tests of a file in one of them; all that use Spark, of which there is one session; and all
    that parse the modules."""
    from xdist.scheduler import LoadScopeScheduling

    class ByFile(LoadScopeScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            file = _file(nodeid)
            if _uses_spark(file):
                return "spark"
            return PROJECT if file.startswith(PROJECT) else file

    if config.option.dist != "load":
        return None  # what was asked for
    config.option.loadscopereorder = False
    return ByFile(config, log)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What takes long goes first, so that no process is left with it at the end; laws look at fewer examples."""
    if settings().derandomize:
        _take_fewer_examples(items)
    for item in items:
        uses = "spark" in getattr(item, "fixturenames", ())
        assert not uses or _uses_spark(_file(item.nodeid)), f"{item.nodeid}: write spark: SparkSession"
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: (not _uses_spark(_file(item.nodeid)), not item.nodeid.startswith(LONG)))


def _take_fewer_examples(items: list[pytest.Item]) -> None:
    """Hypothesis has no setting for a share of what laws name."""
    name = "_hypothesis_internal_use_settings"
    tests = {item.function for item in items if isinstance(item, pytest.Function)}
    for law in tests:
        if (named := getattr(law, name, None)) is not None:
            setattr(law, name, settings(named, max_examples=math.ceil(EXAMPLES * named.max_examples)))


def _file(nodeid: str) -> str:
    """The file of a test, as its id begins; to ask the test for its place costs much more."""
    return nodeid.partition("::")[0]


@cache
def _uses_spark(file: str) -> bool:
    """Whether tests of a file use the session of Spark."""
    path = REPOSITORY / file
    return "tests" in path.parts and path.suffix == ".py" and bool(SPARK.search(path.read_text("utf-8")))


def pytest_sessionfinish() -> None:
    """What was frozen (below) goes in the usual way: libraries in C count what is left at the end."""
    gc.unfreeze()


@pytest.fixture(scope="module", autouse=True)
def _only_its_own_garbage() -> None:
    """What is there before a module's first test stays: whoever collects garbage need not look at 16,000 tests."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def _no_waiting_for_disks() -> Iterator[None]:
    """No test pulls a plug; a recording waits for the disk at every edit, and others for what it writes there."""
    before, os.fsync = os.fsync, fsync_at_once
    yield
    os.fsync = before


@pytest.fixture
def signals_heard() -> Iterator[None]:
    """Commands that are started hear SIGINT and SIGHUP, although who started the tests may ignore them (nohup, &)."""
    usual = {"SIGINT": signal.default_int_handler, "SIGHUP": signal.SIG_DFL}
    before = {
        number: signal.signal(number, handler)
        for name, handler in usual.items()
        if (number := getattr(signal, name, None)) is not None and signal.getsignal(number) == signal.SIG_IGN
    }
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real schemas, logs and histories beside the project; the test is skipped without it."""
    path = REPOSITORY.parent / "shared" / "data"
    if not path.is_dir():
        pytest.skip("needs the shared data folder beside the project")
    return path
