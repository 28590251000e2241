"""The examples of docs/explain.md, and its list of reasons."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

from tests.project.source import ROOT
from xmlcep.explaining import Reason

PAGE = (ROOT / "docs" / "explain.md").read_text(encoding="utf-8")


def test_the_examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    session = doctest.DocTestParser().get_doctest(
        PAGE, {"__name__": "__main__"}, "explain.md", "explain.md", 0
    )
    doctest.DebugRunner(optionflags=doctest.ELLIPSIS).run(session)


@pytest.mark.parametrize("reason", Reason)
def test_the_page_has_every_reason(reason: Reason) -> None:
    assert f"| `{reason.word}` | {reason.sentence} |" in PAGE
