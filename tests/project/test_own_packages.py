"""Where `contexts` or `path_types` is another distribution's, importing xmlcep says whose, and what to do."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.project.source import ROOT


def import_with(first: Path) -> str:
    """What the import of a name ends with where the folder comes first on the path."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(first), str(ROOT)])}
    done = subprocess.run(
        [sys.executable, "-c", "from xmlcep import Rules; print('fine')"],
        cwd=first, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.stdout or done.stderr.splitlines()[-1]


def test_our_own(tmp_path: Path) -> None:
    assert import_with(tmp_path) == "fine\n"


@pytest.mark.parametrize("name", ["contexts", "path_types"])
def test_of_another_distribution(tmp_path: Path, name: str) -> None:
    package = tmp_path / name
    package.mkdir()
    (package / "__init__.py").write_text('"""A test framework."""\n', encoding="utf-8")
    installed = tmp_path / "Someone_Else-0.12.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: Someone-Else\nVersion: 0.12\n", "utf-8")
    (installed / "top_level.txt").write_text(f"{name}\n", encoding="utf-8")
    assert import_with(tmp_path) == (
        f"ImportError: xmlcep has a package {name!r} of its own, but the one that Python finds is that of "
        f"Someone-Else 0.12 ({package / '__init__.py'}); the two cannot be used together: install xmlcep in an "
        "environment of its own (python3 -m venv), or  pip uninstall Someone-Else  and then  "
        "pip install --force-reinstall xmlcep"
    )


def test_of_nobody(tmp_path: Path) -> None:
    (tmp_path / "contexts").mkdir()
    (tmp_path / "contexts" / "__init__.py").touch()
    said = import_with(tmp_path)
    assert "the one that Python finds is another one (" in said
    assert said.endswith("or take it off the path")
