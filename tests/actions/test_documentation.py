"""The examples in docs/actions.md work."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path

import pytest

import xmlcep
from tests.conftest import REPOSITORY
from xmlcep.cli.main import run


def test_python_in_the_documentation() -> None:
    page = REPOSITORY / "docs" / "actions.md"
    result = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert result.attempted
    assert not result.failed


def test_the_commands_in_the_documentation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In order: what the second writes the third reads."""
    page = (REPOSITORY / "docs" / "actions.md").read_text(encoding="utf-8")
    commands = re.findall(r"^xmlcep ([^#\n]*?)\s*(?:#.*)?$", page, re.MULTILINE)
    assert len(commands) == 3
    monkeypatch.chdir(tmp_path)
    Path("keeping.xcep").write_text("rule Seen on (ins(item)) do set '@seen' = \"'yes'\"", encoding="utf-8")
    Path("order.xml").write_text("<order/>", encoding="utf-8")
    document = xmlcep.parse("order.xml")
    with xmlcep.record(document, "edits.jsonl"):
        document.root.append(document.root.makeelement("item"))
    for command in commands:
        assert run(shlex.split(command)) == 0, capsys.readouterr().err
    assert 'seen="yes"' in Path("new.xml").read_text(encoding="utf-8")
