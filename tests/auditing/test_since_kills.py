"""An audit that goes on loses nothing and repeats nothing, wherever in a run, or between two, it is killed."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.project.source import ROOT

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")


@pytest.mark.parametrize(
    ("victim", "twice", "names"),
    [(0, "once", "same"), (2, "twice", "new"), (3, "once", "same"), (2, "once", "late")],
)
def test_kill_at_every_step(victim: int, twice: str, names: str) -> None:
    command = [sys.executable, "-m", "tests.auditing.killed_runs", str(victim), twice, names]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(done.stdout.splitlines()[-1]) > 20  # so many kills
