"""docs/mistakes.md, and mistakes.md here: what commands answer to wrong input, without their usage.

For a change that was meant, ``XMLCEP_APPROVE=1 pytest tests/cli/test_mistakes_page.py`` writes the answers of now into
the page; then read it.
"""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

import pytest

from tests.cli.test_wrong_input import files as files  # what the commands on the page are given
from xmlcep.cli.main import run

PAGES = (
    Path(__file__).resolve().parents[2] / "docs" / "mistakes.md",
    Path(__file__).with_name("mistakes.md"),
)
SAID = re.compile(r"^\$ xmlcep (.*)\n((?:(?!\$ |```).*\n)*)", re.MULTILINE)
MISTAKES = [said for page in PAGES for said in SAID.findall(page.read_text(encoding="utf-8"))]


def said_to(command: str, capsys: pytest.CaptureFixture[str]) -> str:
    """What a command says, without its usage and blanks at line ends."""
    assert run(shlex.split(command)) == 2
    written = capsys.readouterr()
    assert written.out == ""
    assert "Traceback" not in written.err
    lines = [line.rstrip() for line in written.err.splitlines() if line.strip()]
    return "".join(f"{line}\n" for line in lines if not line.startswith(("Usage: ", "Try '")))


def test_there_are_thirty_and_more() -> None:
    assert len({command for command, _ in MISTAKES}) == len(MISTAKES) > 30


@pytest.mark.parametrize(("command", "expected"), MISTAKES, ids=[command for command, _ in MISTAKES])
def test_it_is_said_as_the_page_has_it(
    command: str, expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    said = said_to(command, capsys)
    if said != expected and "XMLCEP_APPROVE" in os.environ:
        before = f"$ xmlcep {command}\n"
        for page in PAGES:
            text = page.read_text(encoding="utf-8")
            page.write_text(text.replace(before + expected, before + said), encoding="utf-8")
    else:
        assert said == expected
