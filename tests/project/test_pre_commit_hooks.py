""".pre-commit-hooks.yaml: its hooks are commands, and do on rules files what they say."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.project.source import ROOT
from tests.project.test_packaging import SETUP
from xmlcep.cli.main import run

TEXT = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
HOOKS = dict(re.findall(r"^- id: ([\w-]+)$.*?^  entry: xmlcep (.+?)$", TEXT, re.MULTILINE | re.DOTALL))


def test_the_page_has_all() -> None:
    page = (ROOT / "docs" / "testing.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"id: (xmlcep-\w+)", page)) == sorted(HOOKS)


def test_what_the_command_needs_is_installed() -> None:
    needed = SETUP["options.extras_require"]["cli"].split()
    assert re.findall(r'&\w+ "(.*?)"', TEXT) == needed
    assert TEXT.count("additional_dependencies:") == len(HOOKS)


@pytest.mark.parametrize("hook", HOOKS)
def test_rules_that_are_right_pass_and_wrong_ones_fail(hook: str, tmp_path: Path) -> None:
    right, wrong = tmp_path / "right.xcep", tmp_path / "wrong.xcep"
    right.write_text("event A = ins(a/b)\n\n#> ins a/b => A\n", encoding="utf-8")
    wrong.write_text("event A = \n\n#> ins a/b => A\n", encoding="utf-8")
    assert run([*shlex.split(HOOKS[hook]), str(right)]) == 0
    assert run([*shlex.split(HOOKS[hook]), str(wrong)]) != 0
