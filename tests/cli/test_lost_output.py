"""Nobody reads what a command says, or the disk is full: its status is what it would be, or says so."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from tests.project.source import ROOT

FILES = {
    "bad.xcep": "event A = insl(note)\n",
    "a.xcep": "event A = ins(note)\n",
    "act.xcep": 'rule R on (ins(note)) do set "@n" = "1"\nrule C on (ins(note)) do call "ask"\n',
    "doc.xml": "<notes><note/></notes>",
    "log.jsonl": '{"doc":"d","ts":1,"op":"ins","path":"/note","ids":[1]}\n',
    "many.jsonl": "".join(
        f'{{"doc":"d","ts":{ts},"op":"ins","path":"/notes/note","ids":[1,{ts}]}}\n' for ts in range(2, 3000)
    ),
}


@pytest.fixture(autouse=True)
def files(tmp_path: Path) -> None:
    for name, content in FILES.items():
        (tmp_path / name).write_text(content, encoding="utf-8")


@contextmanager
def nobody() -> Iterator[int]:
    """A pipe that nobody reads."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        yield writer
    finally:
        os.close(writer)


@contextmanager
def full() -> Iterator[int]:
    """A file on a disk that is full."""
    if not os.path.exists("/dev/full"):
        pytest.skip("needs a device that is always full")
    opened = os.open("/dev/full", os.O_WRONLY)
    try:
        yield opened
    finally:
        os.close(opened)


def run(
    command: str, where: Path, *, out: int, err: int, unbuffered: bool
) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1" if unbuffered else ""}
    return subprocess.run(
        [sys.executable, "-m", "xmlcep", *command.split()],
        cwd=where, env=environment, stdout=out, stderr=err, text=True, check=False,
    )  # fmt: skip


Lost = Callable[[], AbstractContextManager[int]]


@pytest.mark.parametrize(
    ("command", "status", "lost", "unbuffered"),
    [
        ("check bad.xcep", 2, nobody, False),
        ("audit none.jsonl --rules a.xcep", 2, full, False),
        ("audit log.jsonl --rules a.xcep --out findings.jsonl", 0, full, True),
        ("apply act.xcep doc.xml --initial", 0, nobody, False),
    ],
)
def test_sayings_that_nobody_hears(
    tmp_path: Path, command: str, status: int, lost: Lost, unbuffered: bool
) -> None:
    with lost() as err:
        done = run(command, tmp_path, out=subprocess.DEVNULL, err=err, unbuffered=unbuffered)
    assert done.returncode == status
    if "--out" in command:
        assert (tmp_path / "findings.jsonl").stat().st_size > 0


@pytest.mark.parametrize(
    ("command", "lost", "unbuffered"),
    [
        # What rules call is called while an edit is made; what a rule did is said behind it.
        ("apply act.xcep doc.xml --initial --dry-run", nobody, False),
        ("apply act.xcep doc.xml --initial --dry-run", full, True),
        ("audit many.jsonl --rules a.xcep", full, False),
    ],
)
def test_output_that_goes_nowhere(tmp_path: Path, command: str, lost: Lost, unbuffered: bool) -> None:
    with lost() as out:
        done = run(command, tmp_path, out=out, err=subprocess.PIPE, unbuffered=unbuffered)
    said = "xmlcep: the output cannot be written: No space left on device\n" if lost is full else ""
    assert done.returncode == (2 if lost is full else 141)
    assert done.stderr.endswith(said)
    assert not any(word in done.stderr for word in ("Traceback", "ignored", "callback", "Errno"))


def test_a_mistake_stays_one_where_it_cannot_be_said(tmp_path: Path) -> None:
    with nobody() as both:
        done = run("check bad.xcep", tmp_path, out=both, err=both, unbuffered=True)
    assert done.returncode == 2
