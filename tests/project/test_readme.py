"""The README is true: its tour is run block by block, in order, in one folder; its links lead somewhere."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.project.source import ROOT, tracked_files
from xmlcep.cli import main

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
LINK = re.compile(r"\]\(([^)#:]*)(?:#([^):]*))?\)")
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def run_python(text: str, names: dict[str, Any]) -> None:
    """Runs an interactive session; a line that prints something else is an error that shows both."""
    session = doctest.DocTestParser().get_doctest(text, names, "README.md", "README.md", 0)
    assert session.examples, f"no >>> in a python block:\n{text}"
    session.globs = names  # the same names for all blocks
    doctest.DebugRunner(optionflags=FLAGS).run(session, clear_globs=False)


def run_commands(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Runs ``$ xmlcep …`` lines; what each prints must be what stands below it."""
    commands = COMMAND.findall(text)
    assert text.startswith("$ "), f"a console block begins with a command:\n{text}"
    for command, expected in commands:
        program, *arguments = shlex.split(command)
        assert program == "xmlcep"
        capsys.readouterr()
        status = main.run(arguments)
        written = capsys.readouterr()
        assert status == 0, written.err
        assert doctest.OutputChecker().check_output(expected, written.out, FLAGS), written.out


def test_the_tour(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "samples").symlink_to(ROOT / "samples")
    names: dict[str, Any] = {"__name__": "__main__"}
    kinds = []
    for kind, text in BLOCK.findall((ROOT / "README.md").read_text(encoding="utf-8")):
        kinds.append(kind)
        if kind == "python":
            run_python(text, names)
        elif kind == "console":
            run_commands(text, capsys)
        else:
            assert kind in ("mermaid", "sh"), f"a block of kind {kind!r} is not run"
    assert kinds.count("python") > 3
    assert kinds.count("console") > 1


@pytest.mark.parametrize(
    "page", [file for file in tracked_files() if file.suffix == ".md"], ids=lambda page: page.name
)
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"`[^`\n]*`", "", BLOCK.sub("", page.read_text(encoding="utf-8")))
    missing = []
    for target, anchor in LINK.findall(text):
        file = page.parent / target if target else page
        if not file.exists() or (anchor and anchor not in anchors(file)):
            missing.append(f"{target}#{anchor}")
    assert missing == []


def anchors(page: Path) -> set[str]:
    """What a link into a page can name: its headings, as they are made into anchors, and anchors of its own."""
    text = BLOCK.sub("", page.read_text(encoding="utf-8"))
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    slugs = {
        re.sub(r"[^\w\- ]", "", re.sub(r"<[^>]*>", "", title)).lower().replace(" ", "-") for title in headings
    }
    return slugs | set(re.findall(r'<a id="([^"]+)">', text))
