"""What teams run elsewhere: the Action's own script on a repository, and what action.yml and Dockerfile name."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

from tests.pages.page import BLOCK
from tests.project.source import ROOT
from tests.project.test_packaging import SETUP
from tests.versions.repositories import Repository, needs_git
from xmlcep.cli.main import group

ACTION = (ROOT / "action.yml").read_text(encoding="utf-8")
PAGE = (ROOT / "docs" / "howto" / "pull-request.md").read_text(encoding="utf-8")
needs_bash = pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
ORDER = '<order><item part="A1"><price>{}</price></item></order>'


def audited(repository: Repository, **given: str) -> subprocess.CompletedProcess[str]:
    """Runs the script as the Action does."""
    programs = repository.folder.parent / "bin"
    programs.mkdir(exist_ok=True)
    command = programs / "xmlcep"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m xmlcep "$@"\n')
    command.chmod(0o755)
    path = os.pathsep.join([str(programs), os.environ["PATH"]])
    source = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    return subprocess.run(
        [ROOT / "action" / "audit.sh"], cwd=repository.folder, capture_output=True, text=True,
        env={**os.environ, "PATH": path, "PYTHONPATH": source, "BASE": "main", **given},
    )  # fmt: skip


@needs_git
@needs_bash
def test_what_a_pull_request_changes(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "shop")
    files = {found["title"]: found["text"] for found in BLOCK.finditer(PAGE) if found["title"]}
    repository.commit(
        "start", files={**files, "orders/7.xml": ORDER.format(10), "other.xml": ORDER.format(1)}
    )
    repository.commit("dear, but not here", files={"orders/7.xml": ORDER.format(20)})
    repository.git("switch", "-q", "-c", "topic")
    assert audited(repository).returncode == 0 and not (repository.folder / "xmlcep.sarif").exists()
    repository.commit(
        "rise", author="Bob", files={"orders/7.xml": ORDER.format(30), "orders/8 x.xml": ORDER.format(1)}
    )
    repository.commit(
        "rise elsewhere", files={"other.xml": ORDER.format(9), "orders/8 x.xml": ORDER.format(2)}
    )
    repository.git("switch", "-q", "main")
    repository.commit(
        "main goes on", files={"orders/9.xml": ORDER.format(1), "orders/7.xml": ORDER.format(21)}
    )
    repository.git("switch", "-q", "topic")
    done = audited(repository, FILES="orders/*.xml\n")
    assert done.returncode == 1, done.stderr  # as xmlcep.toml says
    (run,) = json.loads((repository.folder / "xmlcep.sarif").read_text())["runs"]
    found = [
        (
            each["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], each["level"],
            each["message"]["text"],
        )
        for each in run["results"]
    ]  # fmt: skip
    assert sorted(found) == [
        ("orders/7.xml", "error", "price of A1 rose from 20 to 30"),
        ("orders/8%20x.xml", "error", "price of A1 rose from 1 to 2"),
    ]
    assert run["tool"]["driver"]["rules"][0]["fullDescription"]["text"] == "Ask the buyer."
    assert "rose from 20 to 30" in done.stdout and "Bob" in done.stdout
    repository.write("lenient.xcep", files["rules/prices.xcep"].replace("severity=error", "severity=info"))
    lenient = {"RULES": "lenient.xcep", "FAIL_ON": "warning", "SARIF": "a.sarif", "FILES": "other.xml"}
    assert audited(repository, **lenient).returncode == 0
    assert len(json.loads((repository.folder / "a.sarif").read_text())["runs"][0]["results"]) == 1
    repository.commit("broken", files={"orders/new.xml": "<a>"})
    assert audited(repository, FILES="orders/new.xml").returncode == 2


def test_the_action_gives_the_script_what_it_asks() -> None:
    script = (ROOT / "action" / "audit.sh").read_text(encoding="utf-8")
    asked = set(re.findall(r"\$\{?([A-Z_]+)", script))
    assert set(re.findall(r"^        ([A-Z_]+): \$\{\{ inputs", ACTION, re.MULTILINE)) == asked
    declared = set(re.findall(r"^  ([a-z-]+):$", ACTION.partition("runs:")[0], re.MULTILINE))
    assert {name.lower().replace("_", "-") for name in asked} == declared
    assert set(re.findall(r"with: \{(\w+):", PAGE)) & declared == {"files"}
    assert os.access(ROOT / "action" / "audit.sh", os.X_OK)


def test_the_image_has_extras_and_commands_that_there_are() -> None:
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    (extras,) = re.findall(r"/src\[([\w,]+)\]", text)
    assert set(extras.split(",")) <= set(SETUP["options.extras_require"])
    (arguments,) = re.findall(r"^CMD (\[.*\])$", text, re.MULTILINE)
    name, *rest = json.loads(arguments)
    command = group.get_command(click.Context(group), name)
    assert command is not None
    command.make_context(name, rest)
    assert re.search(r"^USER (?!root)\w+$", text, re.MULTILINE)
