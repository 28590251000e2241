"""An audit that goes on loses nothing and repeats nothing, wherever in a run, or between two, it is killed.

Each of these runs is killed at every seventh step, of which each takes others; the module that is started here takes
all where none are named.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.project.source import ROOT

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")


@pytest.mark.parametrize(
    ("victim", "twice", "names", "first"),
    [(0, "once", "same", 1), (2, "twice", "new", 3), (3, "once", "same", 5), (2, "once", "late", 6)],
)
def test_kill_at_every_seventh_step(victim: int, twice: str, names: str, first: int) -> None:
    command = [sys.executable, "-m", "tests.auditing.killed_runs", str(victim), twice, names, str(first), "7"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(done.stdout.splitlines()[-1]) > 4  # so many kills
