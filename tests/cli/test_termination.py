"""SIGTERM, SIGHUP, closed streams, no room: one word, the status shells expect, and nothing left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.usefixtures("signals_heard")

REPOSITORY = Path(__file__).resolve().parents[2]
WITH_LITTLE_ROOM = {"PYTHONPATH": str(REPOSITORY), "PYTHONDONTWRITEBYTECODE": "1"}
"""Python would leave bytecode that was cut off, which nobody can import afterwards."""
# The signal comes while the audit is under way: its temporary files are there.
PROGRAM = """
import os, signal, sys
import xmlcep.auditing.run as run
from xmlcep.cli.main import run as main

how, number = sys.argv.pop(1), int(sys.argv.pop(1))

class Killed(run.LocalAudit):
    def run(self, files):
        print(*sorted(os.listdir(os.environ["TMPDIR"])))
        os.kill(os.getpid(), number)
        super().run(files)

if how == "ignored":
    signal.signal(number, signal.SIG_IGN)
if how == "background":
    signal.signal(signal.SIGINT, signal.SIG_IGN)
run.LocalAudit = Killed
sys.exit(main())
"""


def _killed(tmp_path: Path, number: int, how: str) -> tuple[int, str, list[str], list[str]]:
    """Status, standard error, the temporary files while it ran, those behind it."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    (tmp_path / "r.xcep").write_text("event A = ins(a/b)\n")
    (tmp_path / "l.jsonl").write_text('{"doc":"d","ts":1,"op":"ins","path":"/a/b","ids":[1,2]}\n')
    options = [str(tmp_path / "l.jsonl"), "--rules", str(tmp_path / "r.xcep"), "--engine", "local"]
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM, how, str(int(number)), "audit", *options, "--out", str(folder / "out.jsonl")],
        env={**os.environ, "TMPDIR": str(folder), "PYTHONPATH": str(REPOSITORY)}, text=True, capture_output=True,
        check=False, timeout=60,
    )  # fmt: skip
    return (
        ended.returncode,
        ended.stderr,
        ended.stdout.split(),
        sorted(each.name for each in folder.iterdir()),
    )


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="needs signals of POSIX")
@pytest.mark.parametrize(("name", "how"), [("SIGTERM", ""), ("SIGHUP", "background")])
def test_nothing_is_left(tmp_path: Path, name: str, how: str) -> None:
    number = getattr(signal, name)
    status, said, during, after = _killed(tmp_path, number, how)
    assert during != []
    assert (status, said, after) == (128 + number, f"stopped by {name}\n", [])


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="needs signals of POSIX")
def test_what_is_ignored_stays_ignored(tmp_path: Path) -> None:
    status, _, _, after = _killed(tmp_path, signal.SIGHUP, "ignored")
    assert (status, after) == (0, ["out.jsonl"])


@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")
@pytest.mark.parametrize(
    ("shell", "status", "said"),
    [
        ("exec >&-", 2, "xmlcep: the output cannot be written: Bad file descriptor\n"),
        ("exec 2>&-", 0, ""),
        ("exec >&- 2>&- <&-", 2, ""),
        ("ulimit -f 0", 2, "set TMPDIR to a folder with room"),
        ("ulimit -f 1", 0, ""),  # what is waiting is in memory until there is more
    ],
)
def test_streams_that_are_closed_and_disks_that_are_full(
    tmp_path: Path, shell: str, status: int, said: str
) -> None:
    (tmp_path / "r.xcep").write_text("event A = ins(a/b)\n")
    (tmp_path / "l.jsonl").write_text('{"doc":"d","ts":1,"op":"ins","path":"/a/b","ids":[1,2]}\n')
    folder = tmp_path / "temporary"
    folder.mkdir()
    command = (
        f"'{sys.executable}' -m xmlcep audit l.jsonl --rules r.xcep --engine local --format jsonl --quiet"
    )
    ended = subprocess.run(
        ["bash", "-c", f"trap '' XFSZ; {shell}; exec {command}"], cwd=tmp_path, text=True, capture_output=True,
        env={**os.environ, "TMPDIR": str(folder), **WITH_LITTLE_ROOM}, check=False, timeout=60,
    )  # fmt: skip
    assert (ended.returncode, list(folder.iterdir())) == (status, [])
    assert said in ended.stderr and "Traceback" not in ended.stderr
    assert ('"name":"A"' in ended.stdout) == (status == 0)


@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit for the size of files")
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_output_that_does_not_fit_is_no_success(unbuffered: str, tmp_path: Path) -> None:
    """As on a disk that fills up: part of a write fits, and without a buffer Python forgets the rest."""
    command = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000)); "
        "from xmlcep.cli.main import run; sys.exit(run(['convert', '--schema']))"
    )
    environment = {**os.environ, **WITH_LITTLE_ROOM, "PYTHONUNBUFFERED": unbuffered}
    with (tmp_path / "out").open("wb") as out:
        done = subprocess.run(
            [sys.executable, "-c", command], cwd=REPOSITORY, stdout=out, stderr=subprocess.PIPE, env=environment,
            timeout=60, text=True,
        )  # fmt: skip
    assert (tmp_path / "out").stat().st_size == 5000
    assert done.returncode == 2
    assert done.stderr == "xmlcep: the output cannot be written: File too large\n"
