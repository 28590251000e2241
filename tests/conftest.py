"""What all tests share: hypothesis without a stop-watch, and the data of the shared folder where there is one."""

from __future__ import annotations

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


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real schemas, logs and histories beside the project; the test is skipped without it."""
    path = REPOSITORY.parent / "shared" / "data"
    if not path.is_dir():
        pytest.skip("needs the shared data folder beside the project")
    return path
