"""docs/versions.md is true: its examples are run, in order, in the repository that it describes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pages.page import Page
from tests.project.source import ROOT
from tests.versions.repositories import Repository, needs_git

ORDERS = (
    (
        "Ann", "The first order",
        '<order>\n  <item partNum="872-AA"><price>148.95</price></item>\n'
        '  <item partNum="926-AA"><price>39.98</price></item>\n</order>\n',
    ),
    (
        "Bob", "Spring prices",
        '<order>\n  <item partNum="872-AA"><price>139.95</price></item>\n'
        '  <item partNum="926-AA"><price>35.00</price></item>\n</order>\n',
    ),
    (
        "Ann", "The mower is sold out",
        '<order status="ready">\n  <item partNum="926-AA"><price>35.00</price></item>\n'
        '  <backorder>\n    <item partNum="872-AA"><price>139.95</price></item>\n  </backorder>\n</order>\n',
    ),
)  # fmt: skip


@needs_git
def test_the_examples(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    repository = Repository(tmp_path / "shop")
    for number, (author, subject, text) in enumerate(ORDERS):
        repository.commit(subject, author=author, files={"order.xml": text})
        (tmp_path / "shop" / f"order-{number + 1}.xml").write_text(text)
    monkeypatch.chdir(tmp_path / "shop")
    assert Page(ROOT / "docs" / "versions.md", capsys, not_run=("xcep", "sh")).run() > 5
