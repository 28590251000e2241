"""The README is true: its examples are run, in order, in one folder; links of all pages lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.pages.page import BLOCK, Page, blocks_of
from tests.project.source import ROOT, tracked_files

LINK = re.compile(r"\]\(([^)#:]*)(?:#([^):]*))?\)")
README = ROOT / "README.md"


def test_the_readme(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """All but the commands that install it, which CI runs."""
    monkeypatch.chdir(tmp_path)
    kinds = [block.kind for block in blocks_of(README.read_text(encoding="utf-8"))]
    assert kinds.count("python") > 1
    assert "console" in kinds
    Page(README, capsys, not_run=("sh",)).run()


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
