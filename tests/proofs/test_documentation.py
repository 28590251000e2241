"""docs/proofs.md is true: its examples are run, in order."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.project.source import ROOT
from tests.project.test_readme import BLOCK, run_commands, run_python

pytest.importorskip("cryptography")


def test_the_examples(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "__main__"}
    blocks = BLOCK.findall((ROOT / "docs" / "proofs.md").read_text(encoding="utf-8"))
    for kind, text in blocks:
        if kind == "python":
            run_python(text, names)
        elif kind == "console":
            run_commands(text, capsys)
    assert len(blocks) > 3
