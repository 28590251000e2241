"""Ctrl-C while the commands are still being imported: one word, no traceback."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.usefixtures("signals_heard")

START = """
import runpy, signal, sys

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == sys.argv[-1]:
            signal.raise_signal(signal.SIGINT)

sys.meta_path.insert(0, Interrupting())
sys.argv[1:-1] = ["check", "none.xcep"]
if sys.argv.pop(0) == "-c":
    sys.argv.insert(0, "xmlcep")
if {as_module}:
    runpy.run_module("xmlcep", run_name="__main__", alter_sys=True)
else:
    from xmlcep.__main__ import main
    sys.exit(main())
"""


@pytest.mark.parametrize("as_module", [True, False])
@pytest.mark.parametrize("module", ["click", "xmlcep.cli.main"])
def test_an_interrupt_during_an_import(module: str, as_module: bool) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", START.replace("{as_module}", str(as_module)), module],
        capture_output=True,
        text=True,
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "stopped\n")
