"""The bar of an audit: what it says, and that it is silent where no terminal reads it."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

from tests.auditing.logs import write_log
from tests.auditing.test_agreement import lines_of, orders
from xmlcep.auditing.progress import Advance
from xmlcep.cli._progress import AuditBar

REPOSITORY = Path(__file__).resolve().parents[2]


class Clock:
    """Tells the time it is given."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


class Bar:
    """A bar without a terminal, and the clock it goes by."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.bar = AuditBar(Console(file=io.StringIO()), self.clock)

    def says(self, after: float, to: Advance | None = None) -> str:
        """The words around the bar, so many seconds later, when it has shown how far the audit is."""
        self.clock.now += after
        if to is not None:
            self.bar.advance(to)
        console = Console(file=io.StringIO(), width=120)
        with console.capture() as captured:
            console.print(self.bar)
        return " ".join(captured.get().translate(str.maketrans("━╸╺", "   ")).split())


def test_stage_share_records_rate_and_time_left() -> None:
    bar = Bar()
    assert bar.says(0) == "starting"
    assert bar.says(5, Advance("reading", 1, 2, 0.0, 0)) == "reading 1/2 0%"
    quarter = bar.says(10, Advance("reading", 1, 2, 0.25, 20_000))
    assert quarter == "reading 1/2 25% 20,000 records, 2,000/s, 0:30 left"
    end = bar.says(30, Advance("reading", 1, 4, 1.0, 100_000))
    assert end == "reading 1/4 100% 100,000 records, 2,500/s"


def test_each_step_has_its_own_rate_and_time() -> None:
    bar = Bar()
    bar.says(0, Advance("reading", 1, 3, 0.0, 0))
    bar.says(50, Advance("reading", 1, 3, 1.0, 1000))
    begun = bar.says(50, Advance("replaying", 2, 3, 0.0, 1000, 1000))
    assert begun == "replaying 2/3 0% 1,000 records"
    slow = bar.says(4, Advance("replaying", 2, 3, 0.001, 1000, 1000))
    assert slow == "replaying 2/3 0% 1,000 records, 1:06:36 left"
    assert bar.says(4, Advance("sorting", 3, 3, 0.0, 0, 4000)) == "sorting 3/3 0%"
    read_again = bar.says(2, Advance("sorting", 3, 3, 0.5, 2000, 4000))
    assert read_again == "sorting 3/3 50% 2,000 of 4,000 records, 1,000/s, 0:02 left"


def at_terminal(folder: Path, *arguments: str) -> str:
    """What an audit says to a terminal on standard error."""
    pty = pytest.importorskip("pty")
    write_log(folder / "log.jsonl", lines_of(orders("a")))
    (folder / "rules.xcep").write_text("event A = ins(item)")
    master, slave = pty.openpty()
    try:
        process = subprocess.Popen(
            [sys.executable, "-m", "xmlcep", "audit", "log.jsonl", "--rules", "rules.xcep", *arguments],
            cwd=folder, stderr=slave, stdout=subprocess.DEVNULL,
            env=os.environ | {"PYTHONPATH": str(REPOSITORY), "TERM": "xterm", "COLUMNS": "120"},
        )  # fmt: skip
        os.close(slave)
        said = b""
        while True:
            try:
                more = os.read(master, 4096)
            except OSError:  # how a terminal ends on Linux
                break
            if not more:
                break
            said += more
        assert process.wait() == 0
    finally:
        os.close(master)
    return said.decode()


def test_a_terminal_sees_the_bar_and_the_table(tmp_path: Path) -> None:
    said = at_terminal(tmp_path)
    assert "reading 1/2" in said and "writing 2/2" in said
    assert said.index("writing 2/2") < said.index("audit with local")


def test_quiet_is_quiet(tmp_path: Path) -> None:
    assert at_terminal(tmp_path, "--quiet") == ""
