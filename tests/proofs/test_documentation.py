"""docs/proofs.md is true: its examples are run, in order."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pages.page import Page
from tests.project.source import ROOT

pytest.importorskip("cryptography")


def test_the_examples(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert Page(ROOT / "docs" / "proofs.md", capsys, not_run=("sh",)).run() > 3
