"""The pages of docs/start and docs/howto are run, each in a folder of its own with the samples beside it."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path

import pytest

from tests.pages.page import Page, blocks_of
from tests.project.source import ROOT

ROOMS = ("start", "howto")
PAGES = sorted(file for room in ROOMS for file in (ROOT / "docs" / room).glob("*.md"))
PAGES += [ROOT / "docs" / "contexts.md", ROOT / "docs" / "replay.md"]
NEEDS = re.compile(r"<!-- needs: (\w+) -->")
"""A package that a page shows and that the tests do not bring."""
NOTHING_TO_RUN = ("start/install.md", "howto/index.md")
RUN_ELSEWHERE = ("start/spark.md", "howto/kafka.md", "howto/databricks.md")
"""Where there is a session of Spark: tests/auditing/test_spark_pages.py."""


def name_of(page: Path) -> str:
    return page.relative_to(ROOT / "docs").as_posix()


@pytest.mark.parametrize("page", [page for page in PAGES if name_of(page) not in RUN_ELSEWHERE], ids=name_of)
def test_the_page_works(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for package in NEEDS.findall(page.read_text(encoding="utf-8")):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is not installed")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    before = set(sys.modules)
    (tmp_path / "samples").symlink_to(ROOT / "samples")
    try:
        assert Page(page, capsys).run() or name_of(page) in NOTHING_TO_RUN
    finally:
        for name in set(sys.modules) - before:  # a page's own app.py is not the next page's
            if (
                getattr(sys.modules[name], "__file__", None)
                and tmp_path in Path(str(sys.modules[name].__file__)).parents
            ):
                del sys.modules[name]


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_the_page_is_short(page: Path) -> None:
    """A recipe is one screen, a tutorial a few."""
    words = len(page.read_text(encoding="utf-8").split())
    assert words <= (450 if page.parent.name == "howto" else 1300)


def test_what_is_not_run_says_why() -> None:
    for page in PAGES:
        for block in blocks_of(page.read_text(encoding="utf-8")):
            assert block.is_run or not block.title
