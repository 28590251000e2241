"""A page of the documentation as something that runs: its blocks, in order, in one folder.

- ``python``: an interactive session; all of a page share their names. Modules that the page wrote can be imported.
- ``console``: ``$ xmlcep …`` with what it prints below it; ``$ echo $?`` is how the one before ended, else 0.
- any kind with ``title="FILE"``: the file of that name is written.
- any other block says why it is not run, in a comment above it: ``<!-- not run: needs a cluster -->``.
"""

from __future__ import annotations

import doctest
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from xmlcep.cli import main

BLOCK = re.compile(
    r'^(?P<mark>(?:<!-- not run: .*? -->\n\n?)?)```(?P<kind>\w+)(?: title="(?P<title>[^"]+)")?\n(?P<text>.*?)^```$',
    re.MULTILINE | re.DOTALL,
)
COMMAND = re.compile(r"^\$ (.*(?:\\\n.*)*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
PRINTED = doctest.OutputChecker()


@dataclass(frozen=True)
class Block:
    kind: str
    title: str | None
    text: str
    is_run: bool


def blocks_of(text: str) -> Iterator[Block]:
    for found in BLOCK.finditer(text):
        yield Block(found["kind"], found["title"], found["text"], not found["mark"])


class Page:
    """The blocks of one page, run in the current folder."""

    def __init__(self, file: Path, capsys: pytest.CaptureFixture[str], not_run: tuple[str, ...] = ()) -> None:
        self.file = file
        self._not_run = not_run
        self.names: dict[str, Any] = {"__name__": "__main__"}
        self._capsys = capsys

    def run(self) -> int:
        """Runs all blocks; how many there were to run."""
        found = blocks_of(self.file.read_text(encoding="utf-8"))
        blocks = [block for block in found if block.is_run and block.kind not in self._not_run]
        for block in blocks:
            self._run(block)
        return len(blocks)

    def _run(self, block: Block) -> None:
        if block.title:
            Path(block.title).parent.mkdir(parents=True, exist_ok=True)
            Path(block.title).write_text(block.text, encoding="utf-8")
        elif block.kind == "python":
            self._session(block.text)
        else:
            assert block.kind == "console", f"a block of kind {block.kind} is not run, and does not say why"
            self._commands(block.text)

    def _session(self, text: str) -> None:
        name = self.file.name
        session = doctest.DocTestParser().get_doctest(text, self.names, name, name, 0)
        assert session.examples, f"no >>> in a python block:\n{text}"
        session.globs = self.names
        doctest.DebugRunner(optionflags=FLAGS).run(session, clear_globs=False)

    def _commands(self, text: str) -> None:
        assert text.startswith("$ "), f"a console block begins with a command:\n{text}"
        commands = COMMAND.findall(text)
        followed = [command for command, _ in commands[1:]] + [""]
        status = 0
        for (command, expected), behind in zip(commands, followed, strict=True):
            if command == "echo $?":
                assert expected.strip() == str(status)
                continue
            program, *arguments = shlex.split(command.replace("\\\n", " "))
            assert program == "xmlcep", f"only xmlcep is run: {command}"
            self._capsys.readouterr()
            status = main.run(arguments)
            written = self._capsys.readouterr()
            assert behind == "echo $?" or status == 0, written.err
            both = written.out + written.err
            assert any(PRINTED.check_output(expected, said, FLAGS) for said in (written.out, both)), both
