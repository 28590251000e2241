"""What all tests share: hypothesis without a stop-watch, the shared folder's data, and the cores of the machine.

`pytest` alone, the whole suite, takes as many processes as there are cores; a part of it (`pytest tests/spec`) runs
in one. `-n` says otherwise in both cases, and `-p no:xdist` does without.
"""

from __future__ import annotations

import gc
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

REPOSITORY = Path(__file__).resolve().parent.parent

# A slow machine must not fail a test: no deadline, and slow data generation is no error.
# The suite says the same of the same code: examples are drawn anew with  pytest --hypothesis-profile=random.
settings.register_profile(
    "xmlcep", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
settings.register_profile("random", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("xmlcep")

LONG = tuple(
    f"tests/{folder}/" for folder in ("auditing", "versions", "schema", "laws", "benchmarks", "wrapping")
)
"""Where the tests are that take long."""


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """The whole suite in one process for each core, if nothing was said about processes."""
    whole = config.args_source is pytest.Config.ArgsSource.TESTPATHS and not config.option.usepdb
    in_worker = hasattr(config, "workerinput")
    if whole and not in_worker and config.pluginmanager.hasplugin("xdist"):
        if config.option.numprocesses is None:
            config.option.numprocesses = config.hook.pytest_xdist_auto_num_workers(config=config)
        if config.option.dist == "no":
            config.option.dist = "loadgroup"
            config.option.loadscopereorder = False


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Several processes: the tests of a file in one of them, as are all that use Spark, of which there is one session.

    What takes long goes first, so that no process is left with it at the end.
    """
    if hasattr(config, "workerinput"):
        for item in items:
            group = "spark" if _uses_spark(item) else item.nodeid.split("::")[0]
            item.add_marker(pytest.mark.xdist_group(group))
        items.sort(key=lambda item: (not _uses_spark(item), not item.nodeid.startswith(LONG)))


def _uses_spark(item: pytest.Item) -> bool:
    """Whether a test uses the session of Spark: its fixture, or asked for it by a parameter."""
    parameters = (
        item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
    )
    return "spark" in (*getattr(item, "fixturenames", ()), *parameters.values())


def pytest_collection_finish(session: pytest.Session) -> None:
    """What is there before the first test stays: some tests collect garbage, and need not look at 12,000 others."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real schemas, logs and histories beside the project; the test is skipped without it."""
    path = REPOSITORY.parent / "shared" / "data"
    if not path.is_dir():
        pytest.skip("needs the shared data folder beside the project")
    return path
